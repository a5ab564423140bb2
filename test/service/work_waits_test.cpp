#include "persistence/sql/sql_transaction.hpp"
#include "test/fixtures/signal.hpp"
#include "test/service/api_fixture.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <thread>
#include <vector>

namespace jobstrand {
namespace {

using nlohmann::json;
using test::ApiTest;
using test::post;
using test::RawClient;

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
    [[nodiscard]] static json items_of(const test::RawResponse& response) {
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

}  // namespace
}  // namespace jobstrand
