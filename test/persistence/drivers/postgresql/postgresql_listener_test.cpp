#include "persistence/drivers/database.hpp"
#include "persistence/migration/schema_migration.hpp"
#include "persistence/sql/sql_transaction.hpp"
#include "persistence/store/sql_store.hpp"
#include "test/fixtures/cutting_proxy.hpp"
#include "test/fixtures/job_builder.hpp"
#include "test/fixtures/recording_log.hpp"
#include "test/fixtures/signal.hpp"
#include "test/persistence/adapter_test.hpp"
#include "timers/series/series_planner.hpp"

#include <gtest/gtest.h>
#include <poll.h>

namespace jobstrand::test {

namespace {

using namespace std::chrono_literals;
using persistence::DbErrorKind;
using persistence::JobListener;
using persistence::Transaction;
using schema::JobPlace;

bool is_readable(const JobListener& listener, schema::Duration limit) {
    pollfd socket{.fd = listener.socket(), .events = POLLIN, .revents = 0};
    return ::poll(&socket, 1, static_cast<int>(limit.count())) == 1;
}

/// Whether an announcement comes.
bool hears(JobListener& listener) {
    return is_readable(listener, 5s) && listener.take_announcements();
}

class PostgresqlListenerTest : public AdapterTest {
protected:
    void prepare() override {
        persistence::upgrade_schema(*connection_);
        listener_ = persistence::listener_of(url_)();
    }

    /// What has not come when this has, was not announced.
    [[nodiscard]] bool heard_nothing() {
        const bool heard = listener_->take_announcements();
        connection_->run_script("NOTIFY jobstrand");
        return !heard && hears(*listener_);
    }

    void insert(JobPlace place, const schema::Job& job) {
        schema::SilentLog log;
        const timers::SeriesPlanner schedule;
        persistence::SessionPool pool(
            [this](persistence::SessionPool::Access) { return connect(); },
            {.writers = 1, .readers = 0},
            10s
        );
        persistence::SqlStore store(pool, log, schedule);
        store.enqueuer().insert({{place, job}});
    }

    std::unique_ptr<JobListener> listener_;
};

INSTANTIATE_TEST_SUITE_P(
    OnPostgresql,
    PostgresqlListenerTest,
    testing::Values("postgresql"),
    name_of_database
);

TEST_P(PostgresqlListenerTest, Hears_a_commit_that_announces_jobs) {
    Transaction transaction(*connection_);
    transaction.announce_jobs();
    transaction.announce_jobs();
    transaction.commit();
    EXPECT_TRUE(hears(*listener_));
    EXPECT_FALSE(listener_->take_announcements());
}

TEST_P(PostgresqlListenerTest, Hears_nothing_of_a_transaction_that_is_rolled_back) {
    {
        Transaction transaction(*connection_);
        transaction.announce_jobs();
    }
    EXPECT_TRUE(heard_nothing());
}

TEST_P(PostgresqlListenerTest, Commits_in_quick_succession_announce_once) {
    for (int i = 0; i < 2; ++i) {
        Transaction transaction(*connection_);
        transaction.announce_jobs();
        EXPECT_EQ(transaction.execute("DELETE FROM ACT_RU_JOB"), 0);
        transaction.commit();
    }
    EXPECT_TRUE(hears(*listener_));
    EXPECT_TRUE(heard_nothing());
}

TEST_P(PostgresqlListenerTest, A_rollback_does_not_keep_the_next_commit_from_announcing) {
    {
        Transaction transaction(*connection_);
        transaction.announce_jobs();
    }
    Transaction transaction(*connection_);
    transaction.announce_jobs();
    transaction.commit();
    EXPECT_TRUE(hears(*listener_));
}

TEST_P(PostgresqlListenerTest, Jobs_that_anybody_may_take_are_announced) {
    insert(JobPlace::executable, a_job("free"));
    EXPECT_TRUE(hears(*listener_));
    insert(JobPlace::timer, a_job("timer").due_at(schema::TimePoint{1'767'225'600'000ms}));
    EXPECT_TRUE(hears(*listener_));
}

TEST_P(PostgresqlListenerTest, A_job_that_its_producer_runs_itself_is_not_announced) {
    schema::Job job = a_job("mine");
    job.lock_owner = "node";
    job.lock_expiration = schema::TimePoint{1'767'225'600'000ms};
    insert(JobPlace::executable, job);
    EXPECT_TRUE(heard_nothing());
}

TEST_P(PostgresqlListenerTest, A_url_can_switch_announcements_off) {
    url_.options["notify"] = "off";
    EXPECT_FALSE(persistence::listener_of(url_));
    insert(JobPlace::executable, a_job("free"));
    EXPECT_TRUE(heard_nothing());
}

TEST_P(PostgresqlListenerTest, A_lost_connection_is_noticed_at_once) {
    CuttingProxy proxy(url_.port);
    url_.port = proxy.port();
    const auto listener = persistence::listener_of(url_)();
    execute(
        "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity "
        "WHERE query = 'LISTEN jobstrand'"
    );
    EXPECT_TRUE(is_readable(*listener, 5s));
    EXPECT_EQ(
        error_of([&] {
            // The server's last words come first, the end behind them.
            while (is_readable(*listener, 5s)) {
                static_cast<void>(listener->take_announcements());
            }
        }).kind(),
        DbErrorKind::connection_lost
    );
}

TEST_P(PostgresqlListenerTest, Without_a_server_there_is_no_listener) {
    url_.password = "wr0ng-s3cret";
    const auto error = error_of([&] { static_cast<void>(persistence::listener_of(url_)()); });
    EXPECT_EQ(error.kind(), DbErrorKind::access_denied);
    EXPECT_EQ(std::string(error.what()).find("wr0ng"), std::string::npos);
}

}  // namespace

}  // namespace jobstrand::test
