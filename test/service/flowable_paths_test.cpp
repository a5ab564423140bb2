#include "deadletter/job_admin.hpp"
#include "test/service/api_fixture.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace jobstrand {

namespace {

using nlohmann::json;
using test::ApiTest;
using test::get;
using test::post;
using test::send;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

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

constexpr const char* kBase = "/process-api/management/";

/// What pages that operate Flowable's jobs send, and what they read.
class Management : public ApiTest {
protected:
    [[nodiscard]] std::vector<std::string> ids_in(const std::string& list) const {
        std::vector<std::string> ids;
        const json found = look(kBase + list);
        for (const json& job : found["data"]) {
            ids.push_back(job["id"]);
        }
        return ids;
    }

    std::string add_timer(const std::string& due, const std::string& more = "") const {
        return add(R"({"handlerType":"mail","dueDate":")" + due + "\"" + more + "}");
    }

    /// A dead letter that somebody cancelled.
    std::string add_dead() {
        const std::string id = add(R"({"handlerType":"mail"})");
        deadletter::JobAdmin(engine.store(), engine.series_store(), engine.clock())
            .cancel({id}, {.by = "ops", .reason = "a test"});
        return id;
    }

    [[nodiscard]] int act(const std::string& path, const json& body) const {
        return ask(post(kBase + path, body.dump())).status;
    }

    [[nodiscard]] int remove(const std::string& path) const {
        return ask(send("DELETE", kBase + path, "")).status;
    }
};

TEST_F(Management, A_list_has_a_part_of_the_jobs_and_their_number) {
    const std::string a = add(R"({"handlerType":"mail","tenantId":"t1","elementId":"e"})");
    const std::string b = add(R"({"handlerType":"mail"})");
    const std::string c = add(R"({"handlerType":"other"})");
    const json list = look(std::string(kBase) + "jobs?size=2&start=1");
    EXPECT_EQ(list["total"], 3);
    EXPECT_EQ(list["start"], 1);
    EXPECT_EQ(list["size"], 2);
    EXPECT_EQ(list["sort"], "id");
    EXPECT_EQ(list["order"], "asc");
    EXPECT_EQ(list["data"][0]["id"], b);
    EXPECT_THAT(ids_in("jobs?sort=id&order=desc"), ElementsAre(c, b, a));
    const json job = look(kBase + ("jobs/" + a));
    EXPECT_EQ(job["url"], "http://localhost/process-api/management/jobs/" + a);
    EXPECT_EQ(job["handlerType"], "mail");
    EXPECT_EQ(job["tenantId"], "t1");
    EXPECT_EQ(job["elementId"], "e");
    EXPECT_EQ(job["retries"], 3);
    EXPECT_EQ(job["processInstanceUrl"], nullptr);
    EXPECT_THAT(ids_in("timer-jobs"), IsEmpty());
    EXPECT_THAT(ids_in("history-jobs"), IsEmpty());
}

TEST_F(Management, Filters_restrict_a_list) {
    const std::string a = add(R"({"handlerType":"mail","tenantId":"acme-1"})");
    const std::string b = add(R"({"handlerType":"fax","processInstanceId":"i"})");
    EXPECT_THAT(ids_in("jobs?handlerType=mail"), ElementsAre(a));
    EXPECT_THAT(ids_in("jobs?handlerTypes=fax,post"), ElementsAre(b));
    EXPECT_THAT(ids_in("jobs?tenantIdLike=acme%25"), ElementsAre(a));
    EXPECT_THAT(ids_in("jobs?tenantIdLike=%25cme%25"), ElementsAre(a));
    EXPECT_THAT(ids_in("jobs?tenantIdLike=%25me-1"), ElementsAre(a));
    EXPECT_THAT(ids_in("jobs?tenantIdLike=%25acme"), IsEmpty());
    EXPECT_THAT(ids_in("jobs?tenantIdLike=%25"), ElementsAre(a, b));
    EXPECT_THAT(ids_in("jobs?tenantIdLike=acme-1"), ElementsAre(a));
    EXPECT_THAT(ids_in("jobs?tenantIdLike=acme"), IsEmpty());
    EXPECT_THAT(ids_in("jobs?withoutTenantId=true"), ElementsAre(b));
    EXPECT_THAT(ids_in("jobs?withoutProcessInstanceId=true"), ElementsAre(a));
    EXPECT_THAT(ids_in("jobs?withoutProcessInstanceId=false"), ElementsAre(a, b));
    EXPECT_THAT(ids_in("jobs?withException=true"), IsEmpty());
    EXPECT_THAT(ids_in("jobs?withRetriesLeft=true&executable=true&unlocked=true").size(), 2U);
    EXPECT_THAT(ids_in("jobs?noRetriesLeft=true"), IsEmpty());
    EXPECT_THAT(ids_in("jobs?locked=true"), IsEmpty());
    EXPECT_THAT(ids_in("jobs?messagesOnly=true").size(), 2U);
    EXPECT_THAT(ids_in("jobs?timersOnly=true"), IsEmpty());
}

TEST_F(Management, Timers_are_sorted_and_asked_for_by_their_due_date) {
    const std::string late = add_timer("2999-01-02T00:00:00Z");
    const std::string soon = add_timer("2999-01-01T00:00:00Z");
    EXPECT_THAT(ids_in("timer-jobs?sort=dueDate"), ElementsAre(soon, late));
    EXPECT_THAT(ids_in("timer-jobs?dueBefore=2999-01-01T12:00:00Z"), ElementsAre(soon));
    EXPECT_THAT(ids_in("timer-jobs?dueAfter=2999-01-01T12:00:00Z"), ElementsAre(late));
    EXPECT_THAT(ids_in("timer-jobs?executable=true"), IsEmpty());
}

