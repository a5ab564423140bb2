#include "persistence/sql/transaction_runner.hpp"

#include "test/fixtures/faulty_connection.hpp"
#include "test/fixtures/recording_log.hpp"
#include "test/fixtures/sqlite_file.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace jobstrand::persistence {
namespace {

using test::FaultPoint;
using Access = SessionPool::Access;

/// Runs work on a real file, through connections that fail as planned. Nothing waits.
class TransactionRunnerTest : public testing::Test {
protected:
    static constexpr RetryLimits kLimits{
        .attempts = 4,
        .wait = schema::Duration(0),
        .wait_max = schema::Duration(0),
        .doubt_max = schema::Duration(50),
    };

    TransactionRunnerTest() { file_.connect()->run_script("CREATE TABLE NOTE (ID_ text)"); }

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

    [[nodiscard]] std::int64_t committed_notes() const {
        std::int64_t notes = -1;
        file_.connect()->query(
            {.sql = "SELECT count(*) FROM NOTE", .columns = 1},
            {},
            [&](const Row& row) { notes = row.integer(0); }
        );
        return notes;
    }

    void expect_error(
        DbErrorKind kind,
        const TransactionRunner::Work& work,
        const TransactionRunner::WasCommitted& was_committed
    ) {
        try {
            runner_.run(work, was_committed);
            FAIL() << "no error";
        } catch (const DbError& error) {
            EXPECT_EQ(error.kind(), kind) << error.what();
        }
    }

    test::SqliteFile file_ = test::SqliteFile::without_schema();
    test::FaultPlan faults_;
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

}  // namespace
}  // namespace jobstrand::persistence
