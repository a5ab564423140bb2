#include "persistence/sql/connection.hpp"
#include "test/cluster/cluster_fixture.hpp"
#include "test/fixtures/database_servers.hpp"
#include "test/fixtures/recording_log.hpp"
#include "test/fixtures/server_database.hpp"
#include "test/fixtures/signal.hpp"
#include "tools/engine/wiring.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace jobstrand::test {

namespace {

using executor::HandlerResult;
using executor::JobContext;
using executor::Succeeded;
using schema::JobPlace;
using namespace std::chrono_literals;

/// A database server of a test's own with an empty database for jobs.
class Server final {
public:
    /// `deadlocks` says in its last column how many there were.
    Server(std::unique_ptr<DatabaseServer> server, persistence::Query deadlocks)
        : server_(std::move(server)), deadlocks_(deadlocks) {
        open_connection(server_->url())->run_script("CREATE DATABASE jobs");
    }

    /// The database for jobs, with the password.
    [[nodiscard]] std::string url() const {
        persistence::DatabaseUrl url = server_->url();
        url.database = "jobs";
        return url_text(url);
    }

    /// SIGKILL.
    void kill() { server_->kill(); }

    /// Starts again on the same directory and port, and waits until it answers.
    void start() { server_->start(); }

    /// The deadlocks that the server has found since it started.
    [[nodiscard]] std::int64_t deadlocks() const {
        std::int64_t count = -1;
        open_connection(server_->url())->query(deadlocks_, {}, [&](const persistence::Row& row) {
            count = row.integer(deadlocks_.columns - 1);
        });
        return count;
    }

private:
    const std::unique_ptr<DatabaseServer> server_;
    const persistence::Query deadlocks_;
};

/// One kind of server that the cases run on.
struct ServerUnderTest {
    std::string name;
    std::function<std::unique_ptr<Server>()> start;

    /// What this machine lacks for it; the cases are then skipped.
    std::optional<std::string> missing = {};
};

/// Shown by GoogleTest behind the name of a case.
std::ostream& operator<<(std::ostream& out, const ServerUnderTest& server) {
    return out << server.name;
}

/// With the settings that it comes with, but for those of the fixture and one.
std::unique_ptr<Server> start_mariadb() {
    const std::vector<std::string> as_from_11_6_on{"--loose-innodb-snapshot-isolation=ON"};
    return std::make_unique<Server>(
        std::make_unique<MariaDbServer>(as_from_11_6_on),
        persistence::Query{.sql = "SHOW GLOBAL STATUS LIKE 'Innodb_deadlocks'", .columns = 2}
    );
}

std::unique_ptr<Server> start_postgresql() {
    return std::make_unique<Server>(
        std::make_unique<PostgresqlServer>(),
        persistence::Query{
            .sql = "SELECT deadlocks FROM pg_stat_database WHERE datname = 'jobs'", .columns = 1}
    );
}

/// MariaDB and PostgreSQL.
std::vector<ServerUnderTest> servers_under_test() {
    return {
        {.name = "mariadb", .start = start_mariadb, .missing = MariaDbServer::what_is_missing()},
        {.name = "postgresql",
         .start = start_postgresql,
         .missing = PostgresqlServer::what_is_missing()}};
}

#define ON_EVERY_SERVER(Suite)                   \
    INSTANTIATE_TEST_SUITE_P(                    \
        OnEveryServer,                           \
        Suite,                                   \
        testing::ValuesIn(servers_under_test()), \
        testing::PrintToStringParamName()        \
    )

/// Nodes, each a process, on one server.
class NodesOnAServer : public testing::TestWithParam<ServerUnderTest> {
protected:
    void SetUp() override {
        if (const auto& missing = GetParam().missing) {
            GTEST_SKIP() << *missing;
        }
        server = GetParam().start();
        database = std::make_unique<JobDatabase>(server->url());
    }

    void start_four_nodes(std::chrono::milliseconds work) {
        for (int i = 0; i < 4; ++i) {
            cluster.start_node(server->url(), work);
        }
    }

