#include "persistence/rows/store_context.hpp"
#include "persistence/sql/session_pool.hpp"
#include "persistence/sql/sql_transaction.hpp"
#include "persistence/sql/transaction_runner.hpp"
#include "test/fixtures/at_once.hpp"
#include "test/fixtures/error_of.hpp"
#include "test/fixtures/faulty_connection.hpp"
#include "test/fixtures/recording_log.hpp"
#include "test/fixtures/signal.hpp"
#include "test/fixtures/sqlite_file.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <functional>
#include <future>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <vector>

namespace jobstrand::persistence {

namespace {

using test::FaultPoint;
using namespace std::chrono_literals;
using Access = SessionPool::Access;

/// A real file for notes, and connections that fail as planned.
class NotesTest : public testing::Test {
protected:
    NotesTest() { file_.connect()->run_script("CREATE TABLE NOTE (ID_ text)"); }

    /// Seen by somebody else: only what was committed.
    [[nodiscard]] std::int64_t committed_notes() const {
        std::int64_t notes = -1;
        file_.connect(Access::read)
            ->query({.sql = "SELECT count(*) FROM NOTE", .columns = 1}, {}, [&](const Row& row) {
                notes = row.integer(0);
            });
        return notes;
    }

    const test::SqliteFile file_ = test::SqliteFile::without_schema();
    test::FaultPlan faults_;
};

class TransactionTest : public NotesTest {
protected:
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
    test::expect_error(DbErrorKind::conflict, [&] {
        transaction.execute("INSERT INTO NOTE VALUES ('b')");
    });
    test::expect_error(DbErrorKind::conflict, [&] {
        transaction.execute("INSERT INTO NOTE VALUES ('c')");
    });
    test::expect_error(DbErrorKind::conflict, [&] {
        transaction.query({.sql = "SELECT 1", .columns = 1}, {}, [](const Row&) {});
    });
    EXPECT_EQ(transaction.state(), Transaction::State::active);
    test::expect_error(DbErrorKind::conflict, [&] { transaction.commit(); });
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

/// Runs work on a real file, through connections that fail as planned. Nothing waits.
class TransactionRunnerTest : public NotesTest {
protected:
    static constexpr RetryLimits kLimits{
        .attempts = 4,
        .wait = schema::Duration(0),
        .wait_max = schema::Duration(0),
        .doubt_max = schema::Duration(50),
    };

    std::unique_ptr<Connection> connect(Access access) {
        ++connections_;
        return file_.connect(access);
    }

    TransactionRunner::Work writing_a_note() {
        return [this](Transaction& transaction) {
            ++runs_;
            transaction.execute("INSERT INTO NOTE VALUES ('a')");
        };
    }

    /// Looks for the note.
    TransactionRunner::WasCommitted looking() {
        return [this](Transaction& transaction) {
            ++looks_;
            bool found = false;
            transaction.query({.sql = "SELECT 1 FROM NOTE", .columns = 1}, {}, [&](const Row&) {
                found = true;
            });
            return found;
        };
    }

    void expect_error(
        DbErrorKind kind,
        const TransactionRunner::Work& work,
        const TransactionRunner::WasCommitted& was_committed
    ) {
        test::expect_error(kind, [&] { runner_.run(work, was_committed); });
    }

