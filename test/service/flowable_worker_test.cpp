#include "test/service/api_fixture.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace jobstrand {
namespace {

using nlohmann::json;
using test::ApiTest;
using test::get;
using test::post;
using testing::ElementsAre;
using testing::HasSubstr;

/// What Flowable's clients for external workers send, and what they read.
class FlowableWorkers : public ApiTest {
protected:
    std::string add_external(const std::string& more = "") const {
        return add(R"({"handlerType":"invoice","place":"external")" + more + "}");
    }

    [[nodiscard]] json acquire(
        const std::string& worker = "w-1",
        int tasks = 10,
        const std::string& topic = "invoice"
    ) const {
        const json order{
            {"topic", topic},
            {"lockDuration", "PT5M"},
            {"numberOfTasks", tasks},
            {"numberOfRetries", 5},
            {"workerId", worker},
            {"scopeType", nullptr}};
        const auto response = ask(post("/external-job-api/acquire/jobs", order.dump()));
        EXPECT_EQ(response.status, 200) << response.body;
        return json::parse(response.body);
    }

    /// Returns the status.
    [[nodiscard]] int
    say(const std::string& id, const std::string& action, const json& body = {{"workerId", "w-1"}}
    ) const {
        return ask(post("/external-job-api/acquire/jobs/" + id + "/" + action, body.dump())).status;
    }
};

TEST_F(FlowableWorkers, Get_jobs_of_their_topic_with_the_payload_as_variables) {
    const std::string id = add_external(
        R"(,"payload":{"order":17,"big":5000000000,"rate":0.5,"rush":true,"to":"x","lines":[1]})"
    );
    EXPECT_EQ(acquire("w-1", 1, "other").size(), 0U);
    const json jobs = acquire();
    ASSERT_EQ(jobs.size(), 1U);
    EXPECT_EQ(jobs[0]["id"], id);
    EXPECT_EQ(jobs[0]["lockOwner"], "w-1");
    EXPECT_EQ(jobs[0]["retries"], 3);
    EXPECT_EQ(jobs[0]["elementId"], nullptr);
    EXPECT_EQ(jobs[0]["tenantId"], "");
    std::vector<std::string> told;
    for (const json& variable : jobs[0]["variables"]) {
        told.push_back(fmt::format(
            "{} {} {}",
            variable["name"].get<std::string>(),
            variable["type"].get<std::string>(),
            variable["value"].dump()
        ));
    }
    EXPECT_THAT(
        told,
        ElementsAre(
            "order integer 17",
            "big long 5000000000",
            "rate double 0.5",
            "rush boolean true",
            R"(to string "x")",
            "lines json [1]"
        )
    );
    EXPECT_EQ(acquire("w-2").size(), 0U) << "it is locked";
}

TEST_F(FlowableWorkers, Get_a_payload_that_is_no_object_as_one_variable) {
    (void)add_external(R"(,"payload":[1,2])");
    EXPECT_EQ(
        acquire()[0]["variables"],
        json::parse(R"([{"name":"payload","type":"json","value":[1,2]}])")
    );
}

TEST_F(FlowableWorkers, Complete_what_they_hold) {
    const std::string id = add_external();
    EXPECT_EQ(say(id, "complete"), 403) << "nobody holds it";
    (void)acquire();
    EXPECT_EQ(say(id, "complete", {{"workerId", "w-2"}}), 403);
    EXPECT_EQ(say(id, "complete", {{"workerId", "w-1"}, {"variables", json::array()}}), 204);
    EXPECT_EQ(say(id, "complete"), 404);
    EXPECT_EQ(ask(get("/api/v1/jobs/" + id)).status, 404);
}

TEST_F(FlowableWorkers, Hand_variables_errors_and_terminations_on_to_the_app) {
    const json variables = json::parse(R"([{"name":"total","type":"integer","value":99}])");
    for (const char* const action : {"complete", "bpmnError", "cmmnTerminate"}) {
        const std::string id = add_external(R"(,"payload":{"order":17})");
        (void)acquire();
        const json body{{"workerId", "w-1"}, {"variables", variables}, {"errorCode", "E1"}};
        EXPECT_EQ(say(id, action, body), 204);
        const json job = look("/api/v1/jobs/" + id);
        EXPECT_EQ(job["place"], "executable");
        EXPECT_EQ(job["handlerType"], "external-worker-complete");
        const bool is_error = std::string_view(action) == "bpmnError";
        EXPECT_EQ(
            job["payload"],
            json(
                {{"topic", "invoice"},
                 {"action", action},
                 {"errorCode", is_error ? json("E1") : json()},
                 {"errorMessage", nullptr},
                 {"variables", {{"total", 99}}},
                 {"payload", {{"order", 17}}}}
            )
        );
    }
}

TEST_F(FlowableWorkers, Say_that_an_attempt_failed_and_the_job_waits_for_the_next) {
    const std::string id = add_external(R"(,"retryCycle":"R3/PT1H")");
    (void)acquire();
    EXPECT_EQ(
        say(id, "fail", {{"workerId", "w-1"}, {"errorMessage", "no ink"}, {"errorDetails", "tray"}}
        ),
        204
    );
    const json job = look("/api/v1/jobs/" + id);
    EXPECT_EQ(job["place"], "timer");
    EXPECT_EQ(job["retries"], 2);
    EXPECT_EQ(job["exceptionMessage"], "no ink");
    EXPECT_EQ(job["exceptionDetails"], "tray");
}

TEST_F(FlowableWorkers, May_say_how_many_attempts_are_left) {
    const std::string more = add_external();
    const std::string none = add_external();
    (void)acquire();
    const json much{{"workerId", "w-1"}, {"retries", 7}, {"retryTimeout", "PT1H"}};
    EXPECT_EQ(say(more, "fail", much), 204);
    EXPECT_EQ(look("/api/v1/jobs/" + more)["retries"], 7);
    EXPECT_EQ(say(none, "fail", {{"workerId", "w-1"}, {"retries", 0}}), 204);
    EXPECT_EQ(look("/api/v1/jobs/" + none)["place"], "dead");
}

TEST_F(FlowableWorkers, Give_jobs_back) {
    const std::string id = add_external();
    (void)add_external();
    (void)acquire();
    const std::string one = "/external-job-api/unacquire/jobs/" + id;
    EXPECT_EQ(ask(post(one, R"({"workerId":"w-2"})")).status, 403);
    EXPECT_EQ(ask(post(one, R"({"workerId":"w-1"})")).status, 204);
    EXPECT_EQ(acquire("w-2").size(), 1U);
    EXPECT_EQ(ask(post("/external-job-api/unacquire/jobs", R"({"workerId":"w-1"})")).status, 204);
    EXPECT_EQ(acquire("w-3").size(), 1U);
}

TEST_F(FlowableWorkers, Give_back_all_of_a_tenant_only_if_they_hold_no_others) {
    (void)add_external(R"(,"tenantId":"acme")");
    const std::string other = add_external();
    (void)acquire();
    const json of_tenant{{"workerId", "w-1"}, {"tenantId", "acme"}};
    const std::string all = "/external-job-api/unacquire/jobs";
    EXPECT_EQ(ask(post(all, of_tenant.dump())).status, 400);
    EXPECT_EQ(acquire("w-2").size(), 0U) << "none is free";
    EXPECT_EQ(ask(post(all + "/" + other, R"({"workerId":"w-1"})")).status, 204);
    EXPECT_EQ(ask(post(all, of_tenant.dump())).status, 204);
    EXPECT_EQ(acquire("w-2").size(), 2U);
}

TEST_F(FlowableWorkers, Read_the_kind_of_an_error_and_what_is_wrong) {
    const auto error = [this](const std::string& request) {
        const json body = json::parse(ask(request).body);
        return fmt::format(
            "{}: {}", body["message"].get<std::string>(), body["exception"].get<std::string>()
        );
    };
    EXPECT_EQ(
        error(get("/external-job-api/jobs/none")),
        "Not found: there is no such external job: it may be done already"
    );
    EXPECT_EQ(
        error(post("/external-job-api/acquire/jobs", R"({"topic":"a"})")),
        "Bad request: workerId is required"
    );
    EXPECT_THAT(error(get("/process-api/management/jobs/none")), HasSubstr("Not found: "));
}

TEST_F(FlowableWorkers, List_jobs_page_by_page) {
    for (int i = 0; i < 5; ++i) {
        (void)add_external(fmt::format(R"(,"id":"j{}","tenantId":"acme")", i));
    }
    (void)add_external(R"(,"id":"other")");
    (void)acquire("w-1", 2);
    const json page = look("/external-job-api/jobs?tenantId=acme&start=3&size=10");
    EXPECT_EQ(page["total"], 5);
    EXPECT_EQ(page["start"], 3);
    EXPECT_EQ(page["size"], 2);
    EXPECT_EQ(page["data"][0]["id"], "j3");
    EXPECT_EQ(look("/external-job-api/jobs?locked=true")["total"], 2);
    EXPECT_EQ(look("/external-job-api/jobs?unlocked=true")["total"], 4);
    EXPECT_EQ(look("/external-job-api/jobs?withException=true")["total"], 0);
    EXPECT_EQ(look("/external-job-api/jobs/j0")["lockOwner"], "w-1");
    EXPECT_THAT(
        look("/external-job-api/jobs/j0")["url"].get<std::string>(),
        HasSubstr("/external-job-api/jobs/j0")
    );
    EXPECT_EQ(ask(get("/external-job-api/jobs/none")).status, 404);
    EXPECT_EQ(ask(get("/external-job-api/jobs?sort=dueDate")).status, 400) << "and not left out";
}

TEST_F(FlowableWorkers, Are_told_what_is_wrong_with_a_request_and_nothing_happens) {
    const std::string id = add_external();
    for (const char* const order :
         {"",
          "[]",
          "{}",
          R"({"topic":"invoice","lockDuration":"PT5M"})",
          R"({"topic":"","lockDuration":"PT5M","workerId":"w"})",
          R"({"topic":"invoice","workerId":"w"})",
          R"({"topic":"invoice","lockDuration":"PT0S","workerId":"w"})",
          R"({"topic":"invoice","lockDuration":"P31D","workerId":"w"})",
          R"({"topic":"invoice","lockDuration":"soon","workerId":"w"})",
          R"({"topic":"invoice","lockDuration":"PT5M","workerId":"w","numberOfTasks":0})",
          R"({"topic":"invoice","lockDuration":"PT5M","workerId":"w\u0000"})",
          R"({"topic":"invoice","lockDuration":"PT5M","workerId":"w","groups":["sales"]})",
          R"({"topic":"invoice","lockDuration":"PT5M","workerId":17})"}) {
        EXPECT_EQ(ask(post("/external-job-api/acquire/jobs", order)).status, 400) << order;
    }
    (void)acquire();
    for (const char* const body :
         {"{}",
          R"({"workerId":"w-1","variables":{}})",
          R"({"workerId":"w-1","variables":[{"value":1}]})",
          R"({"workerId":"w-1","variables":[{"name":"a"},{"name":"a"}]})"}) {
        EXPECT_EQ(say(id, "complete", json::parse(body)), 400) << body;
    }
    EXPECT_EQ(say(id, "fail", {{"workerId", "w-1"}, {"retries", -1}}), 400);
    EXPECT_EQ(look("/external-job-api/jobs?locked=true")["total"], 1);
}

TEST_F(FlowableWorkers, Are_counted) {
    const std::string id = add_external();
    (void)acquire();
    EXPECT_EQ(say(id, "complete", {{"workerId", "w-2"}}), 403);
    EXPECT_EQ(say(id, "complete"), 204);
    const std::string metrics = ask(get("/metrics")).body;
    EXPECT_THAT(metrics, HasSubstr("jobstrand_worker_acquired_total 1"));
    EXPECT_THAT(metrics, HasSubstr("jobstrand_worker_completed_total 1"));
    EXPECT_THAT(metrics, HasSubstr("jobstrand_worker_not_held_total 1"));
}

}  // namespace
}  // namespace jobstrand
