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
using testing::HasSubstr;

TEST_F(ApiTest, Bytes_that_are_no_text_are_refused_and_change_nothing) {
    const auto refused = ask(post("/api/v1/jobs", "{\"handlerType\":\"\xff\"}"));
    EXPECT_EQ(refused.status, 400);
    EXPECT_FALSE(json::parse(refused.body)["errors"].empty());
    EXPECT_EQ(look("/api/v1/jobs?place=all")["items"].size(), 0);
}

TEST_F(ApiTest, Json_nested_a_hundred_thousand_deep_harms_nobody) {
    const std::string deep(100'000, '[');
    EXPECT_EQ(ask(post("/api/v1/jobs", deep)).status, 400);
    EXPECT_EQ(ask(post("/api/v1/jobs", R"({"handlerType":"a","payload":)" + deep)).status, 400);
    (void)add(R"({"handlerType":"a"})");
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

TEST_F(ApiTest, Of_many_with_one_idempotency_key_at_the_same_time_one_adds_the_job) {
    std::vector<std::thread> clients;
    std::vector<RawResponse> answers(8);
    clients.reserve(answers.size());
    for (RawResponse& answer : answers) {
        clients.emplace_back([&] {
            answer =
                ask(post("/api/v1/jobs", R"({"handlerType":"noop"})", "Idempotency-Key: k\r\n"));
        });
    }
    std::ranges::for_each(clients, &std::thread::join);
    std::set<std::string> bodies;
    for (const RawResponse& answer : answers) {
        EXPECT_EQ(answer.status, 201) << answer.body;
        bodies.insert(answer.body);
    }
    EXPECT_EQ(bodies.size(), 1);
    EXPECT_EQ(look("/api/v1/jobs")["items"].size(), 1);
}

TEST_F(ApiTest, Workers_of_Flowable_are_counted) {
    const std::string id = add(R"({"handlerType":"invoice","external":true})");
    const std::string jobs = "/external-job-api/acquire/jobs";
    const std::string order = R"({"topic":"invoice","lockDuration":"PT5M","workerId":"w-1"})";
    EXPECT_EQ(ask(post(jobs, order)).status, 200);
    const std::string complete = jobs + "/" + id + "/complete";
    EXPECT_EQ(ask(post(complete, R"({"workerId":"w-2"})")).status, 403);
    EXPECT_EQ(ask(post(complete, R"({"workerId":"w-1"})")).status, 204);
    const std::string metrics = ask(get("/metrics")).body;
    EXPECT_THAT(metrics, HasSubstr("jobstrand_worker_acquired_total 1"));
    EXPECT_THAT(metrics, HasSubstr("jobstrand_worker_completed_total 1"));
    EXPECT_THAT(metrics, HasSubstr("jobstrand_worker_not_held_total 1"));
}

TEST_F(ApiTest, A_job_is_run_now_at_the_paths_of_Flowables_management) {
    engine.handlers().add("works", [](const executor::JobContext&) {
        return executor::Succeeded{};
    });
    engine.handlers().add("fails", [](const executor::JobContext&) {
        return executor::Failed{.message = "no paper", .details = "tray 2"};
    });
    const std::string base = "/process-api/management/";
    const auto act = [&](const std::string& id, const std::string& action = "execute") {
        return ask(post(base + "jobs/" + id, R"({"action":")" + action + "\"}"));
    };
    const std::string works = add(R"({"handlerType":"works"})");
    const std::string fails = add(R"({"handlerType":"fails"})");
    const std::string nobodys = add(R"({"handlerType":"nobodys"})");
    EXPECT_EQ(act(works).status, 204);
    EXPECT_EQ(act(works).status, 404);
    EXPECT_EQ(act(nobodys).status, 409);
    EXPECT_EQ(act(nobodys, "move").status, 400);
    const auto failed = act(fails);
    EXPECT_EQ(failed.status, 500);
    EXPECT_THAT(failed.body, HasSubstr("no paper"));
    for (const char* const filter : {"withException=true", "exceptionMessage=no+paper"}) {
        const json found = look(base + "timer-jobs?" + filter)["data"];
        ASSERT_EQ(found.size(), 1) << filter;
        EXPECT_EQ(found[0]["id"], fails);
    }
    const auto details = ask(get(base + "timer-jobs/" + fails + "/exception-stacktrace"));
    EXPECT_EQ(details.status, 200);
    EXPECT_EQ(details.body, "tray 2");
    EXPECT_EQ(ask(get(base + "jobs/" + nobodys + "/exception-stacktrace")).status, 404);
}

}  // namespace

}  // namespace jobstrand::test
