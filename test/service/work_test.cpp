#include "persistence/sql/sql_transaction.hpp"
#include "test/fixtures/signal.hpp"
#include "test/service/api_fixture.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace jobstrand {

namespace {

using nlohmann::json;
using schema::JobPlace;
using test::ApiTest;
using test::post;
using test::RawClient;
using test::RawResponse;
using testing::HasSubstr;
using testing::UnorderedElementsAre;
using namespace std::chrono_literals;

/// Workers that take and finish many jobs in one request.
class WorkTest : public ApiTest {
protected:
    void add_external(int count, const std::string& type = "invoice") const {
        json jobs = json::array();
        for (int i = 0; i < count; ++i) {
            jobs.push_back({{"handlerType", type}, {"external", true}, {"payload", {{"n", i}}}});
        }
        EXPECT_EQ(ask(post("/api/v1/jobs", jobs.dump())).status, 201);
    }

    /// The body of an answer that must be 200.
    [[nodiscard]] json say(const std::string& verb, const json& body) const {
        const auto response = ask(post("/api/v1/external-jobs/" + verb, body.dump()));
        EXPECT_EQ(response.status, 200) << response.body;
        return json::parse(response.body);
    }

    [[nodiscard]] json acquire(int jobs, const json& topics = {"invoice"}) const {
        return say("acquire", {{"worker", "w-1"}, {"topics", topics}, {"jobs", jobs}})["items"];
    }

    /// `what` about each of the jobs, fenced by its revision.
    [[nodiscard]] static json results_for(const json& jobs, const json& what) {
        json results = json::array();
        for (const json& job : jobs) {
            json result = what;
            result["id"] = job["id"];
            result["revision"] = job["revision"];
            results.push_back(result);
        }
        return results;
    }

