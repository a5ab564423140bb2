#include "persistence/sql/sql_transaction.hpp"
#include "test/persistence/adapter_test.hpp"

#include <gmock/gmock.h>

#include <future>

namespace jobstrand::test {

namespace {

using persistence::Connection;

/// What several transactions at once see of each other on a server.
class ServerTransactionTest : public AdapterTest {
protected:
    void prepare() override { create_notes(); }

    [[nodiscard]] std::vector<std::string> numbers() {
        return texts_of("SELECT NUMBER_ FROM NOTE ORDER BY ID_");
    }

    /// From now on the connection waits for a second only.
    void shorten_lock_wait() {
        connection_->run_script(
            GetParam() == "mysql" ? "SET innodb_lock_wait_timeout = 1" : "SET lock_timeout = '1s'"
        );
    }
};

ON_EVERY_SERVER(ServerTransactionTest);

constexpr std::string_view kSetNumber = "UPDATE NOTE SET NUMBER_ = ? WHERE ID_ = ?";

void set_number(Transaction& transaction, std::string_view id, std::int64_t number) {
    transaction.execute(kSetNumber, {Value{number}, Value{id}});
}

/// Two transactions that wait for each other: the one that the server has chosen to fail, and why.
struct Deadlock {
    explicit Deadlock(Connection& one, Connection& two) : first(one), second(two) {
        set_number(first, "a", 10);
        set_number(second, "b", 20);
        auto waiting =
            std::async(std::launch::async, [this] { return try_to_set(first, "b", 11); });
        error = try_to_set(second, "a", 21);
        loser = error ? &second : &first;
        const auto other_error = waiting.get();
        error = error ? error : other_error;
    }

    static std::optional<DbError>
    try_to_set(Transaction& transaction, std::string_view id, std::int64_t number) {
        try {
            set_number(transaction, id, number);
            return std::nullopt;
        } catch (const DbError& caught) {
            return caught;
        }
    }

    Transaction first;
    Transaction second;
    Transaction* loser = nullptr;
    std::optional<DbError> error;
};

TEST_P(ServerTransactionTest, What_is_committed_is_seen_by_others_and_what_is_not_is_not) {
    const auto other = connect();
    Transaction transaction(*other);
    set_number(transaction, "a", 7);
    EXPECT_THAT(numbers(), ElementsAre("1", "2"));
    transaction.commit();
    EXPECT_EQ(transaction.state(), Transaction::State::committed);
    EXPECT_THAT(numbers(), ElementsAre("7", "2"));
}

TEST_P(ServerTransactionTest, The_end_of_the_scope_rolls_back) {
    {
        Transaction transaction(*connection_);
        set_number(transaction, "a", 7);
    }
    EXPECT_THAT(numbers(), ElementsAre("1", "2"));
    EXPECT_TRUE(connection_->is_usable());
}

TEST_P(ServerTransactionTest, Outside_of_a_transaction_each_statement_commits) {
    execute(kSetNumber, {Value{std::int64_t{7}}, Value{"a"}});
    connection_ = connect();
    EXPECT_THAT(numbers(), ElementsAre("7", "2"));
}

TEST_P(ServerTransactionTest, A_transaction_sees_what_others_commit_meanwhile) {
    const auto other = connect();
    Transaction transaction(*other);
    const auto read_number = [&] {
        std::int64_t number = 0;
        transaction.query(
            {.sql = "SELECT NUMBER_ FROM NOTE WHERE ID_ = 'a'", .columns = 1},
            {},
            [&](const Row& row) { number = row.integer(0); }
        );
        return number;
    };
    EXPECT_EQ(read_number(), 1);
    execute(kSetNumber, {Value{std::int64_t{7}}, Value{"a"}});
    EXPECT_EQ(read_number(), 7);
}

TEST_P(ServerTransactionTest, Two_transactions_that_wait_for_each_other_are_a_conflict_for_one) {
    const auto other = connect();
    Deadlock deadlock(*connection_, *other);
    ASSERT_TRUE(deadlock.error);
    EXPECT_EQ(deadlock.error->kind(), DbErrorKind::conflict);
    EXPECT_TRUE(deadlock.error->is_transient());
    EXPECT_TRUE(connection_->is_usable());
    EXPECT_TRUE(other->is_usable());
}

TEST_P(ServerTransactionTest, The_loser_of_a_deadlock_cannot_go_on_as_if_nothing_had_happened) {
    const auto other = connect();
    {
        Deadlock deadlock(*connection_, *other);
        ASSERT_TRUE(deadlock.error);
        // Such a statement would commit on its own, and so would this COMMIT pretend to have.
        expect_error(DbErrorKind::conflict, [&] { set_number(*deadlock.loser, "a", 99); });
        expect_error(DbErrorKind::conflict, [&] { deadlock.loser->commit(); });
        EXPECT_EQ(deadlock.loser->state(), Transaction::State::rolled_back);
    }
    EXPECT_THAT(numbers(), ElementsAre("1", "2"));
    for (Connection* const connection : {connection_.get(), other.get()}) {
        Transaction again(*connection);
        set_number(again, "a", 5);
        again.commit();
    }
    EXPECT_THAT(numbers(), ElementsAre("5", "2"));
}

TEST_P(ServerTransactionTest, A_lock_that_somebody_keeps_is_waited_for_within_a_bound) {
    const auto other = connect();
    Transaction holding(*other);
    set_number(holding, "a", 7);
    shorten_lock_wait();
    Transaction waiting(*connection_);
    set_number(waiting, "b", 8);
    expect_error(DbErrorKind::busy, [&] { set_number(waiting, "a", 8); });
    EXPECT_TRUE(connection_->is_usable());
}

TEST_P(ServerTransactionTest, A_row_that_somebody_has_locked_can_be_passed_over) {
    const auto other = connect();
    Transaction holding(*other);
    set_number(holding, "a", 7);
    EXPECT_EQ(text_of("SELECT ID_ FROM NOTE ORDER BY ID_ LIMIT 1 FOR UPDATE SKIP LOCKED"), "b");
}

TEST_P(ServerTransactionTest, A_read_only_transaction_says_so) {
    connection_->run_script("START TRANSACTION READ ONLY");
    expect_error(DbErrorKind::read_only, [&] {
        execute(kSetNumber, {Value{std::int64_t{7}}, Value{"a"}});
    });
    connection_->rollback();
}

}  // namespace

}  // namespace jobstrand::test
