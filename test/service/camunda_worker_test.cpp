#include "test/fixtures/signal.hpp"
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
using testing::HasSubstr;

/// What Camunda's clients for external tasks send, and what they read.
class CamundaWorkers : public ApiTest {
protected:
    std::string add_external(const std::string& more = "") const {
        return add(R"({"handlerType":"invoice","external":true)" + more + "}");
    }

    [[nodiscard]] static json fetch_body(const json& topics = {{{"topicName", "invoice"}}}) {
        json body{{"workerId", "w-1"}, {"maxTasks", 10}, {"usePriority", true}, {"topics", topics}};
        for (json& topic : body["topics"]) {
            topic.emplace("lockDuration", 60'000);
        }
        return body;
    }

    [[nodiscard]] json fetch() const {
        const auto response =
            ask(post("/engine-rest/external-task/fetchAndLock", fetch_body().dump()));
        EXPECT_EQ(response.status, 200) << response.body;
        return json::parse(response.body);
    }

    /// Returns the status.
    [[nodiscard]] int say(const std::string& id, const std::string& verb, json body) const {
        body.emplace("workerId", "w-1");
        return ask(post("/engine-rest/external-task/" + id + "/" + verb, body.dump())).status;
    }
};

TEST_F(CamundaWorkers, Fetch_tasks_with_the_payload_as_typed_variables) {
    const std::string id = add_external(R"(,"payload":{"n":1,"s":"x","o":{"a":[1]},"none":null})");
    const json tasks = fetch();
    ASSERT_EQ(tasks.size(), 1U);
    EXPECT_EQ(tasks[0]["id"], id);
    EXPECT_EQ(tasks[0]["topicName"], "invoice");
    EXPECT_EQ(tasks[0]["workerId"], "w-1");
    EXPECT_THAT(tasks[0]["lockExpirationTime"].get<std::string>(), HasSubstr("+0000"));
    const json& variables = tasks[0]["variables"];
    EXPECT_EQ(
        variables["n"], json({{"type", "Integer"}, {"value", 1}, {"valueInfo", json::object()}})
    );
    EXPECT_EQ(variables["s"]["type"], "String");
    EXPECT_EQ(variables["o"]["type"], "Json");
    EXPECT_EQ(variables["o"]["value"], R"({"a":[1]})");
    EXPECT_EQ(variables["none"]["type"], "Null");
}

TEST_F(CamundaWorkers, Who_uses_priority_gets_the_highest_first) {
    const std::string low = add_external();
    const std::string high = add_external(R"(,"priority":7)");
    json body = fetch_body();
    body["maxTasks"] = 1;
    const auto fetch_one = [&] {
        const auto response = ask(post("/engine-rest/external-task/fetchAndLock", body.dump()));
        return json::parse(response.body)[0]["id"];
    };
    EXPECT_EQ(fetch_one(), high);
    EXPECT_EQ(fetch_one(), low);
    const std::string oldest = add_external();
    (void)add_external(R"(,"priority":7)");
    body["usePriority"] = false;
    EXPECT_EQ(fetch_one(), oldest);
}

TEST_F(CamundaWorkers, Complete_with_variables_of_both_kinds) {
    const std::string id = add_external();
    (void)fetch();
    const json variables{
        {"total", {{"value", 17}, {"type", "integer"}}},
        {"lines", {{"value", "[1,2]"}, {"type", "json"}}}};
    EXPECT_EQ(say(id, "complete", {{"variables", variables}, {"localVariables", {}}}), 204);
    const json told = look("/api/v1/jobs/" + id)["payload"];
    EXPECT_EQ(told["variables"], json({{"total", 17}, {"lines", {1, 2}}}));
    EXPECT_EQ(say(id, "complete", json::object()), 404);
}

TEST_F(CamundaWorkers, Say_that_an_attempt_failed_with_what_is_left) {
    const std::string id = add_external();
    (void)fetch();
    const json failure{{"errorMessage", "m"}, {"errorDetails", "d"}, {"retries", 4}};
    EXPECT_EQ(say(id, "failure", failure), 204);
    const json job = look("/api/v1/jobs/" + id);
    EXPECT_EQ(job["place"], "timer");
    EXPECT_EQ(job["retries"], 4);
}

// As Camunda's ExternalTaskServiceTest has it: a task that has failed is completed nonetheless,
// also without retries.
TEST_F(CamundaWorkers, May_complete_after_a_failure_while_nobody_else_has_the_task) {
    for (const int retries : {5, 0}) {
        const std::string id = add_external();
        (void)fetch();
        const json failure{
            {"errorMessage", "errorMessage"}, {"retries", retries}, {"retryTimeout", 60'000}};
        EXPECT_EQ(say(id, "failure", failure), 204);
        EXPECT_EQ(look("/api/v1/jobs/" + id)["place"], retries == 0 ? "dead" : "timer");
        EXPECT_EQ(say(id, "complete", {{"workerId", "w-2"}}), 404) << "another worker's";
        EXPECT_EQ(say(id, "complete", json::object()), 204);
        EXPECT_EQ(say(id, "complete", json::object()), 404);
    }
    EXPECT_EQ(look("/api/v1/incidents"), json::array());
}

TEST_F(CamundaWorkers, May_report_again_after_a_failure_until_another_fetches_the_task) {
    const std::string id = add_external();
    (void)fetch();
    const auto fail = [&](int retries, int timeout) {
        return say(
            id, "failure", {{"errorMessage", "m"}, {"retries", retries}, {"retryTimeout", timeout}}
        );
    };
    EXPECT_EQ(fail(5, 60'000), 204);
    EXPECT_EQ(fail(3, 0), 204);
    EXPECT_EQ(look("/api/v1/jobs/" + id)["retries"], 3);
    json other = fetch_body();
    other["workerId"] = "w-2";
    const std::string timer = "/process-api/management/timer-jobs/" + id;
    EXPECT_EQ(ask(post(timer, R"({"action":"move"})")).status, 204);
    const auto response = ask(post("/engine-rest/external-task/fetchAndLock", other.dump()));
    EXPECT_EQ(json::parse(response.body).size(), 1U) << response.body;
    EXPECT_EQ(fail(2, 0), 400);
    EXPECT_EQ(say(id, "complete", json::object()), 400);
    EXPECT_EQ(say(id, "complete", {{"workerId", "w-2"}}), 204);
}

TEST_F(CamundaWorkers, Throw_errors_prolong_locks_and_unlock) {
    const std::string id = add_external();
    (void)fetch();
    EXPECT_EQ(say(id, "extendLock", {{"newDuration", 90'000}}), 204);
    EXPECT_EQ(ask(post("/engine-rest/external-task/" + id + "/unlock", "")).status, 204);
    EXPECT_EQ(say(id, "extendLock", {{"newDuration", 90'000}}), 400);
    (void)fetch();
    EXPECT_EQ(say(id, "bpmnError", {{"errorCode", "E1"}, {"errorMessage", "why"}}), 204);
    EXPECT_EQ(look("/api/v1/jobs/" + id)["payload"]["errorCode"], "E1");
}

TEST_F(CamundaWorkers, Are_told_in_camundas_words_what_is_wrong) {
    const std::string id = add_external();
    const std::string url = "/engine-rest/external-task/" + id + "/complete";
    const auto response = ask(post(url, R"({"workerId":"w-1"})"));
    EXPECT_EQ(response.status, 400);
    EXPECT_EQ(json::parse(response.body)["type"], "RestException");
    for (const json& topics : {
             json{{{"topicName", ""}}},
             json{{{"topicName", "a"}, {"businessKey", "b"}}},
             json{{{"topicName", "a"}, {"includeExtensionProperties", true}}},
             json{{{"topicName", "a"}, {"variable", {"b"}}}},
             json{{{"topicName", "a"}, {"variables", "b"}}},
             json{{{"topicName", "a"}, {"tenantIdIn", {"b", "c"}}}},
             json{{{"topicName", "a"}, {"tenantIdIn", {"b"}}}, {{"topicName", "c"}}},
         }) {
        const std::string body = fetch_body(topics).dump();
        const auto refused = ask(post("/engine-rest/external-task/fetchAndLock", body));
        EXPECT_EQ(refused.status, 400) << body;
        EXPECT_FALSE(json::parse(refused.body)["message"].empty());
    }
    for (const json& more :
         {json{{"sorting", {{{"sortBy", "createTime"}}}}}, json{{"maxTask", 1}}}) {
        json body = fetch_body();
        body.update(more);
        EXPECT_EQ(ask(post("/engine-rest/external-task/fetchAndLock", body.dump())).status, 400)
            << more;
    }
}

TEST_F(CamundaWorkers, Have_the_incidents_of_calling_instances_at_our_path_and_not_at_camundas) {
    const json job{
        {"id", "a"},
        {"handlerType", "invoice"},
        {"external", true},
        {"processInstanceId", "card"},
        {"rootProcessInstanceId", "order-17"},
        {"callingInstances", {"payment"}}};
    ASSERT_EQ(ask(post("/api/v1/jobs", job.dump())).status, 201);
    ASSERT_EQ(ask(post("/api/v1/jobs/set", R"({"ids":["a"],"retries":0})")).status, 200);
    const auto incident_of = [this](const std::string& instance) {
        const json found = look("/api/v1/incidents?each=true&instance=" + instance);
        EXPECT_EQ(found.size(), 1U);
        return found.at(0);
    };
    const json own = incident_of("card");
    const json caller = incident_of("payment");
    const json root = incident_of("order-17");
    EXPECT_EQ(own["causeIncidentId"], own["id"]);
    EXPECT_EQ(own["rootCauseIncidentId"], own["id"]);
    EXPECT_EQ(own["type"], "failedExternalTask");
    EXPECT_EQ(caller["processInstanceId"], "payment");
    EXPECT_EQ(caller["causeIncidentId"], own["id"]);
    EXPECT_EQ(caller["rootCauseIncidentProcessInstanceId"], "card");
    EXPECT_EQ(root["causeIncidentId"], caller["id"]);
    EXPECT_EQ(root["causeIncidentProcessInstanceId"], "payment");
    EXPECT_EQ(root["rootCauseIncidentId"], own["id"]);
    EXPECT_EQ(ask(get("/engine-rest/incident?processInstanceId=order-17")).status, 404);
}

TEST_F(CamundaWorkers, Get_the_variables_that_their_topic_names) {
    (void)add_external(R"(,"payload":{"a":1,"b":2,"c":3})");
    const auto variables = [this](const json& names) {
        json body = fetch_body({{{"topicName", "invoice"}, {"variables", names}}});
        const auto response = ask(post("/engine-rest/external-task/fetchAndLock", body.dump()));
        const json tasks = json::parse(response.body);
        EXPECT_EQ(tasks.size(), 1U) << response.body;
        const std::string id = tasks[0]["id"];
        EXPECT_EQ(ask(post("/engine-rest/external-task/" + id + "/unlock", "")).status, 204);
        std::vector<std::string> told;
        for (const auto& [name, value] : tasks[0]["variables"].items()) {
            told.push_back(name);
        }
        return told;
    };
    EXPECT_THAT(variables({"c", "a", "none"}), testing::ElementsAre("a", "c"));
    EXPECT_THAT(variables(json::array()), testing::IsEmpty());
    EXPECT_THAT(variables(nullptr), testing::ElementsAre("a", "b", "c"));
}

TEST_F(CamundaWorkers, Without_topics_get_an_empty_list) {
    (void)add_external();
    for (json body : {fetch_body(json::array()), fetch_body(nullptr)}) {
        body["asyncResponseTimeout"] = 60'000;
        const auto response = ask(post("/engine-rest/external-task/fetchAndLock", body.dump()));
        EXPECT_EQ(response.body, "[]\n");
    }
}

TEST_F(CamundaWorkers, Prolong_no_lock_that_has_ended) {
    const std::string id = add_external();
    json body = fetch_body();
    body["topics"][0]["lockDuration"] = 1;
    (void)ask(post("/engine-rest/external-task/fetchAndLock", body.dump()));
    EXPECT_TRUE(test::eventually([&] {
        return say(id, "extendLock", {{"newDuration", 1}}) == 400;
    }));
    EXPECT_EQ(say(id, "extendLock", {{"newDuration", 60'000}}), 400);
}

}  // namespace
}  // namespace jobstrand
