#include "tools/service/metrics.hpp"

#include "test/fixtures/job_builder.hpp"
#include "test/fixtures/signal.hpp"
#include "test/service/api_fixture.hpp"
#include "tools/service/api/change_feed.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace jobstrand {

namespace {

using executor::Failed;
using executor::HandlerResult;
using executor::JobContext;
using executor::Succeeded;
using nlohmann::json;
using schema::TimePoint;
using service::Backlog;
using service::BacklogTrend;
using test::a_job;
using test::ApiTest;
using test::get;
using test::post;
using test::send;
using testing::HasSubstr;
using testing::Not;
using namespace std::chrono_literals;

constexpr const char* kEnqueuePath = "/api/v1/jobs";

/// What a service tells Prometheus.
class MetricsTest : public ApiTest {
protected:
    [[nodiscard]] std::string told() const { return ask(get("/metrics")).body; }

    /// What the database says when it is asked now, for the first time.
    [[nodiscard]] std::string seen() const {
        EXPECT_TRUE(test::eventually([&] {
            return told().find("\njobstrand_jobs{") != std::string::npos;
        }));
        return told();
    }

    void add_dead(const std::string& id, const std::string& message) {
        schema::Job job = a_job(id).of_type("mail");
        job.exception_message = message;
        const persistence::JobCopy copy{.job = job};
        EXPECT_THAT(
            engine.store().restore(schema::JobPlace::dead_letter, std::span(&copy, 1)),
            testing::ElementsAre(true)
        );
    }

    /// A job of external workers that has failed.
    void fail_with(const std::string& message) const {
        add(R"({"id":"e","handlerType":"pay","external":true})");
        EXPECT_EQ(
            ask(post(
                    "/api/v1/external-jobs/acquire",
                    R"({"worker":"w","topics":["pay"],"jobs":1,"lockDuration":"PT1M"})"
                ))
                .status,
            200
        );
        const nlohmann::json result{{"id", "e"}, {"outcome", "fail"}, {"message", message}};
        const nlohmann::json body{{"worker", "w"}, {"results", {result}}};
        EXPECT_EQ(ask(post("/api/v1/external-jobs/finish", body.dump())).status, 200);
    }
};

TEST_F(MetricsTest, What_operators_change_is_counted_as_the_audit_names_it) {
    const std::string body = R"({"concurrent":1})";
    EXPECT_EQ(ask(send("PUT", "/api/v1/limits/type:a", body)).status, 200);
    EXPECT_EQ(ask(send("PUT", "/api/v1/limits/type:b", body)).status, 200);
    EXPECT_EQ(ask(send("POST", "/api/v1/nodes/none/drain", "")).status, 404);
    EXPECT_EQ(ask(post("/api/v1/verbs/limit/rm", R"({"arguments":["type:a"]})")).status, 200)
        << "a verb of the command line is one too";
    const std::string text = told();
    for (const char* const line :
         {"\njobstrand_operator_actions_total{action=\"limit set\",result=\"done\"} 2\n",
          "\njobstrand_operator_changed_total{action=\"limit set\",result=\"done\"} 2\n",
          "\njobstrand_operator_actions_total{action=\"limit rm\",result=\"done\"} 1\n",
          "\njobstrand_operator_actions_total{action=\"node drain\",result=\"not found\"} 1\n",
          "\njobstrand_operator_changed_total{action=\"node drain\",result=\"not found\"} 0\n"}) {
        EXPECT_THAT(text, HasSubstr(line));
    }
}

TEST_F(MetricsTest, What_was_there_already_is_counted_as_a_duplicate) {
    const std::string unique = R"({"handlerType":"noop","uniqueKey":"k"})";
    const std::string kept = R"({"handlerType":"noop","uniqueKey":"k","onDuplicate":"keep"})";
    add(unique);
    EXPECT_EQ(ask(post(kEnqueuePath, unique)).status, 409);
    EXPECT_EQ(ask(post(kEnqueuePath, kept)).status, 200);
    EXPECT_EQ(ask(post(kEnqueuePath, "[" + kept + "," + kept + "]")).status, 200);
    add(R"({"id":"a","handlerType":"noop"})");
    EXPECT_EQ(ask(post(kEnqueuePath, R"({"id":"a","handlerType":"noop"})")).status, 409);
    const auto send_once = [&](const char* job) {
        return ask(post(kEnqueuePath, job, "Idempotency-Key: one\r\n")).status;
    };
    EXPECT_EQ(send_once(R"({"handlerType":"noop"})"), 201);
    EXPECT_EQ(send_once(R"({"handlerType":"noop"})"), 201);
    EXPECT_EQ(send_once(R"({"handlerType":"log"})"), 422) << "another request is no duplicate";
    const std::string text = told();
    for (const char* const line :
         {"\njobstrand_enqueue_duplicates_total{reason=\"unique_key\"} 4\n",
          "\njobstrand_enqueue_duplicates_total{reason=\"id\"} 1\n",
          "\njobstrand_enqueue_duplicates_total{reason=\"idempotency_key\"} 1\n",
          "\njobstrand_enqueue_jobs_bucket{le=\"1\"} 4\n",
          "\njobstrand_enqueue_jobs_count 5\n"}) {
        EXPECT_THAT(text, HasSubstr(line));
    }
}

TEST_F(MetricsTest, Failures_are_counted_by_class_of_error) {
    fail_with("CardError: card 17 was refused");
    EXPECT_THAT(told(), HasSubstr("\njobstrand_worker_failures_total{class=\"CardError\"} 1\n"));
    EXPECT_THAT(told(), HasSubstr("\njobstrand_worker_failed_total 1\n"));
}

TEST_F(MetricsTest, The_backlog_is_told_by_handler_type_whatever_its_name) {
    add(R"({"handlerType":"say \"hello\""})");
    add(R"({"handlerType":"mail"})");
    add(R"({"handlerType":"mail"})");
    add(R"({"handlerType":"mail","external":true})");
    const std::string text = seen();
    for (const char* const line :
         {"\njobstrand_free_jobs{place=\"executable\",type=\"mail\"} 2\n",
          "\njobstrand_free_jobs{place=\"executable\",type=\"say \\\"hello\\\"\"} 1\n",
          "\njobstrand_free_jobs{place=\"external\",type=\"mail\"} 1\n",
          "\njobstrand_free_jobs_oldest_seconds{place=\"external\",type=\"mail\"} "}) {
        EXPECT_THAT(text, HasSubstr(line));
    }
}