    test::RecordingLog log_;
    int connections_ = 0;
    int runs_ = 0;
    int looks_ = 0;
    SessionPool pool_{
        test::with_faults([this](Access access) { return connect(access); }, faults_),
        {.writers = 1, .readers = 1},
        schema::Duration(1000)};
    TransactionRunner runner_{pool_, log_, kLimits};
};

TEST_F(TransactionRunnerTest, Commits_what_the_work_wrote) {
    runner_.run(writing_a_note(), looking());
    EXPECT_EQ(committed_notes(), 1);
    EXPECT_EQ(runs_, 1);
    EXPECT_EQ(looks_, 0);
}

TEST_F(TransactionRunnerTest, Runs_the_whole_work_again_after_a_conflict_wherever_it_happens) {
    for (const FaultPoint point :
         {FaultPoint::begin, FaultPoint::execute, FaultPoint::before_commit}) {
        faults_.add({.point = point, .kind = DbErrorKind::conflict});
        runner_.run(writing_a_note(), {});
    }
    EXPECT_EQ(committed_notes(), 3);
    EXPECT_EQ(connections_, 1);
}

TEST_F(TransactionRunnerTest, Runs_the_work_again_even_when_it_swallowed_the_conflict) {
    faults_.add({.point = FaultPoint::execute, .kind = DbErrorKind::conflict});
    const auto careless = [this](Transaction& transaction) {
        try {
            writing_a_note()(transaction);
        } catch (const DbError&) {
        }
    };
    runner_.run(careless, {});
    EXPECT_EQ(committed_notes(), 1);
    EXPECT_EQ(runs_, 2);
}

TEST_F(TransactionRunnerTest, Goes_on_with_a_new_connection_when_one_is_lost) {
    faults_.add({.point = FaultPoint::execute, .kind = DbErrorKind::connection_lost});
    runner_.run(writing_a_note(), {});
    EXPECT_EQ(committed_notes(), 1);
    EXPECT_EQ(runs_, 2);
    EXPECT_EQ(connections_, 2);
}

TEST_F(TransactionRunnerTest, What_was_committed_or_read_is_counted_and_so_is_what_failed) {
    runner_.read([](Connection& /*connection*/) {});
    faults_.add({.point = FaultPoint::execute, .kind = DbErrorKind::conflict, .times = 2});
    runner_.run(writing_a_note(), {});
    faults_.add({.point = FaultPoint::execute, .kind = DbErrorKind::busy, .times = 100});
    expect_error(DbErrorKind::busy, writing_a_note(), {});
    const AccessCounts& counts = runner_.counts();
    EXPECT_EQ(counts.failures(DbErrorKind::conflict), 2U);
    EXPECT_EQ(counts.failures(DbErrorKind::busy), static_cast<std::uint64_t>(kLimits.attempts));
    EXPECT_EQ(counts.failures(DbErrorKind::connection_lost), 0U);
    EXPECT_EQ(counts.writes.total(), 1U);
    EXPECT_EQ(counts.reads.total(), 1U);
}

TEST_F(TransactionRunnerTest, Gives_up_when_its_tries_are_used_up) {
    faults_.add({.point = FaultPoint::execute, .kind = DbErrorKind::busy, .times = 100});
    expect_error(DbErrorKind::busy, writing_a_note(), {});
    EXPECT_EQ(runs_, kLimits.attempts);
    EXPECT_EQ(committed_notes(), 0);
}

TEST_F(TransactionRunnerTest, Gives_up_when_its_time_is_over) {
    RetryLimits limits = kLimits;
    limits.give_up_after = schema::Duration(0);
    TransactionRunner hasty(pool_, log_, limits);
    faults_.add({.point = FaultPoint::execute, .kind = DbErrorKind::busy});
    EXPECT_THROW(hasty.run(writing_a_note(), {}), DbError);
    EXPECT_EQ(runs_, 1);
}

TEST_F(TransactionRunnerTest, Does_not_repeat_what_cannot_get_better) {
    for (const DbErrorKind kind :
         {DbErrorKind::duplicate_key,
          DbErrorKind::too_long,
          DbErrorKind::read_only,
          DbErrorKind::storage_full,
          DbErrorKind::schema_missing,
          DbErrorKind::other}) {
        runs_ = 0;
        faults_.add({.point = FaultPoint::execute, .kind = kind});
        expect_error(kind, writing_a_note(), looking());
        EXPECT_EQ(runs_, 1) << name_of(kind);
    }
    EXPECT_EQ(committed_notes(), 0);
}

TEST_F(TransactionRunnerTest, Lets_the_works_own_exceptions_through_and_keeps_nothing) {
    const auto work = [this](Transaction& transaction) {
        writing_a_note()(transaction);
        throw std::runtime_error("no such customer");
    };
    EXPECT_THROW(runner_.run(work, {}), std::runtime_error);
    EXPECT_EQ(runs_, 1);
    EXPECT_EQ(committed_notes(), 0);
}

// I9
TEST_F(TransactionRunnerTest, A_commit_in_doubt_that_had_arrived_is_not_repeated) {
    faults_.add({.point = FaultPoint::after_commit, .kind = DbErrorKind::in_doubt});
    runner_.run(writing_a_note(), looking());
    EXPECT_EQ(committed_notes(), 1);
    EXPECT_EQ(runs_, 1);
    EXPECT_EQ(looks_, 1);
    EXPECT_EQ(connections_, 2);
}

// I9
TEST_F(TransactionRunnerTest, A_commit_in_doubt_that_never_arrived_is_repeated) {
    faults_.add({.point = FaultPoint::before_commit, .kind = DbErrorKind::in_doubt});
    runner_.run(writing_a_note(), looking());
    EXPECT_EQ(committed_notes(), 1);
    EXPECT_EQ(runs_, 2);
    EXPECT_EQ(looks_, 1);
}

// I9
TEST_F(TransactionRunnerTest, A_doubt_that_nobody_can_resolve_is_thrown) {
    faults_.add({.point = FaultPoint::after_commit, .kind = DbErrorKind::in_doubt});
    expect_error(DbErrorKind::in_doubt, writing_a_note(), {});
    EXPECT_EQ(runs_, 1);
    EXPECT_EQ(committed_notes(), 1);
}

TEST_F(TransactionRunnerTest, Asks_again_when_the_database_was_away_at_the_first_asking) {
    faults_.add({.point = FaultPoint::after_commit, .kind = DbErrorKind::in_doubt});
    faults_.add({.point = FaultPoint::connect, .kind = DbErrorKind::unreachable, .skip = 1});
    faults_.add({.point = FaultPoint::query, .kind = DbErrorKind::connection_lost});
    runner_.run(writing_a_note(), looking());
    EXPECT_EQ(committed_notes(), 1);
    EXPECT_EQ(runs_, 1);
    EXPECT_EQ(looks_, 2);
}

TEST_F(TransactionRunnerTest, Says_in_doubt_when_the_database_stays_away) {
    faults_.add({.point = FaultPoint::after_commit, .kind = DbErrorKind::in_doubt});
    constexpr int for_ever = 1'000'000;
    faults_.add(
        {.point = FaultPoint::connect,
         .kind = DbErrorKind::unreachable,
         .times = for_ever,
         .skip = 1}
    );
    expect_error(DbErrorKind::in_doubt, writing_a_note(), looking());
    EXPECT_EQ(runs_, 1);
    EXPECT_EQ(looks_, 0);
}

TEST_F(TransactionRunnerTest, A_doubt_outlasts_a_database_that_is_away_for_longer_than_other_work) {
    faults_.add({.point = FaultPoint::after_commit, .kind = DbErrorKind::in_doubt});
    faults_.add(
        {.point = FaultPoint::connect,
         .kind = DbErrorKind::unreachable,
         .times = 10 * kLimits.attempts,
         .skip = 1}
    );
    RetryLimits limits = kLimits;
    limits.doubt_max = std::chrono::minutes(1);
    TransactionRunner(pool_, log_, limits).run(writing_a_note(), looking());
    EXPECT_EQ(committed_notes(), 1);
    EXPECT_EQ(runs_, 1);
}

TEST_F(TransactionRunnerTest, An_outage_is_said_once_when_it_begins_and_once_when_it_ends) {
    faults_.add({.point = FaultPoint::execute, .kind = DbErrorKind::connection_lost});
    faults_.add(
        {.point = FaultPoint::connect, .kind = DbErrorKind::unreachable, .times = 2, .skip = 1}
    );
    expect_error(DbErrorKind::unreachable, writing_a_note(), looking());
    expect_error(DbErrorKind::unreachable, writing_a_note(), looking());
    EXPECT_EQ(log_.count(schema::LogLevel::warn, "the database is away"), 1);
    EXPECT_EQ(log_.count(schema::LogLevel::info, "the database is back"), 0);
    runner_.run(writing_a_note(), looking());
    runner_.run(writing_a_note(), looking());
    EXPECT_EQ(log_.count(schema::LogLevel::warn, ""), 1);
    EXPECT_EQ(log_.count(schema::LogLevel::info, "the database is back"), 1);
}

TEST_F(TransactionRunnerTest, A_database_that_can_only_be_read_is_not_back_when_a_read_succeeds) {
    const auto read = [](Connection& connection) {
        connection.query({.sql = "SELECT 1", .columns = 1}, {}, [](const Row&) {});
    };
    for (const DbErrorKind kind : {DbErrorKind::read_only, DbErrorKind::storage_full}) {
        faults_.add({.point = FaultPoint::execute, .kind = kind});
        expect_error(kind, writing_a_note(), looking());
        runner_.read(read);
        EXPECT_EQ(log_.count(schema::LogLevel::info, "the database is back"), 0);
        runner_.run(writing_a_note(), looking());
        EXPECT_EQ(log_.lines().back().message, "the database is back");
        log_.clear();
    }
}

// After a failover another server takes the writes.
TEST_F(TransactionRunnerTest, A_connection_that_takes_no_writes_is_replaced) {
    faults_.add({.point = FaultPoint::execute, .kind = DbErrorKind::read_only});
    expect_error(DbErrorKind::read_only, writing_a_note(), looking());
    runner_.run(writing_a_note(), looking());
    EXPECT_EQ(connections_, 2);
}

TEST_F(TransactionRunnerTest, Conflicts_are_no_outage) {
    faults_.add({.point = FaultPoint::execute, .kind = DbErrorKind::conflict, .times = 2});
    runner_.run(writing_a_note(), looking());
    EXPECT_EQ(log_.count(schema::LogLevel::warn, ""), 0);
    EXPECT_EQ(log_.count(schema::LogLevel::info, ""), 0);
}

TEST_F(TransactionRunnerTest, Two_doubts_in_a_row_are_both_resolved) {
    faults_.add({.point = FaultPoint::before_commit, .kind = DbErrorKind::in_doubt});
    faults_.add({.point = FaultPoint::after_commit, .kind = DbErrorKind::in_doubt});
    runner_.run(writing_a_note(), looking());
    EXPECT_EQ(committed_notes(), 1);
    EXPECT_EQ(runs_, 2);
    EXPECT_EQ(looks_, 2);
}

TEST_F(TransactionRunnerTest, Reads_again_after_a_transient_error) {
    faults_.add({.point = FaultPoint::query, .kind = DbErrorKind::connection_lost});
    int reads = 0;
    runner_.read([&reads](Connection& connection) {
        ++reads;
        connection.query({.sql = "SELECT 1", .columns = 1}, {}, [](const Row&) {});
    });
    EXPECT_EQ(reads, 2);
}

TEST_F(TransactionRunnerTest, Reads_once_when_reading_again_does_not_help) {
    faults_.add({.point = FaultPoint::query, .kind = DbErrorKind::schema_missing});
    int reads = 0;
    const auto read = [&reads](Connection& connection) {
        ++reads;
        connection.query({.sql = "SELECT 1", .columns = 1}, {}, [](const Row&) {});
    };
    EXPECT_THROW(runner_.read(read), DbError);
    EXPECT_EQ(reads, 1);
}

/// Several threads write notes through one connection to a real file.
class CommitGroupTest : public NotesTest {
protected:
    static constexpr RetryLimits kLimits{
        .wait = schema::Duration(0),
        .wait_max = schema::Duration(0),
    };

