#include "persistence/drivers/database.hpp"
#include "persistence/migration/schema_migration.hpp"
#include "persistence/sql/session_pool.hpp"
#include "persistence/sql/sql_transaction.hpp"
#include "persistence/sql/transaction_runner.hpp"
#include "test/fixtures/cutting_proxy.hpp"
#include "test/fixtures/job_builder.hpp"
#include "test/fixtures/loopback_port.hpp"
#include "test/fixtures/open_store.hpp"
#include "test/fixtures/recording_log.hpp"
#include "test/fixtures/signal.hpp"
#include "test/persistence/adapter_test.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <future>
#include <thread>

namespace jobstrand::test {

namespace {

using persistence::Connection;
using persistence::JobListener;
using persistence::TransactionRunner;
using schema::JobPlace;
using testing::AnyOf;
using Cut = CuttingProxy::Cut;

/// What is said when a server cannot be opened.
class ServerOpening : public AdapterTest {};

ON_EVERY_SERVER(ServerOpening);

TEST_P(ServerOpening, Tells_a_wrong_password) {
    url_.password = "wr0ng-s3cret";
    expect_opening_error(
        url_,
        DbErrorKind::access_denied,
        AllOf(
            HasSubstr(fmt::format("cannot open {}://{}:***@{}:", GetParam(), url_.user, url_.host)),
            HasSubstr("refuses this user or password"),
            HasSubstr(GetParam() == "mysql" ? "1045" : "28P01")
        )
    );
}

TEST_P(ServerOpening, Tells_a_missing_database) {
    url_.database = "missing";
    expect_opening_error(url_, DbErrorKind::unreachable, HasSubstr("create it first"));
}

TEST_P(ServerOpening, Tells_a_wrong_port) {
    url_.port = free_port();
    expect_opening_error(url_, DbErrorKind::unreachable, HasSubstr("check host and port"));
}

TEST_P(ServerOpening, Tells_a_wrong_host) {
    url_.host = "no-such-host.invalid";
    expect_opening_error(url_, DbErrorKind::unreachable, HasSubstr("no-such-host.invalid"));
}

TEST_P(ServerOpening, Tells_that_something_else_answers) {
    const LoopbackListener listener = listen_on_free_port();
    std::jthread other_service([&] {
        // PostgreSQL's driver comes back with the question why it failed.
        for (int client; (client = ::accept(listener.socket, nullptr, nullptr)) >= 0;) {
            constexpr std::string_view greeting = "SSH-2.0-OpenSSH_9.2p1\r\n";
            EXPECT_GT(::send(client, greeting.data(), greeting.size(), MSG_NOSIGNAL), 0);
            ::close(client);
        }
    });
    url_.port = listener.port;
    url_.options["connect_timeout"] = "PT2S";
    const DbError error = opening_error(url_);
    ::shutdown(listener.socket, SHUT_RDWR);
    other_service.join();
    ::close(listener.socket);
    EXPECT_THAT(error.what(), HasSubstr("check host and port"));
    if (GetParam() == "mysql") {
        EXPECT_THAT(error.kind(), AnyOf(DbErrorKind::not_a_database, DbErrorKind::unreachable));
    } else {
        EXPECT_EQ(error.kind(), DbErrorKind::not_a_database);
    }
}

TEST_P(ServerOpening, Gives_up_where_nobody_answers) {
    const LoopbackListener listener = listen_on_free_port();
    url_.port = listener.port;
    url_.options["connect_timeout"] = "PT2S";
    expect_opening_error(url_, DbErrorKind::unreachable);
    ::close(listener.socket);
}

TEST_P(ServerOpening, Does_not_go_without_the_tls_that_was_asked_for) {
    if (!is_own_server()) {
        GTEST_SKIP() << "needs a server without TLS";
    }
    for (const std::string mode : {"require", "verify"}) {
        url_.options["ssl"] = mode;
        expect_opening_error(url_, DbErrorKind::unreachable, HasSubstr("TLS"));
    }
}

constexpr std::string_view kInsertNote = "INSERT INTO NOTE (ID_, NUMBER_) VALUES ('c', 3)";

/// How a server says what is done with sessions.
struct SessionWords {
    std::string_view id;
    std::string_view
        kill;  ///< Of the session with this id; returns when it is gone, or soon will be.
    std::string_view sleep;
    std::string_view is_sleeping;  ///< 1 when the session with this id is.
};

constexpr SessionWords kMysqlSession{
    .id = "SELECT CONNECTION_ID()",
    .kill = "KILL {}",
    .sleep = "DO SLEEP(30)",
    .is_sleeping =
        "SELECT 1 FROM information_schema.processlist WHERE STATE = 'User sleep' AND ID = {}"};
constexpr SessionWords kPostgresqlSession{
    .id = "SELECT pg_backend_pid()",
    .kill = "SELECT pg_terminate_backend({}, 5000)",
    .sleep = "SELECT pg_sleep(30)",
    .is_sleeping = "SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND pid = {}"};

class LostConnectionTest : public AdapterTest {
protected:
    void prepare() override {
        create_notes();
        proxy_.emplace(url_.port);
    }