    [[nodiscard]] bool all_jobs_end() const {
        return eventually([&] { return database->count_all() == 0; }, 120s);
    }

    std::unique_ptr<Server> server;
    std::unique_ptr<JobDatabase> database;
    Cluster cluster;
};

/// Four of them, and many jobs.
class Drain : public NodesOnAServer {
protected:
    const std::size_t jobs = jobs_to_drain(20'000);
};

ON_EVERY_SERVER(Drain);

// I2 I3 R040 R098 R103
TEST_P(Drain, Four_nodes_run_every_job_exactly_once_and_never_deadlock) {
    database->add_jobs(jobs);
    start_four_nodes(0ms);
    ASSERT_TRUE(all_jobs_end());
    cluster.expect_alive_and_stop();
    EXPECT_EQ(cluster.runs().size(), jobs);
    EXPECT_EQ(cluster.repeats(), 0U);
    EXPECT_EQ(server->deadlocks(), 0);
}

// I2 I5 I9
TEST_P(Drain, A_crash_of_the_server_loses_no_job_uses_no_retry_and_is_said_once) {
    start_four_nodes(5ms);  // Nobody is done before the server dies,
    for (const auto& node : cluster.nodes()) {
        ASSERT_TRUE(node->wait_for_log("executor started")) << node->log();  // nor begins then.
    }
    database->add_jobs(jobs);
    ASSERT_TRUE(eventually([&] { return cluster.count_runs() > jobs / 3; }));
    server->kill();
    const auto back = std::chrono::steady_clock::now() + 3s;
    ASSERT_TRUE(eventually([&] { return std::chrono::steady_clock::now() > back; }));
    ASSERT_LT(cluster.count_runs(), jobs);
    server->start();
    ASSERT_TRUE(all_jobs_end());

    for (const auto& node : cluster.nodes()) {
        EXPECT_EQ(count_in(node->log(), "the database is away"), 1) << node->log();
        EXPECT_EQ(count_in(node->log(), "the database is back"), 1) << node->log();
    }
    cluster.expect_alive_and_stop();
    EXPECT_EQ(cluster.runs().size(), jobs);
    RecordProperty("repeats", std::to_string(cluster.repeats()));
    // A lock outlasts such a crash, so that it repeats nothing.
    EXPECT_LE(cluster.repeats(), cluster.locks_freed());
    EXPECT_EQ(server->deadlocks(), 0);
}

/// Jobs that take long, on several nodes of eight workers each.
class Spread : public NodesOnAServer {
protected:
    /// From here until all jobs have ended.
    [[nodiscard]] std::chrono::milliseconds time_to_end() const {
        const auto began = std::chrono::steady_clock::now();
        EXPECT_TRUE(eventually([&] { return database->count_all() == 0; }, 60s));
        return std::chrono::floor<std::chrono::milliseconds>(
            std::chrono::steady_clock::now() - began
        );
    }
};

ON_EVERY_SERVER(Spread);

// Without a worker that idles it takes four seconds.
TEST_P(Spread, Three_nodes_share_long_jobs_whoever_comes_first) {
    for (int node = 0; node < 3; ++node) {
        cluster.start_node(server->url(), 1s);
        ASSERT_TRUE(cluster.last_node().wait_for_log("executor started"));
    }
    database->add_jobs(96);
    const auto took = time_to_end();
    RecordProperty("milliseconds", std::to_string(took.count()));
    EXPECT_LE(took, 5s);
    for (std::size_t node = 0; node < 3; ++node) {
        const auto runs = cluster.runs_of(node).size();
        EXPECT_GE(runs, 24U) << node;
        EXPECT_LE(runs, 40U) << node;
    }
    EXPECT_EQ(cluster.repeats(), 0U);
    cluster.expect_alive_and_stop();
}

TEST_P(Spread, A_node_that_comes_later_finds_work) {
    database->add_jobs(64);
    cluster.start_node(server->url(), 500ms);
    ASSERT_TRUE(eventually([&] { return cluster.count_runs() >= 8; }));
    cluster.start_node(server->url(), 500ms);
    EXPECT_LE(time_to_end(), 4s);
    EXPECT_GE(cluster.runs_of(1).size(), 16U);
    cluster.expect_alive_and_stop();
}

/// Four nodes that share exclusive jobs.
class Exclusive : public NodesOnAServer {
protected:
    Exclusive() { ::setenv("JOBSTRAND_CLUSTER_LOCK_MS", "1000", 1); }
    ~Exclusive() override { ::unsetenv("JOBSTRAND_CLUSTER_LOCK_MS"); }

