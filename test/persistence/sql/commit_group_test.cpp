#include "persistence/sql/session_pool.hpp"
#include "persistence/sql/transaction_runner.hpp"
#include "test/fixtures/faulty_connection.hpp"
#include "test/fixtures/recording_log.hpp"
#include "test/fixtures/signal.hpp"
#include "test/fixtures/sqlite_file.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <future>
#include <stdexcept>
#include <thread>
#include <vector>

namespace jobstrand::persistence {
namespace {

using test::FaultPoint;
using Access = SessionPool::Access;

/// Several threads write notes through one connection to a real file.
class CommitGroupTest : public testing::Test {
protected:
    static constexpr RetryLimits kLimits{
        .wait = schema::Duration(0),
        .wait_max = schema::Duration(0),
    };

    CommitGroupTest() { file_.connect()->run_script("CREATE TABLE NOTE (ID_ text)"); }

    static void write_note(Transaction& transaction) {
        transaction.execute("INSERT INTO NOTE VALUES ('a')");
    }

    /// What another connection sees.
    [[nodiscard]] std::int64_t committed_notes() const {
        std::int64_t notes = -1;
        file_.connect()->query(
            {.sql = "SELECT count(*) FROM NOTE", .columns = 1},
            {},
            [&](const Row& row) { notes = row.integer(0); }
        );
        return notes;
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

    test::SqliteFile file_ = test::SqliteFile::without_schema();
    test::FaultPlan faults_;
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
    run_both([&] {
        const auto failing = [](Transaction& transaction) {
            write_note(transaction);
            throw std::runtime_error("no");
        };
        EXPECT_THROW(runner_.run(failing, {}), std::runtime_error);
    });
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
    try {
        runner_.run(first, {});
        FAIL() << "no error";
    } catch (const DbError& error) {
        EXPECT_EQ(error.kind(), DbErrorKind::storage_full);
    }
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
    std::vector<std::future<void>> threads;
    for (int thread = 0; thread < kThreads; ++thread) {
        threads.push_back(std::async(std::launch::async, [&, thread] {
            for (int note = 0; note < kNotes; ++note) {
                runner_.run(write_note, {}, note % 5 == 0 ? Commit::alone : Commit::shared);
                if ((note + thread) % 10 == 0) {
                    const auto failing = [](Transaction& transaction) {
                        write_note(transaction);
                        throw std::runtime_error("no");
                    };
                    EXPECT_THROW(runner_.run(failing, {}), std::runtime_error);
                }
            }
        }));
    }
    for (std::future<void>& thread : threads) {
        thread.get();
    }
    EXPECT_EQ(committed_notes(), kThreads * kNotes);
}

TEST(CommitGroup, Takes_nobody_in_when_the_first_has_waited_for_long) {
    const CommitGroup group;
    EXPECT_TRUE(group.may_grow());
    EXPECT_TRUE(test::eventually([&] { return !group.may_grow(); }));
}

}  // namespace
}  // namespace jobstrand::persistence
