#include "persistence/sql/session_pool.hpp"
#include "persistence/sql/sql_transaction.hpp"
#include "persistence/sql/transaction_runner.hpp"
#include "test/fixtures/cutting_proxy.hpp"
#include "test/fixtures/recording_log.hpp"
#include "test/fixtures/signal.hpp"
#include "test/persistence/adapter_test.hpp"

#include <fmt/format.h>

#include <future>

namespace jobstrand::test {

namespace {

using persistence::Connection;
using persistence::DbErrorKind;
using persistence::SessionPool;
using persistence::Transaction;
using persistence::TransactionRunner;
using Cut = CuttingProxy::Cut;

constexpr std::string_view kInsert = "INSERT INTO NOTE (ID_, NUMBER_) VALUES ('c', 3)";

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
        connection.query({.sql = words_.id, .columns = 1}, {}, [&](const persistence::Row& row) {
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

INSTANTIATE_TEST_SUITE_P(
    OnEveryServer,
    LostConnectionTest,
    testing::ValuesIn(kEveryServer),
    name_of_database
);

TEST_P(LostConnectionTest, A_connection_killed_while_idle_is_lost_at_the_next_statement) {
    const auto victim = connect();
    kill(id_of(*victim));
    EXPECT_EQ(
        error_of([&] { victim->execute("DELETE FROM NOTE", {}); }).kind(),
        DbErrorKind::connection_lost
    );
    EXPECT_FALSE(victim->is_usable());
    EXPECT_EQ(number_of_notes(), "2");
}

TEST_P(LostConnectionTest, A_connection_killed_while_idle_is_lost_at_the_next_begin) {
    const auto victim = connect();
    kill(id_of(*victim));
    EXPECT_EQ(
        error_of([&] { Transaction transaction(*victim); }).kind(), DbErrorKind::connection_lost
    );
    EXPECT_FALSE(victim->is_usable());
}

TEST_P(LostConnectionTest, A_connection_killed_during_a_statement_is_lost) {
    const auto victim = connect();
    const std::string id = id_of(*victim);
    auto killing = std::async(std::launch::async, [&] {
        EXPECT_TRUE(eventually([&] { return is_sleeping(id); }));
        kill(id);
    });
    EXPECT_EQ(
        error_of([&] { victim->execute(words_.sleep, {}); }).kind(), DbErrorKind::connection_lost
    );
    killing.get();
    EXPECT_FALSE(victim->is_usable());
}

TEST_P(LostConnectionTest, A_transaction_that_loses_its_connection_is_rolled_back) {
    const auto victim = connect();
    {
        Transaction transaction(*victim);
        transaction.execute(kInsert);
        kill(id_of(*victim));
        EXPECT_EQ(
            error_of([&] { transaction.execute("DELETE FROM NOTE"); }).kind(),
            DbErrorKind::connection_lost
        );
    }
    EXPECT_FALSE(victim->is_usable());
    EXPECT_EQ(number_of_notes(), "2");
}

TEST_P(LostConnectionTest, A_commit_that_the_server_never_saw_is_in_doubt) {
    const auto victim = connect_through_proxy();
    Transaction transaction(*victim);
    transaction.execute(kInsert);
    proxy_->cut_at("COMMIT", Cut::before_request);
    EXPECT_EQ(error_of([&] { transaction.commit(); }).kind(), DbErrorKind::in_doubt);
    EXPECT_EQ(transaction.state(), Transaction::State::in_doubt);
    EXPECT_FALSE(victim->is_usable());
    EXPECT_EQ(number_of_notes(), "2");
}

TEST_P(LostConnectionTest, A_commit_whose_answer_is_lost_is_in_doubt_and_may_be_done) {
    const auto victim = connect_through_proxy();
    Transaction transaction(*victim);
    transaction.execute(kInsert);
    proxy_->cut_at("COMMIT", Cut::before_answer);
    EXPECT_EQ(error_of([&] { transaction.commit(); }).kind(), DbErrorKind::in_doubt);
    EXPECT_FALSE(victim->is_usable());
    EXPECT_EQ(number_of_notes(), "3");
}

TEST_P(LostConnectionTest, A_statement_whose_answer_is_lost_is_rolled_back) {
    const auto victim = connect_through_proxy();
    Transaction transaction(*victim);
    proxy_->cut_at("INSERT", Cut::before_answer);
    EXPECT_EQ(error_of([&] { transaction.execute(kInsert); }).kind(), DbErrorKind::connection_lost);
    EXPECT_EQ(number_of_notes(), "2");
}

TEST_P(LostConnectionTest, A_server_that_answers_no_more_is_given_up) {
    url_.options["statement_timeout"] = "PT1S";
    const auto victim = connect_through_proxy();
    proxy_->cut_at("DELETE", Cut::freeze);
    EXPECT_EQ(
        error_of([&] { victim->execute("DELETE FROM NOTE", {}); }).kind(),
        DbErrorKind::connection_lost
    );
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
            [](Transaction& transaction) { transaction.execute(kInsert); },
            [](Transaction& transaction) {
                bool found = false;
                transaction.query(
                    {.sql = "SELECT 1 FROM NOTE WHERE ID_ = 'c'", .columns = 1},
                    {},
                    [&](const persistence::Row&) { found = true; }
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
    connect()->execute(kInsert, {});
    {
        Transaction transaction(*connection_);
        transaction.execute("DELETE FROM NOTE");
        own_server().kill();
        EXPECT_EQ(
            error_of([&] { transaction.execute(kInsert); }).kind(), DbErrorKind::connection_lost
        );
    }
    EXPECT_EQ(error_of([&] { static_cast<void>(connect()); }).kind(), DbErrorKind::unreachable);
    own_server().start();
    connection_ = connect();
    EXPECT_EQ(number_of_notes(), "3");
}

}  // namespace

}  // namespace jobstrand::test