    void expect_each_has_run_and_none_overlapped(std::size_t jobs) const {
        const auto runs = cluster.runs();
        EXPECT_EQ(runs.size(), jobs);
        for (const auto& [id, times] : runs) {
            EXPECT_FALSE(id.starts_with("overlap-")) << id;
        }
    }
};

ON_EVERY_SERVER(Exclusive);

// I4 R086 R098
TEST_P(Exclusive, Jobs_of_an_instance_never_overlap_on_four_nodes) {
    database->add_exclusive(1000, 7);
    start_four_nodes(1ms);
    ASSERT_TRUE(all_jobs_end());
    cluster.expect_alive_and_stop();
    expect_each_has_run_and_none_overlapped(1000);
    EXPECT_EQ(cluster.repeats(), 0U);
}

// I2 I4: whoever dies has held some of the instances.
TEST_P(Exclusive, A_killed_node_leaves_its_instances_to_the_others) {
    database->add_exclusive(1000, 7);
    start_four_nodes(2ms);
    ASSERT_TRUE(eventually([&] { return cluster.count_runs() > 100; }));
    for (const std::size_t node : {0U, 1U}) {
        cluster.nodes()[node]->send(SIGKILL);
    }
    ASSERT_TRUE(all_jobs_end());
    expect_each_has_run_and_none_overlapped(1000);
}

/// The machine's clock, set wrong.
class WrongClock final : public schema::Clock {
public:
    explicit WrongClock(schema::Duration ahead) : ahead_(ahead) {}
    [[nodiscard]] schema::TimePoint now() const override { return right_.now() + ahead_; }
    [[nodiscard]] schema::SteadyPoint steady_now() const override { return right_.steady_now(); }

private:
    const schema::SystemClock right_;
    const schema::Duration ahead_;
};

/// Two nodes on one database, one with a clock that is ten minutes slow, one ten minutes fast.
class WrongClocks : public testing::TestWithParam<ServerUnderTest> {
protected:
    void SetUp() override {
        if (const auto& missing = GetParam().missing) {
            GTEST_SKIP() << *missing;
        }
        server = GetParam().start();
        slow = an_engine(slow_clock);
        fast = an_engine(fast_clock);
    }

    [[nodiscard]] std::unique_ptr<engine::Wiring> an_engine(const schema::Clock& clock) {
        return std::make_unique<engine::Wiring>(
            engine::WiringOptions{
                .database_url = server->url(),
                .executor = {.timer_wait = 20ms, .lock_time = 2s, .reset_interval = 50ms}},
            clock,
            log
        );
    }