    [[nodiscard]] json finish(const json& results) const {
        return say("finish", {{"worker", "w-1"}, {"results", results}});
    }
};

TEST_F(WorkTest, Jobs_of_several_topics_come_at_once_as_the_command_line_prints_them) {
    add_external(2);
    add_external(1, "mail");
    const json jobs = acquire(10, {"mail", "invoice"});
    ASSERT_EQ(jobs.size(), 3U);
    EXPECT_EQ(jobs[0]["place"], "external");
    EXPECT_EQ(jobs[1]["payload"]["n"], 1);
    EXPECT_EQ(jobs[2]["handlerType"], "mail");
    EXPECT_EQ(jobs[2]["lockOwner"], "w-1");
    EXPECT_EQ(jobs[2]["revision"], 2);
}

TEST_F(WorkTest, A_worker_gets_the_jobs_of_its_user_or_groups_and_all_if_it_names_nobody) {
    const json users{"kermit"};
    const json groups{"bears", "pigs"};
    for (const json& job :
         {json{{"id", "a"}, {"candidateUsers", users}},
          json{{"id", "b"}, {"candidateGroups", groups}},
          json{{"id", "c"}}}) {
        json whole = job;
        whole["handlerType"] = "invoice";
        whole["external"] = true;
        ASSERT_EQ(ask(post("/api/v1/jobs", whole.dump())).status, 201);
    }
    const auto acquire_for = [this](const json& candidate) {
        json order = candidate;
        order["worker"] = "w-1";
        order["topics"] = json{"invoice"};
        order["jobs"] = 9;
        std::vector<std::string> ids;
        const json taken = say("acquire", order)["items"];
        for (const json& job : taken) {
            ids.push_back(job["id"]);
        }
        (void)ask(post("/external-job-api/unacquire/jobs", R"({"workerId":"w-1"})"));
        return ids;
    };
    using testing::ElementsAre;
    EXPECT_THAT(acquire_for({{"userId", "gonzo"}}), testing::IsEmpty());
    EXPECT_THAT(acquire_for({{"userId", "kermit"}}), ElementsAre("a"));
    EXPECT_THAT(acquire_for({{"groups", {"cooks", "pigs"}}}), ElementsAre("b"));
    EXPECT_THAT(acquire_for({{"userId", "kermit"}, {"groups", {"bears"}}}), ElementsAre("a", "b"));
    EXPECT_THAT(acquire_for({{"userId", nullptr}}), ElementsAre("a", "b", "c"));
}

// RFC 7240.
TEST_F(WorkTest, A_worker_that_prefers_little_is_spared_what_it_knows) {
    add_external(2);
    const std::string order = R"({"worker":"w-1","topics":["invoice"],"jobs":1})";
    const auto all = ask(post("/api/v1/external-jobs/acquire", order));
    const auto some =
        ask(post("/api/v1/external-jobs/acquire", order, "Prefer: Return=Minimal\r\n"));
    EXPECT_THAT(some.head, HasSubstr("\r\nPreference-Applied: return=minimal\r\n"));
    EXPECT_THAT(all.head, testing::Not(HasSubstr("Preference-Applied")));
    const json whole = json::parse(all.body)["items"][0];
    const json lean = json::parse(some.body)["items"][0];
    EXPECT_EQ(lean["payload"]["n"], 1);
    std::vector<std::string> told;
    for (const auto& [name, value] : lean.items()) {
        told.push_back(name);
    }
    EXPECT_THAT(
        told,
        UnorderedElementsAre("id", "handlerType", "payload", "retries", "createTime", "revision")
    );
    EXPECT_EQ(whole["correlationId"], whole["id"]);
}

TEST_F(WorkTest, A_worker_that_prefers_little_is_told_what_differs) {
    const json new_job{
        {"handlerType", "invoice"},
        {"external", true},
        {"correlationId", "c-1"},
        {"priority", 7},
        {"tenantId", "acme"}};
    ASSERT_EQ(ask(post("/api/v1/jobs", new_job.dump())).status, 201);
    const std::string order = R"({"worker":"w-1","topics":["invoice"],"jobs":1})";
    const auto answer =
        ask(post("/api/v1/external-jobs/acquire", order, "Prefer: return=minimal\r\n"));
    const json job = json::parse(answer.body)["items"][0];
    EXPECT_EQ(job["correlationId"], "c-1");
    EXPECT_EQ(job["priority"], 7);
    EXPECT_EQ(job["tenantId"], "acme");
}

TEST_F(WorkTest, Thousands_come_and_are_finished_in_one_request) {
    add_external(10'000);
    const json jobs = acquire(10'000);
    EXPECT_EQ(jobs.size(), 10'000U);
    const json answer = finish(results_for(jobs, json::object()));
    EXPECT_EQ(answer["done"], 10'000);
    EXPECT_EQ(answer["refused"].size(), 0U);
    EXPECT_EQ(look("/api/v1/stats")["places"]["external"], 0);
}

TEST_F(WorkTest, Of_those_that_are_refused_it_is_said_why) {
    add_external(2);
    json results = results_for(acquire(2), json::object());
    results[0]["revision"] = 1;
    results.push_back({{"id", "none"}});
    const json answer = finish(results);
    EXPECT_EQ(answer["done"], 1);
    EXPECT_EQ(answer["refused"][0]["id"], results[0]["id"]);
    EXPECT_EQ(answer["refused"][0]["answer"], "not held");
    EXPECT_EQ(answer["refused"][1]["answer"], "not found");
}

TEST_F(WorkTest, A_report_may_mix_what_is_done_has_failed_and_is_handed_on) {
    add_external(4);
    const json jobs = acquire(4);
    const json whats = json::parse(R"([
        {},
        {"outcome": "complete", "variables": {"total": 17}},
        {"outcome": "error", "errorCode": "E1", "message": "no"},
        {"outcome": "fail", "message": "no ink", "details": "tray", "retries": 7, "retryAfter": "PT1H"}
    ])");
    json results = json::array();
    for (std::size_t i = 0; i < 4; ++i) {
        results.push_back(results_for(json::array({jobs[i]}), whats[i])[0]);
    }
    EXPECT_EQ(finish(results)["done"], 4);
    const json places = look("/api/v1/stats")["places"];
    EXPECT_EQ(places["executable"], 2);
    const json told = look("/api/v1/jobs/" + jobs[1]["id"].get<std::string>())["payload"];
    EXPECT_EQ(told["variables"]["total"], 17);
    const json error = look("/api/v1/jobs/" + jobs[2]["id"].get<std::string>())["payload"];
    EXPECT_EQ(error["errorCode"], "E1");
    EXPECT_EQ(error["errorMessage"], "no");
    const json failed = look("/api/v1/jobs/" + jobs[3]["id"].get<std::string>());
    EXPECT_EQ(failed["place"], "timer");
    EXPECT_EQ(failed["retries"], 7);
    EXPECT_EQ(failed["exceptionDetails"], "tray");
}

TEST_F(WorkTest, Locks_are_prolonged_and_jobs_are_given_back) {
    add_external(2);
    const json jobs = results_for(acquire(2), json::object());
    const json first = acquire(1);
    EXPECT_EQ(first.size(), 0U);
    const json extended =
        say("extend", {{"worker", "w-1"}, {"jobs", jobs}, {"lockDuration", "PT1H"}});
    EXPECT_EQ(extended["done"], 2);
    EXPECT_EQ(say("release", {{"worker", "w-2"}, {"jobs", jobs}})["refused"].size(), 2U);
    EXPECT_EQ(say("release", {{"worker", "w-1"}, {"jobs", jobs}})["done"], 2);
    EXPECT_EQ(acquire(9).size(), 2U);
}

TEST_F(WorkTest, A_worker_may_ask_what_it_holds_still) {
    add_external(3);
    const json jobs = results_for(acquire(3), json::object());
    const json question = {{"worker", "w-1"}, {"jobs", jobs}};
    EXPECT_EQ(say("held", question)["done"], 3);
    EXPECT_EQ(say("held", {{"worker", "w-2"}, {"jobs", jobs}})["refused"].size(), 3U);
    EXPECT_EQ(say("release", {{"worker", "w-1"}, {"jobs", {jobs[0], jobs[1]}}})["done"], 2);
    (void)acquire(1);
    (void)finish(json::array({jobs[2]}));
    const json answer = say("held", question);
    EXPECT_EQ(answer["done"], 0);
    ASSERT_EQ(answer["refused"].size(), 3U);
    EXPECT_EQ(answer["refused"][0]["answer"], "not held") << "it was taken anew";
    EXPECT_EQ(answer["refused"][1]["answer"], "not held");
    EXPECT_EQ(answer["refused"][2]["answer"], "not found");
}

TEST_F(WorkTest, A_mistake_in_one_result_is_its_own_and_the_others_count) {
    add_external(4);
    const json jobs = acquire(4);
    json results = results_for(jobs, json::object());
    results[1]["outcome"] = "done";
    results[2]["variables"] = json::array({1});
    results.push_back(17);
    const json answer = finish(results);
    EXPECT_EQ(answer["done"], 2);
    const json expected{
        {{"id", jobs[1]["id"]},
         {"answer", "refused"},
         {"why", "result 2: outcome must be complete, fail or error"}},
        {{"id", jobs[2]["id"]},
         {"answer", "refused"},
         {"why", "result 3: variables must be an object"}},
        {{"id", ""}, {"answer", "refused"}, {"why", "result 5: the body must be a JSON object"}}};
    EXPECT_EQ(answer["refused"], expected);
    EXPECT_EQ(look("/api/v1/stats")["places"]["external"], 2);
    EXPECT_EQ(look("/api/v1/jobs/" + jobs[1]["id"].get<std::string>())["lockOwner"], "w-1");
}

TEST_F(WorkTest, A_request_without_a_good_result_is_refused_with_the_first_mistake) {
    const auto response =
        ask(post("/api/v1/external-jobs/finish", R"({"worker":"w","results":[{"id":"a","x":1},7]})")
        );
    EXPECT_EQ(response.status, 400);
    EXPECT_THAT(response.body, HasSubstr("result 1: there is no x"));
}

TEST_F(WorkTest, What_cannot_be_meant_so_is_refused) {
    for (const char* const body :
         {R"({"worker":"w"})",
          R"({"worker":"w","results":[]})",
          R"({"worker":"w","results":{}})",
          R"({"worker":"w","results":[17]})",
          R"({"worker":"w","results":[{"id":"a","x":1}]})",
          R"({"worker":"w","results":[{"id":"a","outcome":"fail","variables":{}}]})",
          R"({"worker":"w","results":[{"id":"a","variables":[1]}]})",
          R"({"results":[{"id":"a"}]})"}) {
        EXPECT_EQ(ask(post("/api/v1/external-jobs/finish", body)).status, 400) << body;
    }
    for (const char* const body :
         {R"({"worker":"w"})",
          R"({"worker":"w","topics":[]})",
          R"({"worker":"w","topics":["a"],"jobs":0})",
          R"({"worker":"w","topics":["a"],"topic":"a"})",
          R"({"worker":"w","topics":["a"],"groups":"bears"})",
          R"({"worker":"w","topics":["a"],"groups":[]})",
          R"({"worker":"w","topics":["a"],"groups":[""]})",
          R"({"worker":"w","topics":["a"],"userId":"","groups":[]})",
          R"({"worker":"w","topics":["a"],"userId":17})"}) {
        EXPECT_EQ(ask(post("/api/v1/external-jobs/acquire", body)).status, 400) << body;
    }
    EXPECT_EQ(
        ask(post("/api/v1/external-jobs/extend", R"({"worker":"w","jobs":[{"id":"a"}]})")).status,
        400
    );
}

TEST_F(WorkTest, What_a_worker_tells_of_a_job_is_shown_with_it_while_it_holds_it) {
    engine.start();
    add_external(2);
    const json jobs = results_for(acquire(2), json::object());
    json told = jobs;
    told[0].update({{"progress", 0.4}, {"note", "page 4"}, {"lines", {"one", "two"}}});
    told.push_back({{"id", "none"}, {"progress", 1}});
    told.push_back({{"id", jobs[1]["id"]}, {"revision", 1}, {"progress", 1}});
    const json answer = say("progress", {{"worker", "w-1"}, {"jobs", told}});
    EXPECT_EQ(answer["done"], 2);
    EXPECT_EQ(answer["refused"][0], json({{"id", "none"}, {"answer", "not found"}}));
    EXPECT_EQ(answer["refused"][1]["answer"], "not held");
    const std::string path = "/api/v1/jobs/" + jobs[0]["id"].get<std::string>();
    EXPECT_TRUE(test::eventually([&] { return look(path).contains("news"); }));
    const json news = look(path)["news"];
    EXPECT_EQ(news["progress"], 0.4);
    EXPECT_EQ(news["note"], "page 4");
    EXPECT_EQ(news["lines"], json({"one", "two"}));
    EXPECT_FALSE(look("/api/v1/jobs/" + jobs[1]["id"].get<std::string>()).contains("news"));
    (void)say("release", {{"worker", "w-1"}, {"jobs", jobs}});
    EXPECT_FALSE(look(path).contains("news")) << "nobody runs it";
    json again = results_for(acquire(1), json::object());
    EXPECT_FALSE(look(path).contains("news")) << "it is another run";
    EXPECT_EQ(finish(again)["done"], 1);
    EXPECT_TRUE(test::eventually([&] { return engine.run_news_store().run_news({}, 9).empty(); }));
}

TEST_F(WorkTest, What_a_job_that_is_done_told_last_stays) {
    engine.start();
    add_external(1);
    json jobs = results_for(acquire(1), json::object());
    json told = jobs;
    told[0]["note"] = "sent";
    (void)say("progress", {{"worker", "w-1"}, {"jobs", told}});
    EXPECT_EQ(finish(jobs)["done"], 1);
    const std::string path = "/api/v1/jobs/" + jobs[0]["id"].get<std::string>();
    EXPECT_TRUE(test::eventually([&] { return ask(test::get(path)).status == 200; }));
    EXPECT_EQ(look(path)["message"], "sent");
}

TEST_F(WorkTest, News_that_cannot_be_meant_so_are_refused) {
    const auto refusal = [this](const json& more) {
        json job{{"id", "a"}};
        job.update(more);
        const json body{{"worker", "w-1"}, {"jobs", {job}}};
        const auto response = ask(post("/api/v1/external-jobs/progress", body.dump()));
        EXPECT_EQ(response.status, 400) << body;
        return response.body;
    };
    EXPECT_THAT(refusal({{"progress", 1.1}}), HasSubstr("job 1: progress must be a number from 0"));
    EXPECT_THAT(refusal({{"progress", -0.1}}), HasSubstr("progress must be"));
    EXPECT_THAT(refusal({{"progress", "much"}}), HasSubstr("progress must be"));
    EXPECT_THAT(refusal({{"note", 1}}), HasSubstr("note must be"));
    EXPECT_THAT(refusal({{"lines", "one"}}), HasSubstr("lines must be a list of at most 100"));
    EXPECT_THAT(refusal({{"lines", json::array({1})}}), HasSubstr("lines must be"));
    EXPECT_THAT(refusal({{"lines", json(101, "x")}}), HasSubstr("lines must be"));
    EXPECT_THAT(refusal({{"percent", 7}}), HasSubstr("there is no percent"));
    const auto huge = ask(post(
        "/api/v1/external-jobs/progress", R"({"worker":"w","jobs":[{"id":"a","progress":1e999}]})"
    ));
    EXPECT_EQ(huge.status, 400);
}

/// The same service under acquireByPriority.
class WorkByPriority : public testing::Test {
protected:
    WorkByPriority() {
        settings_.http.listen = "127.0.0.1:0";
        http_.emplace(parts_, false);
        http_->start();
        for (const int priority : {0, 7, 3}) {
            const json job{{"handlerType", "invoice"}, {"external", true}, {"priority", priority}};
            EXPECT_EQ(ask("/api/v1/jobs", job).status, 201);
        }
    }

    [[nodiscard]] RawResponse ask(const std::string& path, const json& body) const {
        return RawClient(http_->port()).ask(post(path, body.dump()));
    }

    const test::TemporaryDirectory directory_;
    schema::SystemClock clock_;
    schema::SilentLog log_;
    cli::Settings settings_;
    engine::Wiring engine_{
        {.database_url = "sqlite:" + (directory_.path() / "jobs.db").string() + "?synchronous=off",
         .executor = {.order = {.by_priority = true}}},
        clock_,
        log_};
    const service::ApiParts parts_{.engine = engine_, .settings = settings_, .log = log_};
    std::optional<service::HttpService> http_;
};

TEST_F(WorkByPriority, The_highest_come_first_on_our_path_and_on_flowables) {
    const json ours{{"worker", "w-1"}, {"topics", {"invoice"}}};
    const json first = json::parse(ask("/api/v1/external-jobs/acquire", ours).body);
    EXPECT_EQ(first["items"][0]["priority"], 7);
    const json flowable{
        {"workerId", "w-2"}, {"topic", "invoice"}, {"lockDuration", "PT5M"}, {"numberOfTasks", 1}};
    const auto second = ask("/external-job-api/acquire/jobs", flowable);
    ASSERT_EQ(second.status, 200) << second.body;
    const json jobs = json::parse(second.body);
    ASSERT_EQ(jobs.size(), 1U);
    const auto found = engine_.store().find(jobs[0]["id"].get<std::string>());
    ASSERT_TRUE(found);
    EXPECT_EQ(found->job.priority, 3);
}

/// Workers that wait for jobs.
class WorkWaitsTest : public ApiTest {
protected:
    [[nodiscard]] static std::string
    waiting_for(const std::string& topic, const std::string& wait = "PT50S") {
        const json order{{"worker", "w"}, {"topics", {topic}}, {"wait", wait}};
        return post("/api/v1/external-jobs/acquire", order.dump());
    }

    void add_external(const std::string& topic) const {
        (void)add(fmt::format(R"({{"handlerType":"{}","external":true}})", topic));
    }

    [[nodiscard]] std::uint64_t acquired() { return engine.workers().counts().acquired; }

    /// The items of an answer that must be 200.
    [[nodiscard]] static json items_of(const RawResponse& response) {
        EXPECT_EQ(response.status, 200) << response.body;
        return json::parse(response.body)["items"];
    }
};

TEST_F(WorkWaitsTest, Who_waits_gets_a_job_that_is_there_at_once) {
    add_external("a");
    EXPECT_EQ(items_of(ask(waiting_for("a"))).size(), 1U);
}

TEST_F(WorkWaitsTest, Who_waits_gets_a_job_as_soon_as_it_is_enqueued_here) {
    RawClient waiting(http->port());
    ASSERT_TRUE(waiting.send(waiting_for("a")));
    add_external("b");
    add_external("a");
    const json items = items_of(waiting.receive());
    ASSERT_EQ(items.size(), 1U);
    EXPECT_EQ(items[0]["handlerType"], "a");
}

TEST_F(WorkWaitsTest, Who_waits_gets_a_job_that_another_worker_gave_back) {
    add_external("a");
    (void)items_of(ask(waiting_for("a")));
    RawClient waiting(http->port());
    ASSERT_TRUE(waiting.send(waiting_for("a")));
    EXPECT_EQ(ask(post("/external-job-api/unacquire/jobs", R"({"workerId":"w"})")).status, 204);
    EXPECT_EQ(items_of(waiting.receive()).size(), 1U);
}

TEST_F(WorkWaitsTest, Who_waits_gets_a_job_that_somebody_else_inserted) {
    RawClient waiting(http->port());
    ASSERT_TRUE(waiting.send(waiting_for("a")));
    engine.in_transaction([](persistence::Transaction& transaction) {
        transaction.execute(
            "INSERT INTO ACT_RU_EXTERNAL_JOB (ID_, TYPE_, HANDLER_TYPE_) "
            "VALUES ('x', 'externalWorker', 'a')",
            {}
        );
    });
    EXPECT_EQ(items_of(waiting.receive()).size(), 1U);
}

// A worker that is killed closes its connection, and nothing else.
TEST_F(WorkWaitsTest, A_job_that_its_worker_is_not_there_to_get_is_free_at_once) {
    auto gone = std::make_unique<RawClient>(http->port());
    ASSERT_TRUE(gone->send(waiting_for("a")));
    gone.reset();
    add_external("a");
    ASSERT_TRUE(test::eventually([&] { return acquired() == 1; }));
    EXPECT_EQ(items_of(ask(waiting_for("a"))).size(), 1U);
}

TEST_F(WorkWaitsTest, Who_has_waited_long_enough_gets_nothing) {
    EXPECT_EQ(items_of(ask(waiting_for("a", "PT0.01S"))).size(), 0U);
}

// Who looks in vain spares those who want the same the look, and nobody else.
TEST_F(WorkWaitsTest, Who_waits_for_a_users_jobs_keeps_nobody_from_those_of_others) {
    RawClient of_user(http->port());
    const json order{{"worker", "w"}, {"topics", {"a"}}, {"wait", "PT50S"}, {"userId", "gonzo"}};
    ASSERT_TRUE(of_user.send(post("/api/v1/external-jobs/acquire", order.dump())));
    RawClient waiting(http->port());
    ASSERT_TRUE(waiting.send(waiting_for("a")));
    add_external("a");
    EXPECT_EQ(items_of(waiting.receive()).size(), 1U);
    (void)add(R"({"handlerType":"a","external":true,"candidateUsers":["gonzo"]})");
    EXPECT_EQ(items_of(of_user.receive()).size(), 1U);
}

TEST_F(WorkWaitsTest, Each_of_many_who_wait_gets_a_job_of_its_own) {
    std::vector<std::unique_ptr<RawClient>> clients;
    for (int i = 0; i < 20; ++i) {
        clients.push_back(std::make_unique<RawClient>(http->port()));
        ASSERT_TRUE(clients.back()->send(waiting_for("a")));
    }
    for (int i = 0; i < 20; ++i) {
        add_external("a");
    }
    for (const auto& client : clients) {
        EXPECT_EQ(items_of(client->receive()).size(), 1U);
    }
    EXPECT_EQ(acquired(), 20U);
}

TEST_F(WorkWaitsTest, Nobody_waits_for_a_service_that_stops) {
    RawClient waiting(http->port());
    ASSERT_TRUE(waiting.send(waiting_for("a")));
    http->say_stopping();
    EXPECT_EQ(items_of(waiting.receive()).size(), 0U);
    EXPECT_EQ(items_of(ask(waiting_for("a"))).size(), 0U);
}

TEST_F(WorkWaitsTest, A_wish_that_cannot_be_meant_so_is_answered_without_a_wait) {
    const std::string order =
        R"({"worker":"w","topics":["a"],"wait":"PT50S","lockDuration":"P31D"})";
    EXPECT_EQ(ask(post("/api/v1/external-jobs/acquire", order)).status, 400);
}

class CallBackTest : public ApiTest {
protected:
    /// A job that another node runs; its fencing token is in token.
    std::string a_running_job(std::string_view type = "http") {
        const std::string id =
            add(fmt::format(R"({{"id":"order 17","handlerType":"{}","retries":3}})", type));
        const schema::TimePoint now = engine.clock().now();
        const auto acquired = engine.executor_store().acquire_one(
            id, {.owner = "other-node", .until = now + 1min}, now
        );
        EXPECT_EQ(acquired.answer, persistence::JobAnswer::done);
        token = acquired.job.revision;
        return id;
    }

    [[nodiscard]] RawResponse tell(std::string_view body, std::int64_t the_token) const {
        return tell(body, fmt::format("jobstrand-fencing-token: {}\r\n", the_token));
    }

    [[nodiscard]] RawResponse tell(std::string_view body, const std::string& headers) const {
        return ask(post("/api/v1/jobs/order%2017/outcome", body, headers));
    }

    std::int64_t token = 0;
};

TEST_F(CallBackTest, An_app_tells_that_a_job_is_done) {
    const std::string id = a_running_job();
    EXPECT_EQ(tell(R"({"outcome":"done"})", token).status, 204);
    EXPECT_FALSE(engine.store().find(id));
    EXPECT_EQ(tell(R"({"outcome":"done"})", token).status, 404);
}

TEST_F(CallBackTest, An_app_tells_of_a_failure) {
    const std::string id = a_running_job();
    const RawResponse response = tell(
        R"({"outcome":"failed","message":"no paper","details":"tray 2","retryAfter":"PT1H"})", token
    );
    EXPECT_EQ(response.status, 204) << response.body;
    const auto job = look("/api/v1/jobs/order%2017");
    EXPECT_EQ(job["place"], "timer");
    EXPECT_EQ(job["retries"], 2);
    EXPECT_EQ(job["exceptionMessage"], "no paper");
    EXPECT_EQ(job["exceptionDetails"], "tray 2");
    const auto due = engine.store().find(id)->job.due_date.value_or(schema::TimePoint{});
    EXPECT_GT(due, engine.clock().now() + 50min);
}

TEST_F(CallBackTest, A_failure_that_is_not_retryable_is_final) {
    const std::string id = a_running_job();
    EXPECT_EQ(tell(R"({"outcome":"failed","retryable":false})", token).status, 204);
    EXPECT_EQ(engine.store().find(id)->place, JobPlace::dead_letter);
}

TEST_F(CallBackTest, Only_jobs_that_call_apps_are_ended_so) {
    const std::string id = a_running_job("command");
    const RawResponse response = tell(R"({"outcome":"done"})", token);
    EXPECT_EQ(response.status, 409);
    EXPECT_THAT(response.body, HasSubstr("no http job"));
    EXPECT_EQ(engine.store().find(id)->job.lock_owner, "other-node") << "nothing has changed";
}

TEST_F(CallBackTest, Who_is_too_late_is_told_why) {
    const std::string id = a_running_job();
    const RawResponse stale = tell(R"({"outcome":"done"})", token - 1);
    EXPECT_EQ(stale.status, 409);
    EXPECT_THAT(stale.body, HasSubstr("another attempt"));
    EXPECT_EQ(engine.store().find(id)->job.lock_owner, "other-node") << "nothing has changed";

    const persistence::Fence fence{.id = id, .revision = static_cast<int>(token)};
    engine.executor_store().release("other-node", std::span(&fence, 1));
    const RawResponse given_back = tell(R"({"outcome":"done"})", token);
    EXPECT_EQ(given_back.status, 409);
    EXPECT_THAT(given_back.body, HasSubstr("not under way"));
}

TEST_F(CallBackTest, What_cannot_be_meant_so_is_refused_and_changes_nothing) {
    const std::string id = a_running_job();
    const std::string bodies[] = {
        "",
        "[]",
        "{}",
        R"({"outcome":"maybe"})",
        R"({"outcome":"done","message":"x"})",
        R"({"outcome":"failed","retryable":"no"})",
        R"({"outcome":"failed","retryAfter":"soon"})",
        R"({"outcome":"failed","massage":"x"})",
    };
    for (const std::string& body : bodies) {
        EXPECT_EQ(tell(body, token).status, 400) << body;
    }
    const std::string done = R"({"outcome":"done"})";
    for (const char* value : {"", "x", "5x", "-", "99999999999999999999"}) {
        const RawResponse refused =
            tell(done, fmt::format("jobstrand-fencing-token: {}\r\n", value));
        EXPECT_EQ(refused.status, 400) << value;
        EXPECT_THAT(refused.body, HasSubstr("jobstrand-fencing-token")) << value;
    }
    EXPECT_EQ(tell(done, std::string()).status, 400);
    EXPECT_EQ(engine.store().find(id)->job.revision, token);
}

}  // namespace

}  // namespace jobstrand
