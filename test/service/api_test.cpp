#include "persistence/journal_store.hpp"
#include "test/fixtures/faulty_connection.hpp"
#include "test/service/api_fixture.hpp"
#include "tools/service/http_service.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <set>
#include <string>
#include <thread>

namespace jobstrand::test {

namespace {

using nlohmann::json;
using persistence::AuditEntry;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST_F(ApiTest, What_is_no_job_is_refused_with_each_mistake_and_changes_nothing) {
    for (const char* const body :
         {"",
          "{",
          "17",
          "null",
          "{}",
          R"({"handlerType":""})",
          R"({"handlerType":"a","x":1})",
          R"({"handlerType":"a","retries":-1})",
          "{\"handlerType\":\"\xff\"}",
          R"({"handlerType":"a"} {"handlerType":"a"})",
          "[]",
          "[17]",
          "[{]",
          R"([{"handlerType":"a","id":"1"},{"handlerType":"a","id":"1"}])"}) {
        const auto refused = ask(post("/api/v1/jobs", body));
        EXPECT_EQ(refused.status, 400) << body;
        EXPECT_FALSE(json::parse(refused.body)["errors"].empty()) << body;
        EXPECT_THAT(refused.head, HasSubstr("application/problem+json"));
    }
    EXPECT_EQ(look("/api/v1/jobs?place=all")["items"].size(), 0);
}

TEST_F(ApiTest, Json_nested_a_hundred_thousand_deep_harms_nobody) {
    const std::string deep(100'000, '[');
    EXPECT_EQ(ask(post("/api/v1/jobs", deep)).status, 400);
    EXPECT_EQ(ask(post("/api/v1/jobs", R"({"handlerType":"a","payload":)" + deep)).status, 400);
    (void)add(R"({"handlerType":"a"})");
}

TEST_F(ApiTest, A_list_has_filters_and_goes_on_behind_its_last_job) {
    for (int i = 0; i < 5; ++i) {
        add(fmt::format(R"({{"handlerType":"mail","id":"m{}"}})", i));
    }
    add(R"({"handlerType":"report","id":"r","dueDate":"2099-01-01T00:00:00Z"})");
    const json first = look("/api/v1/jobs?type=mail&limit=3");
    EXPECT_EQ(first["items"].size(), 3);
    EXPECT_EQ(first["after"], "m2");
    const json second = look("/api/v1/jobs?type=mail&limit=3&after=m2");
    EXPECT_EQ(second["items"].size(), 2);
    EXPECT_TRUE(second["after"].is_null());
    EXPECT_EQ(look("/api/v1/jobs?place=all")["items"].size(), 6);
    EXPECT_EQ(look("/api/v1/jobs?place=timer&due-after=2098-01-01")["items"][0]["id"], "r");
    EXPECT_EQ(look("/api/v1/jobs?locked=true")["items"].size(), 0);
    EXPECT_EQ(look("/api/v1/jobs?with-exception=true&place=all")["items"].size(), 0);
    EXPECT_EQ(look("/api/v1/jobs?with-exception=false&place=all")["items"].size(), 6);
    EXPECT_EQ(look("/api/v1/jobs?created-before=1h+ago")["items"].size(), 0);
    EXPECT_EQ(look("/api/v1/jobs?place=all&where=created%3E1h")["items"].size(), 6);
    EXPECT_EQ(look("/api/v1/jobs?place=all&where=id:r+OR+id:none")["items"].size(), 1);
    const json into = look("/api/v1/jobs?place=all&where=-payload.none");
    EXPECT_EQ(into["items"].size(), 6);
    EXPECT_FALSE(into.contains("partial")) << "all was looked into";
}

TEST_F(ApiTest, A_list_of_one_place_may_be_in_another_order) {
    add(R"({"handlerType":"mail","id":"a","priority":1})");
    add(R"({"handlerType":"mail","id":"b","priority":9})");
    const json first = look("/api/v1/jobs?sort=priority&order=desc&limit=1");
    EXPECT_EQ(first["items"][0]["id"], "b");
    EXPECT_EQ(first["after"], "9,b");
    const json second = look("/api/v1/jobs?sort=priority&order=desc&limit=1&after=9%2Cb");
    EXPECT_EQ(second["items"][0]["id"], "a");
    EXPECT_TRUE(second["after"].is_null());
    EXPECT_EQ(look("/api/v1/jobs?sort=priority&order=desc&skip=1")["items"][0]["id"], "a");
    for (const char* const query :
         {"sort=colour",
          "order=desc",
          "sort=due&order=up",
          "sort=due&skip=-1",
          "sort=due&after=a",
          "sort=due&place=all"}) {
        EXPECT_EQ(ask(get(std::string("/api/v1/jobs?") + query)).status, 400) << query;
    }
}

TEST_F(ApiTest, Filters_ask_for_one_of_several_for_ranges_and_for_what_is_missing) {
    add(R"({"handlerType":"mail","id":"a","priority":1,"tenantId":"acme"})");
    add(R"({"handlerType":"sms","id":"b","priority":9})");
    add(R"({"handlerType":"log","id":"c"})");
    const auto ids = [this](const std::string& query) {
        std::string found;
        const json page = look("/api/v1/jobs?" + query);
        for (const json& job : page["items"]) {
            found += job["id"].get<std::string>();
        }
        return found;
    };
    EXPECT_EQ(ids("type=mail&type=log"), "ac");
    EXPECT_EQ(ids("type=mail&type=log&tenant=acme"), "a");
    EXPECT_EQ(ids("without=tenant"), "bc");
    EXPECT_EQ(ids("priority-min=1"), "ab");
    EXPECT_EQ(ids("priority-min=-1&priority-max=1"), "ac");
    for (const char* const query : {"without=type", "without=colour", "priority-min=high"}) {
        EXPECT_EQ(ask(get(std::string("/api/v1/jobs?") + query)).status, 400) << query;
    }
}

TEST_F(ApiTest, A_filter_that_cannot_be_meant_so_is_named) {
    for (const char* const query :
         {"limit=0",
          "limit=x",
          "limit=10001",
          "place=here",
          "locked=perhaps",
          "with-exception=perhaps",
          "type=",
          "typ=mail",
          "created-before=then",
          "where=",
          "where=tpye:mail",
          "where=(type:mail",
          "where=payload.a:%00",
          "type=%ff"}) {
        EXPECT_EQ(ask(get(std::string("/api/v1/jobs?") + query)).status, 400) << query;
    }
    EXPECT_THAT(ask(get("/api/v1/jobs?typ=mail")).body, HasSubstr("type"));
    EXPECT_THAT(
        ask(get("/api/v1/jobs?where=is:free%20tpye:mail")).body,
        HasSubstr("where is wrong at character 9: there is no key tpye; did you mean type?")
    );
}

TEST_F(ApiTest, No_ids_never_mean_all) {
    for (const char* const body :
         {"{}",
          R"({"ids":[]})",
          R"({"ids":"a"})",
          R"({"ids":["a"],"retries":0})",
          R"({"ids":["a"],"all":true})",
          "[]",
          ""}) {
        EXPECT_EQ(ask(post("/api/v1/dead/requeue", body)).status, 400) << body;
    }
}

TEST_F(ApiTest, Metrics_are_counted_as_things_happen) {
    add(R"({"handlerType":"mail"})");
    const auto response = ask(get("/metrics"));
    EXPECT_THAT(response.head, HasSubstr("Content-Type: text/plain; version=0.0.4"));
    for (const char* const line :
         {"\njobstrand_enqueued_total 1\n",
          "\njobstrand_enqueue_transactions_total 1\n",
          "\njobstrand_completed_total 0\n",
          "\njobstrand_running 0\n",
          "\njobstrand_timers_moved_total 0\n",
          "\njobstrand_claim_seconds_count 0\n",
          "\njobstrand_completion_seconds_count 0\n",
          "\njobstrand_database_failures_total{reason=\"conflict\"} 0\n",
          "\njobstrand_http_responses_total{code=\"2xx\"} 1\n",
          "\njobstrand_http_request_duration_seconds_count 1\n",
          "\njobstrand_http_request_duration_seconds_bucket{le=\"+Inf\"} 1\n"}) {
        EXPECT_THAT(response.body, HasSubstr(line));
    }
}

/// Of a service whose database does as the test says.
class ReadinessTest : public ApiTest {
protected:
    ReadinessTest() {
        const auto file = "sqlite:" + (directory.path() / "jobs.db").string();
        faulty_engine_ = std::make_unique<engine::Wiring>(
            engine::WiringOptions{
                .database_url = file,
                .decorate_connection =
                    [this](std::unique_ptr<persistence::Connection> connection) {
                        return std::make_unique<FaultyConnection>(std::move(connection), faults_);
                    }},
            clock,
            log
        );
    }

    FaultPlan faults_;
    std::unique_ptr<engine::Wiring> faulty_engine_;
};

// A standby after a failover, or a full disk, answers whoever reads.
TEST_F(ReadinessTest, A_database_that_takes_no_writes_is_told) {
    const service::ApiParts faulty{.engine = *faulty_engine_, .settings = settings, .log = log};
    service::Readiness readiness(faulty, true);
    faults_.add({.point = FaultPoint::begin, .kind = persistence::DbErrorKind::read_only});
    EXPECT_THROW((void)faulty_engine_->enqueue({.handler_type = "noop"}), persistence::DbError);
    const service::Response answer = readiness.answer();
    EXPECT_EQ(answer.status, 503);
    EXPECT_THAT(answer.body, HasSubstr("the database takes no writes"));
}

constexpr const char* kJobs = "/api/v1/jobs";

/// Unique keys over HTTP (B8).
class UniqueApi : public ApiTest {};

TEST_F(UniqueApi, A_job_that_is_kept_is_the_answer) {
    const std::string id = add(R"({"handlerType":"noop","uniqueKey":"k"})");
    const auto kept =
        ask(post(kJobs, R"({"handlerType":"noop","uniqueKey":"k","onDuplicate":"keep"})"));
    EXPECT_EQ(kept.status, 200);
    EXPECT_THAT(kept.head, HasSubstr("Location: /api/v1/jobs/" + id));
    EXPECT_EQ(
        json::parse(kept.body), json({{"id", id}, {"isNew", false}, {"replacedJob", nullptr}})
    );
}

constexpr const char* kPath = "/api/v1/jobs";
constexpr const char* kOneJob = R"({"handlerType":"noop"})";
constexpr const char* kTwoJobs = R"([{"handlerType":"noop"},{"handlerType":"log"}])";

/// Requests that are sent again because nobody knows whether they have arrived.
class Idempotency : public ApiTest {
protected:
    [[nodiscard]] RawResponse
    send(const std::string& body, const std::string& key, const std::string& more = "") const {
        return ask(post(kPath, body, "Idempotency-Key: " + key + "\r\n" + more));
    }

    [[nodiscard]] std::size_t jobs() const { return look(kPath)["items"].size(); }
};

TEST_F(Idempotency, A_job_that_is_sent_again_is_added_once_and_answered_alike) {
    const RawResponse first = send(kOneJob, "k");
    EXPECT_EQ(first.status, 201);
    EXPECT_THAT(first.head, Not(HasSubstr("Idempotency-Replayed")));
    const RawResponse again = send(kOneJob, "k");
    EXPECT_EQ(again.status, 201);
    EXPECT_EQ(again.body, first.body);
    EXPECT_THAT(again.head, HasSubstr("Idempotency-Replayed: true"));
    EXPECT_THAT(
        again.head,
        HasSubstr("Location: /api/v1/jobs/" + json::parse(first.body)["id"].get<std::string>())
    );
    EXPECT_EQ(jobs(), 1);
}

TEST_F(Idempotency, Many_jobs_are_added_once) {
    const RawResponse first = send(kTwoJobs, "k");
    EXPECT_EQ(first.status, 201);
    EXPECT_EQ(send(kTwoJobs, "k").body, first.body);
    EXPECT_EQ(jobs(), 2);
    EXPECT_EQ(send(kTwoJobs, "other").status, 201);
    EXPECT_EQ(jobs(), 4);
}

TEST_F(Idempotency, Another_request_with_the_key_is_refused) {
    EXPECT_EQ(send(kOneJob, "k").status, 201);
    const auto refused = send(kTwoJobs, "k");
    EXPECT_EQ(refused.status, 422);
    EXPECT_THAT(refused.body, testing::HasSubstr(R"("title":"Unprocessable Content")"));
    EXPECT_EQ(jobs(), 1);
}

TEST_F(Idempotency, What_was_refused_may_be_mended_and_sent_with_the_same_key) {
    EXPECT_EQ(send(R"({"handlerType":""})", "k").status, 400);
    EXPECT_EQ(send(R"([{"handlerType":"noop","id":"a"}])", "other").status, 201);
    EXPECT_EQ(send(R"([{"handlerType":"noop","id":"a"}])", "k").status, 409);
    EXPECT_EQ(send(kOneJob, "k").status, 201);
    EXPECT_EQ(jobs(), 2);
}

TEST_F(Idempotency, A_key_that_cannot_be_one_is_refused) {
    EXPECT_EQ(send(kOneJob, "").status, 400);
    EXPECT_EQ(send(kOneJob, "two words").status, 400);
    EXPECT_EQ(send(kOneJob, std::string(201, 'k')).status, 400);
    EXPECT_EQ(send(kOneJob, "k", "Idempotency-Key: l\r\n").status, 400);
    EXPECT_EQ(jobs(), 0);
}

TEST_F(Idempotency, Of_many_at_the_same_time_one_adds_the_job) {
    std::vector<std::thread> clients;
    std::vector<RawResponse> answers(8);
    clients.reserve(answers.size());
    for (RawResponse& answer : answers) {
        clients.emplace_back([&] { answer = send(kOneJob, "k"); });
    }
    std::ranges::for_each(clients, &std::thread::join);
    std::set<std::string> bodies;
    for (const RawResponse& answer : answers) {
        EXPECT_EQ(answer.status, 201) << answer.body;
        bodies.insert(answer.body);
    }
    EXPECT_EQ(bodies.size(), 1);
    EXPECT_EQ(jobs(), 1);
}

const std::string kTrace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
const std::string kOther = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00";

class TraceparentTest : public ApiTest {
protected:
    /// Enqueues with these header lines, and returns what the job `a` has.
    [[nodiscard]] json stored(const std::string& body, const std::string& headers) {
        const RawResponse response = ask(post("/api/v1/jobs", body, headers));
        EXPECT_EQ(response.status, 201) << response.body;
        json traceparent = look("/api/v1/jobs/a").value("traceparent", json());
        const std::string id = "a";
        (void)engine.store().remove(
            schema::JobPlace::executable, std::span(&id, 1), engine.clock().now()
        );
        return traceparent;
    }

    [[nodiscard]] static std::string header(const std::string& value) {
        return fmt::format("traceparent: {}\r\n", value);
    }
};

TEST_F(TraceparentTest, Jobs_belong_to_the_trace_of_the_request_that_enqueues_them) {
    const std::string job = R"({"id":"a","handlerType":"noop"})";
    EXPECT_EQ(stored(job, header(kTrace)), kTrace);
    EXPECT_EQ(stored("[" + job + "]", header(kTrace)), kTrace);
    EXPECT_EQ(stored(job, ""), nullptr);
}

TEST_F(TraceparentTest, A_trace_of_the_jobs_own_wins) {
    const std::string job =
        fmt::format(R"({{"id":"a","handlerType":"noop","traceparent":"{}"}})", kOther);
    EXPECT_EQ(stored(job, header(kTrace)), kOther);
    EXPECT_EQ(stored("[" + job + "]", header(kTrace)), kOther);
}

TEST_F(TraceparentTest, A_header_that_names_no_trace_is_overlooked) {
    const std::string job = R"({"id":"a","handlerType":"noop"})";
    EXPECT_EQ(stored(job, header("00-0-0-0")), nullptr);
    EXPECT_EQ(stored(job, header(kTrace) + header(kOther)), nullptr);
    EXPECT_EQ(stored(job, header("cc" + kTrace.substr(2) + "-more")), kTrace)
        << "a later version is read as the first";
}

TEST_F(TraceparentTest, A_member_that_names_no_trace_is_refused) {
    const RawResponse response =
        ask(post("/api/v1/jobs", R"({"id":"a","handlerType":"noop","traceparent":"00-0-0-0"})"));
    EXPECT_EQ(response.status, 400);
    EXPECT_THAT(response.body, HasSubstr("traceparent"));
}

TEST_F(TraceparentTest, External_workers_are_told_of_it) {
    ASSERT_EQ(
        ask(post("/api/v1/jobs", R"({"handlerType":"mail","external":true})", header(kTrace)))
            .status,
        201
    );
    const RawResponse taken =
        ask(post("/api/v1/external-jobs/acquire", R"({"worker":"w","topics":["mail"]})"));
    EXPECT_EQ(json::parse(taken.body)["items"][0]["traceparent"], kTrace);
}

TEST_F(TraceparentTest, Workers_of_Flowable_and_Camunda_get_it_as_a_variable) {
    const auto acquire = [&] {
        const RawResponse taken = ask(post(
            "/external-job-api/acquire/jobs",
            R"({"topic":"mail","lockDuration":"PT1M","numberOfTasks":1,"workerId":"w"})"
        ));
        return json::parse(taken.body).at(0).at("variables");
    };
    const auto fetch = [&] {
        const RawResponse taken = ask(post(
            "/engine-rest/external-task/fetchAndLock",
            R"({"workerId":"w","maxTasks":1,"topics":[{"topicName":"mail","lockDuration":60000}]})"
        ));
        return json::parse(taken.body).at(0).at("variables");
    };
    const auto enqueue = [&](const std::string& headers, const std::string& payload) {
        const std::string job = R"({"handlerType":"mail","external":true,"payload":)" + payload;
        ASSERT_EQ(ask(post("/api/v1/jobs", job + "}", headers)).status, 201);
    };
    const json variable{{"name", "traceparent"}, {"type", "string"}, {"value", kTrace}};
    enqueue(header(kTrace), "{}");
    EXPECT_EQ(acquire(), json::array({variable}));
    enqueue(header(kTrace), "{}");
    EXPECT_EQ(fetch().at("traceparent").at("value"), kTrace);
    enqueue(header(kTrace), R"({"traceparent":"mine"})");
    EXPECT_EQ(acquire().at(0).at("value"), "mine") << "the payload's own";
    enqueue("", "{}");
    EXPECT_EQ(fetch(), json::object()) << "it belongs to no trace";
}

/// Whoever changes something over HTTP is written down.
class AuditApi : public ApiTest {
protected:
    /// The latest first.
    [[nodiscard]] std::vector<AuditEntry> entries() {
        return engine.audit_store().audit({}, {}, 100);
    }
};

TEST_F(AuditApi, A_change_is_written_down_with_who_how_many_and_why) {
    const std::string body = R"({"ids":["a","b"]})";
    EXPECT_EQ(
        ask(post("/api/v1/dead/requeue", body, "Jobstrand-Reason: the server is back\r\n")).status,
        200
    );
    ASSERT_EQ(entries().size(), 1);
    const AuditEntry entry = entries()[0];
    EXPECT_EQ(entry.action.who, "local");
    EXPECT_EQ(entry.action.via, "http");
    EXPECT_EQ(entry.action.action, "dead requeue");
    EXPECT_EQ(entry.action.arguments, "-- a b") << "as it could be typed";
    EXPECT_EQ(entry.action.reason, "the server is back");
    EXPECT_EQ(entry.result, "not found");
    EXPECT_EQ(entry.changed, std::nullopt);
}

TEST_F(AuditApi, Every_change_of_an_operator_is_written_down) {
    const std::string id = add(R"({"handlerType":"noop","dueDate":"2099-01-01T00:00:00Z"})");
    struct Row {
        std::string request;
        std::string action;
        std::string result;
    };
    const std::string management = "/process-api/management/";
    const std::vector<Row> rows{
        {send("POST", "/api/v1/nodes/none/drain", ""), "node drain", "not found"},
        {send("POST", "/api/v1/nodes/none/resume", ""), "node resume", "not found"},
        {send("PUT", "/api/v1/limits/type:a", R"({"concurrent":1})"), "limit set", "done"},
        {send("DELETE", "/api/v1/limits/type:a", ""), "limit rm", "done"},
        {post(management + "jobs/none", R"({"action":"execute"})"), "job run", "refused"},
        {post(management + "timer-jobs/" + id, R"({"action":"move"})"), "timer change", "done"},
        {post(management + "deadletter-jobs/none", R"({"action":"move"})"),
         "dead requeue",
         "refused"},
        {post(management + "deadletter-jobs", R"({"action":"move","jobIds":["none"]})"),
         "dead requeue",
         "refused"},
        {send("DELETE", management + "jobs/" + id, ""), "job rm", "done"},
    };
    for (const Row& row : rows) {
        const std::size_t before = entries().size();
        (void)ask(row.request);
        const auto after = entries();
        ASSERT_EQ(after.size(), before + 1) << row.request;
        EXPECT_EQ(after[0].action.action, row.action) << row.request;
        EXPECT_EQ(after[0].result, row.result) << row.request;
        EXPECT_EQ(after[0].changed.value_or(0), row.result == "done" ? 1 : 0) << row.request;
    }
}

TEST_F(AuditApi, Whoever_looks_or_enqueues_leaves_no_trace) {
    (void)add(R"({"handlerType":"noop"})");
    EXPECT_EQ(ask(get("/api/v1/jobs")).status, 200);
    EXPECT_EQ(ask(get("/process-api/management/jobs")).status, 200);
    EXPECT_THAT(entries(), IsEmpty());
}

}  // namespace

}  // namespace jobstrand::test