    const WrongClock slow_clock{-10min};
    const WrongClock fast_clock{10min};
    const schema::SystemClock right_clock;  ///< The server runs on this machine.
    RecordingLog log;
    std::unique_ptr<Server> server;
    std::unique_ptr<engine::Wiring> slow;
    std::unique_ptr<engine::Wiring> fast;
};

ON_EVERY_SERVER(WrongClocks);

// I6
TEST_P(WrongClocks, Timers_fire_when_they_are_due_and_the_skew_is_warned_of) {
    EXPECT_EQ(log.count(schema::LogLevel::warn, "this machine's clock is not the database's"), 2);
    EXPECT_LT(std::chrono::abs(slow->clock_skew() + 10min), 1s);
    EXPECT_LT(std::chrono::abs(fast->clock_skew() - 10min), 1s);
    for (engine::Wiring* const node : {slow.get(), fast.get()}) {
        std::atomic<schema::TimePoint> ran{};
        Signal runs;
        node->handlers().add("test", [&](const JobContext&) -> HandlerResult {
            ran = right_clock.now();
            runs.notify();
            return Succeeded{};
        });
        node->start();
        const schema::TimePoint due = right_clock.now() + 500ms;
        node->enqueue({.due_date = due, .handler_type = "test"});
        ASSERT_TRUE(runs.wait_for(1));
        EXPECT_GE(ran.load(), due - 50ms);
        EXPECT_LT(ran.load(), due + 5s);
        EXPECT_TRUE(node->stop(executor::StopMode::drain));
    }
}

// I3 I6
TEST_P(WrongClocks, A_live_lock_holds_although_the_other_nodes_clock_says_it_has_long_expired) {
    Signal started;
    Signal may_end;
    for (engine::Wiring* const node : {slow.get(), fast.get()}) {
        node->handlers().add("test", [&](const JobContext&) -> HandlerResult {
            started.notify();
            EXPECT_TRUE(may_end.wait_for(1));
            return Succeeded{};
        });
        node->start();
    }
    const std::string on_slow = slow->enqueue({.handler_type = "test"});
    const std::string on_fast = fast->enqueue({.handler_type = "test"});
    ASSERT_TRUE(started.wait_for(2));
    const schema::TimePoint two_lock_times = right_clock.now() + 4s;
    EXPECT_TRUE(eventually([&] { return right_clock.now() > two_lock_times; }));
    for (const std::string& id : {on_slow, on_fast}) {
        const auto expiry = slow->store().find(id)->job.lock_expiration;
        ASSERT_TRUE(expiry);
        EXPECT_GT(*expiry, right_clock.now() - 1s);
        EXPECT_LT(*expiry, right_clock.now() + 3s);
    }
    may_end.notify();
    EXPECT_TRUE(eventually([&] {
        return slow->store().count(schema::JobPlace::executable, {}) == 0;
    }));
    EXPECT_EQ(started.count(), 2U);
}

/// A job whose handler calls std::abort() at once.
class CrashLoop : public NodesOnAServer {
protected:
    CrashLoop() { ::setenv("JOBSTRAND_CLUSTER_LOCK_MS", "500", 1); }
    ~CrashLoop() override { ::unsetenv("JOBSTRAND_CLUSTER_LOCK_MS"); }

    [[nodiscard]] bool is_over() const { return database->count(JobPlace::executable) == 0; }

    /// Starts one node after the other, until one of them lives and no job waits.
    void run_until_no_job_waits(std::chrono::milliseconds work) {
        for (int nodes = 0; nodes < 10; ++nodes) {
            cluster.start_node(server->url(), work);
            ASSERT_TRUE(eventually([&] {
                return is_over() || cluster.last_node().wait(0ms).has_value();
            }));
            if (is_over()) {
                return;
            }
        }
        FAIL() << "the nodes die for ever";
    }
};

ON_EVERY_SERVER(CrashLoop);

TEST_P(CrashLoop, It_is_a_dead_letter_after_three_starts_and_its_neighbours_are_unharmed) {
    database->add_jobs(100);
    database->add_aborting("job-000000050-aborts");
    run_until_no_job_waits(5ms);
    EXPECT_EQ(cluster.nodes().size(), 4U);
    EXPECT_EQ(database->count(JobPlace::dead_letter), 1);
    EXPECT_EQ(database->count_all(), 1);
    const auto runs = cluster.runs();
    EXPECT_EQ(runs.size(), 101U);
    EXPECT_EQ(runs.at("job-000000050-aborts"), 3);
    EXPECT_EQ(count_in(cluster.last_node().log(), "ends every process that runs it"), 1);
}

}  // namespace

}  // namespace jobstrand::test