TEST_F(Management, What_cannot_be_meant_so_is_refused) {
    for (const char* const query :
         {"size=many",
          "size=1001",
          "sort=color",
          "order=up",
          "dueBefore=soon",
          "tenantIdLike=a%25b",
          "tenantIdLike=%25b_c",
          "timersOnly=true&messagesOnly=true",
          "procesInstanceId=i"}) {
        EXPECT_EQ(ask(get(fmt::format("{}jobs?{}", kBase, query))).status, 400) << query;
    }
}

TEST_F(Management, A_timer_is_moved_or_gets_another_date) {
    const std::string id = add_timer("2999-01-01T00:00:00Z");
    EXPECT_EQ(
        act("timer-jobs/" + id, {{"action", "reschedule"}, {"dueDate", "2999-02-01T00:00:00Z"}}),
        204
    );
    EXPECT_THAT(
        look(kBase + ("timer-jobs/" + id))["dueDate"].get<std::string>(), HasSubstr("2999-02-01")
    );
    EXPECT_EQ(act("timer-jobs/" + id, {{"action", "reschedule"}}), 400);
    EXPECT_EQ(act("timer-jobs/" + id, {{"action", "dance"}}), 400);
    EXPECT_EQ(act("timer-jobs/" + id, {{"action", "move"}}), 204);
    EXPECT_THAT(ids_in("jobs"), ElementsAre(id));
    EXPECT_EQ(act("timer-jobs/" + id, {{"action", "move"}}), 404);
}

TEST_F(Management, A_job_is_run_now) {
    engine.handlers().add("works", [](const executor::JobContext&) {
        return executor::Succeeded{};
    });
    engine.handlers().add("fails", [](const executor::JobContext&) {
        return executor::Failed{.message = "no paper", .details = "tray 2"};
    });
    const std::string works = add(R"({"handlerType":"works"})");
    const std::string fails = add(R"({"handlerType":"fails"})");
    const std::string nobodys = add(R"({"handlerType":"nobodys"})");
    EXPECT_EQ(act("jobs/" + works, {{"action", "execute"}}), 204);
    EXPECT_EQ(act("jobs/" + works, {{"action", "execute"}}), 404);
    EXPECT_EQ(act("jobs/" + nobodys, {{"action", "execute"}}), 409);
    EXPECT_EQ(act("jobs/" + nobodys, {{"action", "move"}}), 400);
    const auto failed = ask(post(kBase + ("jobs/" + fails), R"({"action":"execute"})"));
    EXPECT_EQ(failed.status, 500);
    EXPECT_THAT(failed.body, HasSubstr("no paper"));
    EXPECT_THAT(ids_in("timer-jobs?withException=true"), ElementsAre(fails));
    EXPECT_THAT(ids_in("timer-jobs?exceptionMessage=no+paper"), ElementsAre(fails));
    const auto details = ask(get(kBase + ("timer-jobs/" + fails + "/exception-stacktrace")));
    EXPECT_EQ(details.status, 200);
    EXPECT_EQ(details.body, "tray 2");
    EXPECT_EQ(ask(get(kBase + ("jobs/" + nobodys + "/exception-stacktrace"))).status, 404);
}

TEST_F(Management, Dead_letters_get_new_attempts_one_or_many_but_never_all_by_accident) {
    const std::string a = add_dead();
    const std::string b = add_dead();
    const std::string c = add_dead();
    EXPECT_EQ(act("deadletter-jobs/" + a, {{"action", "moveToHistoryJob"}}), 400);
    EXPECT_EQ(act("deadletter-jobs/" + a, {{"action", "move"}}), 204);
    EXPECT_EQ(act("deadletter-jobs/" + a, {{"action", "move"}}), 404);
    EXPECT_EQ(act("deadletter-jobs", {{"action", "move"}}), 400);
    EXPECT_EQ(act("deadletter-jobs", {{"action", "move"}, {"jobIds", json::array()}}), 400);
    const auto missing = ask(post(
        std::string(kBase) + "deadletter-jobs",
        json{{"action", "move"}, {"jobIds", {b, "unknown"}}}.dump()
    ));
    EXPECT_EQ(missing.status, 404);
    EXPECT_THAT(missing.body, HasSubstr("unknown"));
    EXPECT_THAT(ids_in("deadletter-jobs"), ElementsAre(b, c)) << "nothing was moved";
    EXPECT_EQ(act("deadletter-jobs", {{"action", "move"}, {"jobIds", {b, c}}}), 204);
    EXPECT_THAT(ids_in("jobs"), ElementsAre(a, b, c));
}

TEST_F(Management, Jobs_are_deleted_where_they_stand) {
    const std::string id = add_dead();
    EXPECT_EQ(remove("jobs/" + id), 404);
    EXPECT_EQ(remove("deadletter-jobs/" + id), 204);
    EXPECT_EQ(remove("deadletter-jobs/" + id), 404);
    EXPECT_EQ(ask(get(std::string(kBase) + "history-jobs/a")).status, 404);
}

}  // namespace

}  // namespace jobstrand