TEST_F(MetricsTest, Timers_are_told_that_fall_due_soon) {
    for (const char* const due : {"PT3M", "PT30M", "PT3H"}) {
        add(fmt::format(R"({{"handlerType":"noop","dueDate":"{}"}})", due));
    }
    const std::string text = seen();
    EXPECT_THAT(text, HasSubstr("\njobstrand_timers_due{within=\"1m\"} 0\n"));
    EXPECT_THAT(text, HasSubstr("\njobstrand_timers_due{within=\"5m\"} 1\n"));
    EXPECT_THAT(text, HasSubstr("\njobstrand_timers_due{within=\"60m\"} 2\n"));
    EXPECT_THAT(text, HasSubstr("\njobstrand_waiting_jobs{reason=\"exclusive\"} 0\n"));
    EXPECT_THAT(text, HasSubstr("\njobstrand_waiting_jobs{reason=\"limit\"} 0\n"));
}

TEST_F(MetricsTest, Dead_letters_are_told_by_their_causes) {
    add_dead("a", "SmtpError: no answer from host 17");
    add_dead("b", "SmtpError: no answer from host 18");
    add_dead("c", "the address is wrong");
    const std::string text = seen();
    EXPECT_THAT(text, HasSubstr("\njobstrand_dead_letter_groups 2\n"));
    EXPECT_THAT(text, HasSubstr("type=\"mail\",class=\"SmtpError\"} 2\n"));
    EXPECT_THAT(text, HasSubstr("type=\"mail\",class=\"\"} 1\n"));
    EXPECT_THAT(text, Not(HasSubstr("host")));
}

TEST_F(MetricsTest, The_database_tells_of_itself_as_it_tells_doctor) {
    const std::string text = seen();
    const std::string labels = "{name=\"write-ahead log\",unit=\"MiB\"} ";
    EXPECT_THAT(text, HasSubstr("\njobstrand_database_symptom" + labels + "0\n"));
    EXPECT_THAT(text, HasSubstr("\njobstrand_database_symptom_limit" + labels + "256\n"));
    EXPECT_THAT(text, HasSubstr("\njobstrand_database_symptom{name=\"free pages\""));
}

// Whoever adds a metric adds the row that this prints. Links are for readers of the page only.
TEST(MetricTable, The_page_has_a_row_for_each_metric_and_no_other) {
    std::ostringstream file;
    file << std::ifstream(JOBSTRAND_SOURCE_DIR "/docs/http.md").rdbuf();
    const std::string page = file.str();
    const std::string begin = "| Metric | Kind | Meaning |\n|---|---|---|\n";
    const std::size_t from = page.find(begin);
    ASSERT_NE(from, std::string::npos);
    std::string rows;
    for (const service::Metric& metric : service::all_metrics()) {
        std::vector<std::string_view> labels;
        std::ranges::copy_if(
            metric.head.label_names,
            std::back_inserter(labels),
            [](std::string_view name) { return !name.empty(); }
        );
        rows += fmt::format(
            "| `{}{}` | {} | {} |\n",
            metric.head.name,
            labels.empty() ? "" : fmt::format("{{{}}}", fmt::join(labels, ",")),
            name_of(metric.head.kind),
            metric.head.meaning
        );
    }
    EXPECT_EQ(
        page.substr(from + begin.size(), page.find("\n\n", from) + 1 - from - begin.size()), rows
    );
}

