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
using test::ApiTest;
using test::post;
using test::RawClient;
using test::RawResponse;
using namespace std::chrono_literals;

/// Workers that take and finish many jobs in one request.
class WorkTest : public ApiTest {
protected:
    void add_external(std::size_t count) const {
        const json jobs(count, json{{"handlerType", "invoice"}, {"external", true}});
        EXPECT_EQ(ask(post("/api/v1/jobs", jobs.dump())).status, 201);
    }

    /// The body of an answer that must be 200.
    [[nodiscard]] json say(const std::string& verb, const json& body) const {
        const auto response = ask(post("/api/v1/external-jobs/" + verb, body.dump()));
        EXPECT_EQ(response.status, 200) << response.body;
        return json::parse(response.body);
    }

    /// Jobs that are held now, each with its id and revision only.
    [[nodiscard]] json acquire(int jobs) const {
        json held = json::array();
        const json answer =
            say("acquire", {{"worker", "w-1"}, {"topics", {"invoice"}}, {"jobs", jobs}});
        for (const json& job : answer["items"]) {
            held.push_back({{"id", job["id"]}, {"revision", job["revision"]}});
        }
        return held;
    }

    [[nodiscard]] json finish(const json& results) const {
        return say("finish", {{"worker", "w-1"}, {"results", results}});
    }
};

TEST_F(WorkTest, Thousands_come_and_are_finished_in_one_request) {
    add_external(10'000);
    const json jobs = acquire(10'000);
    EXPECT_EQ(jobs.size(), 10'000U);
    const json answer = finish(jobs);
    EXPECT_EQ(answer["done"], 10'000);
    EXPECT_EQ(answer["refused"].size(), 0U);
    EXPECT_EQ(look("/api/v1/stats")["places"]["external"], 0);
}

TEST_F(WorkTest, What_a_worker_tells_of_a_job_is_shown_with_it_while_it_holds_it) {
    engine.start();
    add_external(2);
    const json jobs = acquire(2);
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
    json again = acquire(1);
    EXPECT_FALSE(look(path).contains("news")) << "it is another run";
    EXPECT_EQ(finish(again)["done"], 1);
    EXPECT_TRUE(test::eventually([&] { return engine.run_news_store().run_news({}, 9).empty(); }));
}

TEST_F(WorkTest, What_a_job_that_is_done_told_last_stays) {
    engine.start();
    add_external(1);
    json jobs = acquire(1);
    json told = jobs;
    told[0]["note"] = "sent";
    (void)say("progress", {{"worker", "w-1"}, {"jobs", told}});
    EXPECT_EQ(finish(jobs)["done"], 1);
    const std::string path = "/api/v1/jobs/" + jobs[0]["id"].get<std::string>();
    EXPECT_TRUE(test::eventually([&] { return ask(test::get(path)).status == 200; }));
    EXPECT_EQ(look(path)["message"], "sent");
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

}  // namespace

}  // namespace jobstrand
