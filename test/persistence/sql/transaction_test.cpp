#include "persistence/sql/db_error.hpp"
#include "persistence/sql/sql_transaction.hpp"
#include "test/fixtures/faulty_connection.hpp"
#include "test/fixtures/sqlite_file.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace jobstrand::persistence {
namespace {

using test::FaultPoint;

class TransactionTest : public testing::Test {
protected:
    TransactionTest() { connection_.run_script("CREATE TABLE NOTE (ID_ text PRIMARY KEY)"); }

    /// Seen by somebody else: only what was committed.
    [[nodiscard]] std::int64_t committed_notes() const {
        std::int64_t notes = -1;
        file_.connect(SessionPool::Access::read)
            ->query({.sql = "SELECT count(*) FROM NOTE", .columns = 1}, {}, [&](const Row& row) {
                notes = row.integer(0);
            });
        return notes;
    }

    test::SqliteFile file_ = test::SqliteFile::without_schema();
    test::FaultPlan faults_;
    test::FaultyConnection connection_{file_.connect(), faults_};
};

TEST_F(TransactionTest, Keeps_its_changes_when_it_is_committed) {
    Transaction transaction(connection_);
    EXPECT_EQ(transaction.state(), Transaction::State::active);
    EXPECT_EQ(transaction.execute("INSERT INTO NOTE VALUES (?), (?)", {"a", "b"}), 2);
    EXPECT_EQ(committed_notes(), 0);
    transaction.commit();
    EXPECT_EQ(transaction.state(), Transaction::State::committed);
    EXPECT_EQ(committed_notes(), 2);
}

TEST_F(TransactionTest, Takes_its_changes_back_when_its_scope_ends_without_a_commit) {
    {
        Transaction transaction(connection_);
        transaction.execute("INSERT INTO NOTE VALUES ('a')");
    }
    EXPECT_EQ(committed_notes(), 0);
    const Transaction next(connection_);
    EXPECT_EQ(next.state(), Transaction::State::active);
}

TEST_F(TransactionTest, Takes_its_changes_back_when_it_is_told_to) {
    Transaction transaction(connection_);
    transaction.execute("INSERT INTO NOTE VALUES ('a')");
    transaction.rollback();
    EXPECT_EQ(transaction.state(), Transaction::State::rolled_back);
    EXPECT_EQ(committed_notes(), 0);
}

TEST_F(TransactionTest, Reads_what_it_wrote) {
    Transaction transaction(connection_);
    transaction.execute("INSERT INTO NOTE VALUES ('a')");
    std::string id;
    transaction.query(
        {.sql = "SELECT ID_ FROM NOTE WHERE ID_ = ?", .columns = 1},
        {"a"},
        [&](auto& row) { id = row.text(0); }
    );
    EXPECT_EQ(id, "a");
}

TEST_F(TransactionTest, Takes_no_statement_after_its_end) {
    Transaction transaction(connection_);
    transaction.commit();
    EXPECT_THROW(transaction.execute("INSERT INTO NOTE VALUES ('a')"), std::logic_error);
    EXPECT_THROW(
        transaction.query({.sql = "SELECT 1", .columns = 1}, {}, [](const Row&) {}),
        std::logic_error
    );
    EXPECT_THROW(transaction.commit(), std::logic_error);
    EXPECT_EQ(committed_notes(), 0);
}

TEST_F(TransactionTest, Only_a_rollback_is_left_after_an_error_even_when_the_work_swallows_it) {
    faults_.add({.point = FaultPoint::execute, .kind = DbErrorKind::conflict, .skip = 1});
    Transaction transaction(connection_);
    transaction.execute("INSERT INTO NOTE VALUES ('a')");
    const auto expect_conflict = [](const auto& call) {
        try {
            call();
            FAIL() << "no error";
        } catch (const DbError& error) {
            EXPECT_EQ(error.kind(), DbErrorKind::conflict);
        }
    };
    expect_conflict([&] { transaction.execute("INSERT INTO NOTE VALUES ('b')"); });
    expect_conflict([&] { transaction.execute("INSERT INTO NOTE VALUES ('c')"); });
    expect_conflict([&] {
        transaction.query({.sql = "SELECT 1", .columns = 1}, {}, [](const Row&) {});
    });
    EXPECT_EQ(transaction.state(), Transaction::State::active);
    expect_conflict([&] { transaction.commit(); });
    EXPECT_EQ(transaction.state(), Transaction::State::rolled_back);
    EXPECT_EQ(committed_notes(), 0);
}

// I9
TEST_F(TransactionTest, Is_in_doubt_when_the_answer_to_its_commit_is_lost) {
    faults_.add({.point = FaultPoint::after_commit, .kind = DbErrorKind::in_doubt});
    Transaction transaction(connection_);
    transaction.execute("INSERT INTO NOTE VALUES ('a')");
    EXPECT_THROW(transaction.commit(), DbError);
    EXPECT_EQ(transaction.state(), Transaction::State::in_doubt);
    transaction.rollback();
    EXPECT_EQ(transaction.state(), Transaction::State::in_doubt);
    EXPECT_FALSE(connection_.is_usable());
}

TEST_F(TransactionTest, Is_rolled_back_when_its_commit_is_refused) {
    faults_.add({.point = FaultPoint::before_commit, .kind = DbErrorKind::conflict});
    {
        Transaction transaction(connection_);
        transaction.execute("INSERT INTO NOTE VALUES ('a')");
        EXPECT_THROW(transaction.commit(), DbError);
        EXPECT_EQ(transaction.state(), Transaction::State::rolled_back);
    }
    EXPECT_EQ(committed_notes(), 0);
    Transaction next(connection_);
    next.commit();
}

TEST_F(TransactionTest, Calls_back_in_order_after_the_commit) {
    std::vector<std::string> calls;
    Transaction transaction(connection_);
    transaction.execute("INSERT INTO NOTE VALUES ('a')");
    transaction.on_commit([&] {
        calls.push_back("first, notes: " + std::to_string(committed_notes()));
    });
    transaction.on_commit([&] { calls.emplace_back("second"); });
    EXPECT_TRUE(calls.empty());
    transaction.commit();
    EXPECT_EQ(calls, (std::vector<std::string>{"first, notes: 1", "second"}));
}

TEST_F(TransactionTest, Calls_nobody_back_unless_the_commit_is_certain) {
    const auto never = [] { ADD_FAILURE() << "called back"; };
    {
        Transaction transaction(connection_);
        transaction.on_commit(never);
    }
    faults_.add({.point = FaultPoint::before_commit, .kind = DbErrorKind::conflict});
    faults_.add({.point = FaultPoint::after_commit, .kind = DbErrorKind::in_doubt});
    for (int i = 0; i < 2; ++i) {
        Transaction transaction(connection_);
        transaction.on_commit(never);
        EXPECT_THROW(transaction.commit(), DbError);
    }
}

TEST_F(TransactionTest, Does_not_begin_when_the_database_does_not_let_it) {
    faults_.add({.point = FaultPoint::begin, .kind = DbErrorKind::busy});
    EXPECT_THROW(Transaction{connection_}, DbError);
    EXPECT_NO_THROW(Transaction{connection_});
}

}  // namespace
}  // namespace jobstrand::persistence