    static void write_note(Transaction& transaction) {
        transaction.execute("INSERT INTO NOTE VALUES ('a')");
    }

    /// Runs work that writes a note and fails.
    void expect_failing() {
        const auto failing = [](Transaction& transaction) {
            write_note(transaction);
            throw std::runtime_error("no");
        };
        EXPECT_THROW(runner_.run(failing, {}), std::runtime_error);
    }

    /// Runs the first work, during which the second begins to wait for the connection; returns
    /// when both have ended.
    void run_both(const std::function<void()>& second) {
        std::future<void> other;
        runner_.run(
            [&](Transaction& transaction) {
                ++first_runs_;
                write_note(transaction);
                if (!other.valid()) {
                    other = std::async(std::launch::async, second);
                    ASSERT_TRUE(test::eventually([&] { return pool_.waiting(Access::write) == 1; })
                    );
                }
            },
            looking_for_first()
        );
        other.get();
    }

    /// Runs both, and returns what was committed when the second one began to write.
    std::int64_t committed_before_second(Commit commit) {
        std::int64_t before = -1;
        run_both([&] {
            runner_.run(
                [&](Transaction& transaction) {
                    before = committed_notes();
                    write_note(transaction);
                },
                {},
                commit
            );
        });
        return before;
    }

    TransactionRunner::WasCommitted looking_for_first() {
        return [this](Transaction&) {
            ++first_looks_;
            return true;
        };
    }