TEST(MetricTable, A_name_is_unique_and_says_what_is_counted) {
    std::set<std::string_view> names;
    for (const service::Metric& metric : service::all_metrics()) {
        const std::string_view name = metric.head.name;
        EXPECT_TRUE(names.insert(name).second) << name;
        EXPECT_THAT(std::string(name), testing::StartsWith("jobstrand_"));
        EXPECT_EQ(name.ends_with("_total"), metric.head.kind == service::MetricKind::counter)
            << name;
    }
}

/// What waits in the database, as it was seen last.
class BacklogTest : public ApiTest {
protected:
    schema::SteadyPoint now{1h};
    Backlog backlog{engine, [this] { return now; }};
};

TEST_F(BacklogTest, Nothing_is_known_before_somebody_has_looked) {
    EXPECT_FALSE(backlog.last());
    EXPECT_TRUE(backlog.wants_a_look(20));
    EXPECT_FALSE(backlog.wants_a_look(20)) << "one is enough";
}

TEST_F(BacklogTest, Jobs_are_counted_by_place_and_the_oldest_is_as_old_as_it_could_have_run) {
    (void)add(R"({"handlerType":"noop","dueDate":"2020-01-01T00:00:00Z"})");
    (void)add(R"({"handlerType":"noop","dueDate":"2099-01-01T00:00:00Z"})");
    backlog.look();
    const auto seen = backlog.last();
    ASSERT_TRUE(seen);
    EXPECT_EQ(seen->jobs.at(0).place, schema::JobPlace::executable);
    EXPECT_EQ(seen->jobs.at(0).jobs, 1);
    EXPECT_EQ(seen->jobs.at(1).jobs, 1);
    EXPECT_GT(seen->executable_wait, 24h * 365);
    EXPECT_EQ(seen->external_wait, 0ms);
    EXPECT_EQ(seen->timer_overdue, 0ms);
}

TEST_F(BacklogTest, What_was_seen_counts_for_a_while) {
    backlog.look();
    EXPECT_FALSE(backlog.wants_a_look(20));
    now += Backlog::kFresh - 1ms;
    EXPECT_FALSE(backlog.wants_a_look(20));
    now += 1ms;
    EXPECT_TRUE(backlog.wants_a_look(20));
}

TEST_F(BacklogTest, The_longer_a_look_takes_the_rarer_it_is_taken_and_each_says_how_rarely) {
    Backlog slow{engine, [this] { return now += 1s; }};
    slow.look();
    now += 18s;
    EXPECT_FALSE(slow.wants_a_look(20)) << "19 s behind a look that took one";
    EXPECT_FALSE(slow.wants_a_look(100));
    EXPECT_TRUE(slow.wants_a_look(20));
    now += 80s;
    EXPECT_TRUE(slow.wants_a_look(100));
}

TEST_F(BacklogTest, A_scrape_waits_for_nothing_and_the_next_one_has_what_was_seen) {
    (void)add(R"({"handlerType":"noop","dueDate":"2099-01-01T00:00:00Z"})");
    EXPECT_THAT(ask(get("/metrics")).body, Not(HasSubstr("jobstrand_jobs")));
    EXPECT_TRUE(test::eventually([&] {
        return ask(get("/metrics")).body.find("jobstrand_jobs{place=\"timer\"} 1\n") !=
               std::string::npos;
    }));
}

constexpr TimePoint kNow{1000h};

TEST(BacklogTrendTest, Nothing_is_said_before_it_was_seen_for_a_while) {
    BacklogTrend trend;
    EXPECT_EQ(trend.growth(), std::nullopt);
    trend.note(kNow, 10);
    trend.note(kNow + 4999ms, 20);
    EXPECT_EQ(trend.growth(), std::nullopt);
    trend.note(kNow + 5s, 20);
    EXPECT_EQ(trend.growth(), 2.0);
}

TEST(BacklogTrendTest, It_grows_shrinks_or_stands_still_in_tenths) {
    BacklogTrend trend;
    trend.note(kNow, 100);
    trend.note(kNow + 30s, 90);
    EXPECT_EQ(trend.growth(), -0.3);
    trend.note(kNow + 40s, 100);
    EXPECT_EQ(trend.growth(), 0.0);
}

