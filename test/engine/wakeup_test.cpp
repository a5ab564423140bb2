#include "persistence/drivers/postgresql/postgresql_database.hpp"
#include "persistence/sql/db_error.hpp"
#include "test/fixtures/database_servers.hpp"
#include "test/fixtures/recording_log.hpp"
#include "test/fixtures/server_database.hpp"
#include "test/fixtures/signal.hpp"
#include "tools/engine/wiring.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <optional>

namespace jobstrand::test {

namespace {

using namespace std::chrono_literals;

/// An engine that polls once an hour: what it runs, it was told of.
class WakeupTest : public testing::Test {
protected:
    void SetUp() override {
        if (const auto missing = PostgresqlServer::what_is_missing()) {
            GTEST_SKIP() << *missing;
        }
        database_.emplace(shared_postgresql_server().url());
        engine_.emplace(
            engine::WiringOptions{
                .database_url = url_text(database_->url()),
                .executor = {.acquire_first_wait = 1h, .acquire_wait = 1h, .timer_wait = 1h}},
            clock_,
            log_
        );
        engine_->handlers().add("count", [this](const executor::JobContext&) {
            ++runs_;
            return executor::Succeeded{};
        });
    }

    /// Starts, and waits until nothing but an announcement can bring work.
    void start_and_settle() {
        engine_->start();
        EXPECT_TRUE(eventually([&] { return other_sees_a_listener(); }));
        execute("INSERT INTO ACT_RU_JOB (ID_, HANDLER_TYPE_) VALUES ('first', 'count')");
        EXPECT_TRUE(eventually([&] {
            execute("NOTIFY jobstrand");
            return runs_ == 1;
        }));
        runs_ = 0;
    }

    [[nodiscard]] bool other_sees_a_listener() const {
        bool found = false;
        persistence::open_postgresql(database_->url())
            ->query(
                {.sql = "SELECT 1 FROM pg_stat_activity WHERE query = 'LISTEN jobstrand' "
                        "AND datname = current_database()",
                 .columns = 1},
                {},
                [&](const persistence::Row&) { found = true; }
            );
        return found;
    }

    /// Another process's statement.
    void execute(std::string_view sql) const {
        persistence::open_postgresql(database_->url())->run_script(sql);
    }

    schema::SystemClock clock_;
    RecordingLog log_;
    std::atomic<int> runs_ = 0;
    std::optional<ServerDatabase> database_;
    std::optional<engine::Wiring> engine_;
};

TEST_F(WakeupTest, A_job_of_another_process_runs_without_a_poll) {
    start_and_settle();
    engine::Wiring producer({.database_url = url_text(database_->url())}, clock_, log_);
    producer.enqueue({.handler_type = "count"});
    EXPECT_TRUE(eventually([&] { return runs_ == 1; }));
}

TEST_F(WakeupTest, A_timer_of_another_process_fires_at_its_time_without_a_poll) {
    start_and_settle();
    engine::Wiring producer({.database_url = url_text(database_->url())}, clock_, log_);
    producer.enqueue({.due_date = producer.clock().now() + 200ms, .handler_type = "count"});
    EXPECT_TRUE(eventually([&] { return runs_ == 1; }));
}

TEST_F(WakeupTest, A_plain_sql_producer_may_announce_its_jobs_itself) {
    start_and_settle();
    execute(
        "INSERT INTO ACT_RU_JOB (ID_, HANDLER_TYPE_) VALUES ('plain', 'count');"
        "NOTIFY jobstrand"
    );
    EXPECT_TRUE(eventually([&] { return runs_ == 1; }));
}

TEST_F(WakeupTest, A_listener_that_has_lost_its_connection_comes_back_and_looks_what_it_missed) {
    start_and_settle();
    execute("INSERT INTO ACT_RU_JOB (ID_, HANDLER_TYPE_) VALUES ('missed', 'count')");
    execute(
        "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity "
        "WHERE query = 'LISTEN jobstrand' AND datname = current_database()"
    );
    EXPECT_TRUE(eventually([&] { return runs_ == 1; }));
    EXPECT_TRUE(other_sees_a_listener());
}

TEST_F(WakeupTest, Whoever_knows_of_jobs_can_wake_the_engine_by_hand) {
    start_and_settle();
    execute("INSERT INTO ACT_RU_JOB (ID_, HANDLER_TYPE_) VALUES ('silent', 'count')");
    engine_->wake();
    EXPECT_TRUE(eventually([&] { return runs_ == 1; }));
}

TEST_F(WakeupTest, The_engine_stops_while_it_listens) {
    start_and_settle();
    EXPECT_TRUE(engine_->stop(executor::StopMode::drain));
    engine_.reset();
    EXPECT_TRUE(eventually([&] { return !other_sees_a_listener(); }));
}

}  // namespace

}  // namespace jobstrand::test