    /// A connection that can be cut.
    [[nodiscard]] std::unique_ptr<Connection> connect_through_proxy() const {
        persistence::DatabaseUrl url = url_;
        url.port = proxy_->port();
        return open_connection(url);
    }

    [[nodiscard]] std::string id_of(Connection& connection) const {
        std::string id;
        connection.query({.sql = words_.id, .columns = 1}, {}, [&](const Row& row) {
            id = row.text(0);
        });
        return id;
    }

    void kill(std::string_view id) {
        connection_->run_script(fmt::format(fmt::runtime(words_.kill), id));
    }

    [[nodiscard]] bool is_sleeping(std::string_view id) {
        return text_of(fmt::format(fmt::runtime(words_.is_sleeping), id)) == "1";
    }

    [[nodiscard]] std::string number_of_notes() { return text_of("SELECT COUNT(*) FROM NOTE"); }

    const SessionWords& words_ = GetParam() == "mysql" ? kMysqlSession : kPostgresqlSession;
    std::optional<CuttingProxy> proxy_;
};

ON_EVERY_SERVER(LostConnectionTest);

TEST_P(LostConnectionTest, A_connection_killed_while_idle_is_lost_at_the_next_statement) {
    const auto victim = connect();
    kill(id_of(*victim));
    expect_error(DbErrorKind::connection_lost, [&] { victim->execute("DELETE FROM NOTE", {}); });
    EXPECT_FALSE(victim->is_usable());
    EXPECT_EQ(number_of_notes(), "2");
}

TEST_P(LostConnectionTest, A_connection_killed_while_idle_is_lost_at_the_next_begin) {
    const auto victim = connect();
    kill(id_of(*victim));
    expect_error(DbErrorKind::connection_lost, [&] { Transaction transaction(*victim); });
    EXPECT_FALSE(victim->is_usable());
}

TEST_P(LostConnectionTest, A_connection_killed_during_a_statement_is_lost) {
    const auto victim = connect();
    const std::string id = id_of(*victim);
    auto killing = std::async(std::launch::async, [&] {
        EXPECT_TRUE(eventually([&] { return is_sleeping(id); }));
        kill(id);
    });
    expect_error(DbErrorKind::connection_lost, [&] { victim->execute(words_.sleep, {}); });
    killing.get();
    EXPECT_FALSE(victim->is_usable());
}

TEST_P(LostConnectionTest, A_transaction_that_loses_its_connection_is_rolled_back) {
    const auto victim = connect();
    {
        Transaction transaction(*victim);
        transaction.execute(kInsertNote);
        kill(id_of(*victim));
        expect_error(DbErrorKind::connection_lost, [&] {
            transaction.execute("DELETE FROM NOTE");
        });
    }
    EXPECT_FALSE(victim->is_usable());
    EXPECT_EQ(number_of_notes(), "2");
}

TEST_P(LostConnectionTest, A_commit_that_the_server_never_saw_is_in_doubt) {
    const auto victim = connect_through_proxy();
    Transaction transaction(*victim);
    transaction.execute(kInsertNote);
    proxy_->cut_at("COMMIT", Cut::before_request);
    expect_error(DbErrorKind::in_doubt, [&] { transaction.commit(); });
    EXPECT_EQ(transaction.state(), Transaction::State::in_doubt);
    EXPECT_FALSE(victim->is_usable());
    EXPECT_EQ(number_of_notes(), "2");
}

TEST_P(LostConnectionTest, A_commit_whose_answer_is_lost_is_in_doubt_and_may_be_done) {
    const auto victim = connect_through_proxy();
    Transaction transaction(*victim);
    transaction.execute(kInsertNote);
    proxy_->cut_at("COMMIT", Cut::before_answer);
    expect_error(DbErrorKind::in_doubt, [&] { transaction.commit(); });
    EXPECT_FALSE(victim->is_usable());
    EXPECT_EQ(number_of_notes(), "3");
}

TEST_P(LostConnectionTest, A_statement_whose_answer_is_lost_is_rolled_back) {
    const auto victim = connect_through_proxy();
    Transaction transaction(*victim);
    proxy_->cut_at("INSERT", Cut::before_answer);
    expect_error(DbErrorKind::connection_lost, [&] { transaction.execute(kInsertNote); });
    EXPECT_EQ(number_of_notes(), "2");
}

TEST_P(LostConnectionTest, A_server_that_answers_no_more_is_given_up) {
    url_.options["statement_timeout"] = "PT1S";
    const auto victim = connect_through_proxy();
    proxy_->cut_at("DELETE", Cut::freeze);
    expect_error(DbErrorKind::connection_lost, [&] { victim->execute("DELETE FROM NOTE", {}); });
    EXPECT_FALSE(victim->is_usable());
}

TEST_P(LostConnectionTest, The_runner_does_the_work_once_whatever_the_commit_came_to) {
    for (const Cut cut : {Cut::before_request, Cut::before_answer}) {
        execute("DELETE FROM NOTE WHERE ID_ = 'c'");
        SessionPool pool(
            [this](SessionPool::Access) { return connect_through_proxy(); },
            {.writers = 1, .readers = 0},
            std::chrono::seconds(5)
        );
        RecordingLog log;
        TransactionRunner runner(pool, log);
        proxy_->cut_at("COMMIT", cut);
        runner.run(
            [](Transaction& transaction) { transaction.execute(kInsertNote); },
            [](Transaction& transaction) {
                bool found = false;
                transaction.query(
                    {.sql = "SELECT 1 FROM NOTE WHERE ID_ = 'c'", .columns = 1},
                    {},
                    [&](const Row&) { found = true; }
                );
                return found;
            }
        );
        EXPECT_EQ(number_of_notes(), "3");
    }
}

TEST_P(LostConnectionTest, After_a_crash_of_the_server_new_connections_find_what_was_committed) {
    if (!is_own_server()) {
        GTEST_SKIP() << "kills the server";
    }
    connect()->execute(kInsertNote, {});
    {
        Transaction transaction(*connection_);
        transaction.execute("DELETE FROM NOTE");
        own_server().kill();
        expect_error(DbErrorKind::connection_lost, [&] { transaction.execute(kInsertNote); });
    }
    expect_error(DbErrorKind::unreachable, [&] { static_cast<void>(connect()); });
    own_server().start();
    connection_ = connect();
    EXPECT_EQ(number_of_notes(), "3");
}

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
        OpenStore(url_text(url_))->enqueuer().insert({{place, job}});
    }

    std::unique_ptr<JobListener> listener_;
};

ON_POSTGRESQL(PostgresqlListenerTest);

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
    const schema::TimePoint until{1'767'225'600'000ms};
    insert(JobPlace::executable, a_job("mine").locked_by("node", until));
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
    expect_error(DbErrorKind::connection_lost, [&] {
        // The server's last words come first, the end behind them.
        while (is_readable(*listener, 5s)) {
            static_cast<void>(listener->take_announcements());
        }
    });
}

TEST_P(PostgresqlListenerTest, Without_a_server_there_is_no_listener) {
    url_.password = "wr0ng-s3cret";
    const auto error = error_of([&] { static_cast<void>(persistence::listener_of(url_)()); });
    EXPECT_EQ(error.kind(), DbErrorKind::access_denied);
    EXPECT_EQ(std::string(error.what()).find("wr0ng"), std::string::npos);
}

}  // namespace

}  // namespace jobstrand::test