TEST(BacklogTrendTest, The_last_minute_counts) {
    BacklogTrend trend;
    trend.note(kNow, 1'000'000);
    trend.note(kNow + 30s, 0);
    trend.note(kNow + 61s, 31);
    EXPECT_EQ(trend.growth(), 1.0);
    trend.note(kNow + 1h, 31);
    EXPECT_EQ(trend.growth(), std::nullopt);
}

TEST(BacklogTrendTest, A_count_of_earlier_changes_nothing) {
    BacklogTrend trend;
    trend.note(kNow, 0);
    trend.note(kNow + 10s, 10);
    trend.note(kNow + 10s, 500);
    trend.note(kNow + 1s, 500);
    EXPECT_EQ(trend.growth(), 1.0);
}

/// Rates of a node that runs mails, and payments that fail.
class RatesTest : public ApiTest {
protected:
    static void add_handlers(engine::Wiring& node) {
        node.handlers().add("mail", [](const JobContext&) -> HandlerResult { return Succeeded{}; });
        node.handlers().add("pay", [](const JobContext&) -> HandlerResult {
            return Failed{.message = "declined", .retryable = false};
        });
    }

    /// Starts it, and comes back when so many mails and one payment have run.
    void run(engine::Wiring& node, std::size_t mails) {
        add_handlers(node);
        node.start();
        std::vector<schema::Job> jobs(mails, schema::Job{.handler_type = "mail"});
        jobs.push_back({.handler_type = "pay"});
        (void)node.enqueue_all(std::move(jobs));
        EXPECT_TRUE(test::eventually([&] {
            return node.store().count(schema::JobPlace::executable, {}) == 0;
        }));
    }

    [[nodiscard]] static std::int64_t sum(const json& items, const std::string& field) {
        std::int64_t all = 0;
        for (const json& item : items) {
            all += item.at(field).get<std::int64_t>();
        }
        return all;
    }

    /// Of the last ten minutes, and of the last hour.
    const std::vector<std::string> times_{"PT10M", "1h"};
};

TEST_F(RatesTest, What_a_node_runs_is_seen_while_it_runs_and_after_a_restart) {
    run(engine, 3);
    for (const std::string& last : times_) {
        EXPECT_TRUE(test::eventually([&] {
            return sum(look("/api/v1/rates?last=" + last), "completed") == 3;
        })) << last;
    }
    ASSERT_TRUE(engine.stop(executor::StopMode::drain));

    engine::Wiring another(
        {.database_url = "sqlite:" + (directory.path() / "jobs.db").string() + "?synchronous=off"},
        clock,
        log
    );
    run(another, 2);
    ASSERT_TRUE(another.stop(executor::StopMode::drain));

    for (const std::string& last : times_) {
        const json items = look("/api/v1/rates?last=" + last);
        ASSERT_FALSE(items.empty());
        EXPECT_EQ(items.front()["seconds"], last == "1h" ? 60 : 1);
        EXPECT_EQ(sum(items, "begun"), 7) << items;
        EXPECT_EQ(sum(items, "completed"), 5);
        EXPECT_EQ(sum(items, "failed"), 2);
        EXPECT_EQ(sum(items, "dead"), 2);
        EXPECT_EQ(sum(look("/api/v1/rates?type=pay&last=" + last), "begun"), 2);
        EXPECT_TRUE(look("/api/v1/rates?type=none&last=" + last).empty());

        const json types = look("/api/v1/rates/types?last=" + last);
        ASSERT_EQ(types.size(), 2U);
        EXPECT_EQ(types[0]["type"], "mail");
        EXPECT_EQ(types[0]["completed"], 5);
        EXPECT_EQ(types[1]["type"], "pay");
        EXPECT_EQ(types[1]["dead"], 2);
        for (const char* const field :
             {"waitP50", "waitP95", "waitP99", "runP50", "runP95", "runP99"}) {
            EXPECT_GE(types[0][field].get<double>(), 0) << field;
        }
    }
}

TEST_F(RatesTest, Percentiles_of_nothing_are_null) {
    const schema::Duration second = schema::kShortSpan;
    const schema::TimePoint now = engine.clock().now();
    schema::ThroughputSpan span{.length = second, .at = now - now.time_since_epoch() % second};
    span.counts.of("mail").begun = 1;
    engine.throughput_store().add_throughput("node-1", std::span(&span, 1));
    const json item = look("/api/v1/rates?last=10m").at(0);
    EXPECT_TRUE(item["runP50"].is_null()) << item;
    EXPECT_TRUE(item["waitP99"].is_null()) << item;
}

}  // namespace

}  // namespace jobstrand