    test::RecordingLog log_;
    int first_runs_ = 0;
    int first_looks_ = 0;
    SessionPool pool_{
        test::with_faults([this](Access access) { return file_.connect(access); }, faults_),
        {.writers = 1, .readers = 1},
        schema::Duration(60'000)};
    TransactionRunner runner_{pool_, log_, kLimits};
};

TEST_F(CommitGroupTest, Work_that_waits_for_the_connection_goes_on_with_the_transaction) {
    EXPECT_EQ(committed_before_second(Commit::shared), 0);
    EXPECT_EQ(committed_notes(), 2);
    EXPECT_EQ(first_runs_, 1);
}

TEST_F(CommitGroupTest, Work_that_is_to_be_alone_begins_after_the_commit) {
    EXPECT_EQ(committed_before_second(Commit::alone), 1);
    EXPECT_EQ(committed_notes(), 2);
}

TEST_F(CommitGroupTest, When_one_fails_the_others_are_done_again_without_it) {
    run_both([&] { expect_failing(); });
    EXPECT_EQ(committed_notes(), 1);
    EXPECT_EQ(first_runs_, 2);
    EXPECT_EQ(first_looks_, 0) << "it is known that it was rolled back";
}

TEST_F(CommitGroupTest, A_commit_that_fails_fails_for_all) {
    faults_.add({.point = FaultPoint::before_commit, .kind = DbErrorKind::storage_full});
    std::atomic<bool> has_second_failed = false;
    const auto second = [&] {
        try {
            runner_.run(write_note, {});
        } catch (const DbError& error) {
            has_second_failed = error.kind() == DbErrorKind::storage_full;
        }
    };
    std::future<void> other;
    const auto first = [&](Transaction& transaction) {
        write_note(transaction);
        other = std::async(std::launch::async, second);
        ASSERT_TRUE(test::eventually([&] { return pool_.waiting(Access::write) == 1; }));
    };
    test::expect_error(DbErrorKind::storage_full, [&] { runner_.run(first, {}); });
    other.get();
    EXPECT_TRUE(has_second_failed);
    EXPECT_EQ(committed_notes(), 0);
}

TEST_F(CommitGroupTest, A_commit_in_doubt_is_asked_about_by_each_of_them) {
    faults_.add({.point = FaultPoint::after_commit, .kind = DbErrorKind::in_doubt});
    int second_looks = 0;
    run_both([&] {
        runner_.run(write_note, [&](Transaction&) {
            ++second_looks;
            return true;
        });
    });
    EXPECT_EQ(first_looks_, 1);
    EXPECT_EQ(second_looks, 1);
    EXPECT_EQ(committed_notes(), 2);
}

TEST_F(CommitGroupTest, Each_hears_of_the_commit_after_it_on_its_own_thread) {
    std::int64_t seen_by_first = -1;
    std::thread::id thread_of_first;
    std::future<void> other;
    runner_.run(
        [&](Transaction& transaction) {
            write_note(transaction);
            transaction.on_commit([&] {
                seen_by_first = committed_notes();
                thread_of_first = std::this_thread::get_id();
            });
            other = std::async(std::launch::async, [&] { runner_.run(write_note, {}); });
            ASSERT_TRUE(test::eventually([&] { return pool_.waiting(Access::write) == 1; }));
        },
        {}
    );
    other.get();
    EXPECT_EQ(seen_by_first, 2);
    EXPECT_EQ(thread_of_first, std::this_thread::get_id());
}

TEST_F(CommitGroupTest, Many_threads_lose_nothing_although_some_fail) {
    constexpr int kThreads = 8;
    constexpr int kNotes = 50;
    test::at_once(kThreads, [this](std::size_t thread) {
        for (int note = 0; note < kNotes; ++note) {
            runner_.run(write_note, {}, note % 5 == 0 ? Commit::alone : Commit::shared);
            if ((note + static_cast<int>(thread)) % 10 == 0) {
                expect_failing();
            }
        }
    });
    EXPECT_EQ(committed_notes(), kThreads * kNotes);
}

TEST(CommitGroup, Takes_nobody_in_when_the_first_has_waited_for_long) {
    const CommitGroup group;
    EXPECT_TRUE(group.may_grow());
    EXPECT_TRUE(test::eventually([&] { return !group.may_grow(); }));
}

// Which groups of jobs a transaction touches.
constexpr std::array<std::string_view, 2> kOne{"a", "b"};
constexpr std::array<std::string_view, 2> kOverlapping{"b", "c"};
constexpr std::array<std::string_view, 1> kOther{"d"};

TEST(GroupTurns, One_at_other_groups_begins_at_once) {
    GroupTurns turns;
    const auto one = turns.wait_for(kOne);
    EXPECT_NE(turns.wait_for(kOther), nullptr);
}

TEST(GroupTurns, One_at_a_group_in_common_begins_when_the_first_ends) {
    GroupTurns turns;
    auto one = turns.wait_for(kOne);
    auto second = std::async(std::launch::async, [&] { return turns.wait_for(kOverlapping); });
    EXPECT_EQ(second.wait_for(20ms), std::future_status::timeout);
    one.reset();
    EXPECT_NE(second.get(), nullptr);
}

TEST(GroupTurns, One_that_never_ends_holds_nobody_up_for_long) {
    GroupTurns turns;
    const auto one = turns.wait_for(kOne);
    auto second = turns.wait_for(kOverlapping);
    second.reset();
    // What is the first one's stays so.
    auto third = std::async(std::launch::async, [&] { return turns.wait_for(kOne); });
    EXPECT_EQ(third.wait_for(20ms), std::future_status::timeout);
}

}  // namespace

}  // namespace jobstrand::persistence
