#include "tools/service/metrics.hpp"

#include "test/fixtures/job_builder.hpp"
#include "test/fixtures/signal.hpp"
#include "test/service/api_fixture.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <vector>

namespace jobstrand {
namespace {

using test::a_job;
using test::ApiTest;
using test::get;
using test::post;
using test::send;
using testing::HasSubstr;
using testing::Not;

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

}  // namespace
}  // namespace jobstrand
