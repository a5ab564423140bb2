#include "persistence/drivers/sqlite/sqlite_connection.hpp"
#include "persistence/drivers/sqlite/sqlite_database.hpp"
#include "persistence/drivers/sqlite/sqlite_listener.hpp"
#include "persistence/sql/db_error.hpp"
#include "test/fixtures/signal.hpp"
#include "test/fixtures/sqlite_file.hpp"
#include "test/fixtures/temporary_directory.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <future>
#include <string>

namespace jobstrand::persistence {

namespace {

using namespace std::chrono_literals;

class WriterQueueTest : public testing::Test {
protected:
    /// The log, which comes with the first connection.
    [[nodiscard]] std::string log() const { return file_.path().string() + "-wal"; }

    test::SqliteFile file_;
    const std::unique_ptr<Connection> writer_ = file_.connect();
    const std::unique_ptr<Connection> other_ = file_.connect();
};

TEST_F(WriterQueueTest, Who_stands_at_its_head_writes_before_whoever_comes_then) {
    WriterQueue first(log());
    std::atomic<bool> has_ended = false;
    std::future<bool> began;
    {
        const WriterQueue::Turn turn(first, 1s);
        began = std::async(std::launch::async, [&] {
            writer_->begin();
            return has_ended.load();
        });
        has_ended = true;
    }
    EXPECT_TRUE(began.get());
    writer_->commit();
}

TEST_F(WriterQueueTest, The_head_is_free_as_soon_as_the_transaction_has_begun) {
    writer_->begin();
    std::atomic<bool> has_ended = false;
    auto began = std::async(std::launch::async, [&] {
        other_->begin();
        return has_ended.load();
    });
    has_ended = true;
    writer_->commit();
    EXPECT_TRUE(began.get()) << "the place at the head is no right to write";
    other_->rollback();
}

TEST_F(WriterQueueTest, One_that_is_frozen_at_its_head_does_not_stop_the_others) {
    WriterQueue frozen(log());
    const WriterQueue::Turn turn(frozen, 1s);
    const auto impatient = open_sqlite(
        {.path = file_.path(), .synchronous = "off", .busy_timeout = 10ms},
        SessionPool::Access::write
    );
    impatient->begin();
    impatient->commit();
}

TEST_F(WriterQueueTest, One_that_is_frozen_at_its_head_slows_only_the_first_turn_of_another) {
    WriterQueue frozen(log());
    WriterQueue other(log());
    const auto began = std::chrono::steady_clock::now();
    {
        const WriterQueue::Turn turn(frozen, 1s);
        const WriterQueue::Turn in_vain(other, 1ms);
        for (int turns = 0; turns < 5; ++turns) {
            const WriterQueue::Turn in_vain_again(other, 1h);
        }
    }
    EXPECT_LT(std::chrono::steady_clock::now() - began, 1s);
}

TEST_F(WriterQueueTest, Who_was_at_its_head_again_waits_as_long_as_before) {
    WriterQueue first(log());
    WriterQueue other(log());
    {
        const WriterQueue::Turn turn(first, 1s);
        const WriterQueue::Turn in_vain(other, 1ms);
    }
    { const WriterQueue::Turn there_again(other, 1s); }
    const auto began = std::chrono::steady_clock::now();
    const WriterQueue::Turn turn(first, 1s);
    const WriterQueue::Turn in_vain(other, 50ms);
    EXPECT_GE(std::chrono::steady_clock::now() - began, 50ms);
}

TEST_F(WriterQueueTest, Without_a_log_nobody_queues) {
    WriterQueue queue("/no/such/file-wal");
    const WriterQueue::Turn turn(queue, 1h);
}

TEST_F(WriterQueueTest, Who_opens_a_link_stands_in_the_queue_of_its_file) {
    const std::string link = file_.path().string() + ".link";
    std::filesystem::create_symlink(file_.path(), link);
    const auto by_link = open_sqlite(
        {.path = link, .synchronous = "off", .busy_timeout = 10ms}, SessionPool::Access::write
    );
    std::chrono::steady_clock::time_point began;
    WriterQueue first(log());
    {
        const WriterQueue::Turn turn(first, 1s);
        began = std::chrono::steady_clock::now();
        by_link->begin();
    }
    EXPECT_GE(std::chrono::steady_clock::now() - began, 10ms) << "it has waited for its turn";
    by_link->commit();
}

TEST_F(WriterQueueTest, A_statement_without_a_transaction_stands_in_it_too) {
    const auto alone = open_sqlite(
        {.path = file_.path(), .synchronous = "off", .busy_timeout = 10ms},
        SessionPool::Access::write
    );
    std::chrono::steady_clock::time_point began;
    WriterQueue first(log());
    {
        const WriterQueue::Turn turn(first, 1s);
        began = std::chrono::steady_clock::now();
        EXPECT_EQ(alone->execute("DELETE FROM ACT_RU_JOB", {}), 0);
    }
    EXPECT_GE(std::chrono::steady_clock::now() - began, 10ms) << "it has waited for its turn";
}

TEST_F(WriterQueueTest, A_process_that_is_killed_at_its_head_has_left_it) {
    const pid_t child = ::fork();
    if (child == 0) {
        WriterQueue queue(log());
        const WriterQueue::Turn turn(queue, 1h);
        ::raise(SIGKILL);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));
    WriterQueue queue(log());
    const WriterQueue::Turn turn(queue, 1h);
}

TEST_F(WriterQueueTest, Who_has_waited_in_vain_leaves_it) {
    const auto impatient = open_sqlite(
        {.path = file_.path(), .synchronous = "off", .busy_timeout = 1ms},
        SessionPool::Access::write
    );
    writer_->begin();
    EXPECT_THROW(impatient->begin(), DbError);
    writer_->commit();
    other_->begin();
    other_->commit();
}

TEST(WaitForWriter, Gives_up_when_its_patience_is_over) {
    schema::Duration::rep none = 0;
    EXPECT_EQ(wait_for_writer(&none, 0), 0);
    schema::Duration::rep much = 3'600'000;
    EXPECT_EQ(wait_for_writer(&much, 0), 1);
    EXPECT_EQ(wait_for_writer(&much, 1), 1);
}

class SqliteListenerTest : public testing::Test {
protected:
    void insert(const std::string& id) {
        other_->run_script(
            "INSERT INTO ACT_RU_JOB (ID_, HANDLER_TYPE_) VALUES ('" + id + "', 'a')"
        );
    }

    [[nodiscard]] bool is_readable(std::chrono::milliseconds patience = 0ms) const {
        pollfd socket{.fd = listener_->socket(), .events = POLLIN, .revents = 0};
        return ::poll(&socket, 1, static_cast<int>(patience.count())) == 1;
    }

    /// Waits for so many times that it has something to do; how many of them announced something.
    int announced_in(int times) {
        int announced = 0;
        for (int i = 0; i < times; ++i) {
            EXPECT_TRUE(is_readable(test::kPatience));
            announced += listener_->take_announcements() ? 1 : 0;
        }
        return announced;
    }

    test::SqliteFile file_;
    const std::unique_ptr<Connection> other_ = file_.connect();
    const std::unique_ptr<JobListener> listener_ = listen_to_sqlite({.path = file_.path()});
};

TEST_F(SqliteListenerTest, A_commit_of_another_connection_is_announced_once) {
    insert("a");
    EXPECT_EQ(announced_in(1), 1);
    EXPECT_EQ(announced_in(3), 0) << "it looks again for commits that were on their way";
    EXPECT_FALSE(is_readable());
}

TEST_F(SqliteListenerTest, Each_further_commit_is_heard_of) {
    for (const std::string id : {"a", "b", "c"}) {
        insert(id);
        EXPECT_EQ(announced_in(1), 1);
    }
}

TEST_F(SqliteListenerTest, Commits_that_follow_each_other_closely_are_announced_together) {
    insert("a");
    EXPECT_EQ(announced_in(1), 1);
    insert("b");
    EXPECT_FALSE(is_readable()) << "not within 50 ms";
    insert("c");
    EXPECT_EQ(announced_in(4), 1);
}

TEST_F(SqliteListenerTest, It_does_nothing_while_nobody_writes) {
    EXPECT_FALSE(is_readable());
    const auto ignore = [](const Row&) {};
    other_->query({.sql = "SELECT ID_ FROM ACT_RU_JOB", .columns = 1}, {}, ignore);
    EXPECT_FALSE(is_readable());
}

TEST_F(SqliteListenerTest, A_commit_is_announced_when_it_can_be_seen) {
    other_->run_script("PRAGMA cache_size = 1; PRAGMA cache_spill = 1");
    other_->begin();
    other_->run_script(
        "WITH RECURSIVE N(I) AS (SELECT 1 UNION ALL SELECT I + 1 FROM N WHERE I < 2000)"
        "INSERT INTO ACT_RU_JOB (ID_, HANDLER_TYPE_) SELECT 'job ' || I, 'mail' FROM N"
    );
    EXPECT_EQ(announced_in(2), 0) << "it is written, but not committed";
    other_->commit();
    EXPECT_EQ(announced_in(1), 1);
}

TEST_F(SqliteListenerTest, Who_opens_a_link_hears_of_the_commits_to_its_file) {
    const std::filesystem::path link = file_.path().string() + ".link";
    std::filesystem::create_symlink(file_.path(), link);
    const auto by_link = listen_to_sqlite({.path = link});
    insert("a");
    EXPECT_TRUE(by_link->take_announcements());
}

class LogWatchTest : public testing::Test {
protected:
    void write() const { std::ofstream(path(), std::ios::app) << "page"; }

    [[nodiscard]] std::filesystem::path path() const { return directory_.path() / "jobs.db-wal"; }

    const test::TemporaryDirectory directory_;
};

TEST_F(LogWatchTest, What_is_written_is_noticed_once) {
    write();
    LogWatch watch(path());
    EXPECT_FALSE(watch.was_written());
    write();
    write();
    EXPECT_TRUE(watch.was_written());
    EXPECT_FALSE(watch.was_written());
}

TEST_F(LogWatchTest, What_is_written_beside_it_is_no_news) {
    write();
    LogWatch watch(path());
    std::ofstream(directory_.path() / "service.log") << "line";
    EXPECT_FALSE(watch.was_written());
}

TEST_F(LogWatchTest, A_log_that_was_replaced_is_watched_anew) {
    write();
    LogWatch watch(path());
    std::filesystem::rename(path(), path().string() + ".old");
    std::filesystem::remove(path().string() + ".old");
    write();
    EXPECT_TRUE(watch.was_written());
    write();
    EXPECT_TRUE(watch.was_written());
}

TEST_F(LogWatchTest, Without_a_watch_of_the_system_it_goes_by_the_time) {
    LogWatch watch(path());
    EXPECT_EQ(watch.socket(), -1) << "there was no log";
    EXPECT_FALSE(watch.was_written());
    write();
    EXPECT_TRUE(watch.was_written());
    EXPECT_FALSE(watch.was_written());
}

/// A log that has grown beside a reader.
class LogFoldingTest : public testing::Test {
protected:
    LogFoldingTest() {
        writer_->execute("CREATE TABLE big (id INTEGER PRIMARY KEY, text TEXT)", {});
        writer_->execute("INSERT INTO big VALUES (1, 'first')", {});
    }

    void begin_to_read() {
        reader_->run_script("BEGIN");
        reader_->query({.sql = "SELECT id FROM big", .columns = 1}, {}, [](const Row&) {});
    }

    /// In transactions of 4 MiB.
    void write_much(int transactions = 40) {
        const std::string text(std::size_t{4} * 1024 * 1024, 'x');
        for (int i = 0; i < transactions; ++i) {
            writer_->execute("INSERT INTO big (text) VALUES (?)", std::array{Value{text}});
        }
    }

    void write_little() {
        writer_->execute("UPDATE big SET text = hex(randomblob(8)) WHERE id = 1", {});
    }

    [[nodiscard]] std::uintmax_t file_size() const { return std::filesystem::file_size(path()); }
    [[nodiscard]] std::uintmax_t log_size() const {
        return std::filesystem::file_size(path().string() + "-wal");
    }
    [[nodiscard]] std::filesystem::path path() const { return file_.path(); }

    const test::SqliteFile file_ = test::SqliteFile::without_schema();
    const std::unique_ptr<Connection> writer_ = file_.connect();
    const std::unique_ptr<Connection> reader_ = file_.connect(SessionPool::Access::read);
};

constexpr std::uintmax_t kMuch = std::uintmax_t{160} * 1024 * 1024;

TEST_F(LogFoldingTest, A_commit_leaves_what_has_grown_beside_a_reader_to_a_thread) {
    begin_to_read();
    write_much();
    EXPECT_LT(file_size(), kMuch) << "somebody reads what was there before";
    reader_->run_script("COMMIT");
    write_little();
    EXPECT_TRUE(test::eventually([&] { return file_size() > kMuch; })) << "without another commit";
    // The log begins anew when all of it is in the file, and is cut then, a part at a time.
    EXPECT_TRUE(test::eventually([&] {
        write_little();
        return log_size() < kMuch;
    }));
    EXPECT_GE(log_size(), kMuch / 2);
    EXPECT_TRUE(test::eventually([&] {
        for (int i = 0; i < 1000; ++i) {
            write_little();
        }
        return log_size() < kMuch / 2;
    }));
}

TEST_F(LogFoldingTest, Without_readers_commits_fold_in_all_that_there_is) {
    write_much();
    EXPECT_GT(file_size(), kMuch / 2);
    EXPECT_LT(log_size(), kMuch / 2);
}

// The log that stands beside the new file is none of ours, and its file must not get what is ours.
TEST_F(LogFoldingTest, A_file_in_the_place_of_ours_gets_nothing_of_the_log) {
    const test::SqliteFile other = test::SqliteFile::without_schema();
    other.connect()->execute("CREATE TABLE other (id INTEGER PRIMARY KEY)", {});
    begin_to_read();
    write_much(20);
    const std::filesystem::path away = path().string() + ".away";
    std::filesystem::rename(path(), away);
    std::filesystem::copy_file(other.path(), path());
    const std::uintmax_t before = file_size();
    reader_->run_script("COMMIT");
    EXPECT_THROW(write_little(), DbError);
    EXPECT_FALSE(test::eventually([&] { return file_size() != before; }, 300ms));
    std::filesystem::rename(away, path());
    write_little();
    EXPECT_TRUE(test::eventually([&] { return file_size() > kMuch / 2; }));
}

/// This process can open no file for as long as it lives.
class NoMoreFiles final {
public:
    NoMoreFiles() {
        ::getrlimit(RLIMIT_NOFILE, &before_);
        const rlimit none{.rlim_cur = 0, .rlim_max = before_.rlim_max};
        ::setrlimit(RLIMIT_NOFILE, &none);
    }
    ~NoMoreFiles() { ::setrlimit(RLIMIT_NOFILE, &before_); }

    NoMoreFiles(const NoMoreFiles&) = delete;
    NoMoreFiles& operator=(const NoMoreFiles&) = delete;

private:
    rlimit before_{};
};

TEST_F(LogFoldingTest, A_commit_folds_where_the_thread_can_open_nothing) {
    begin_to_read();
    write_much();
    const NoMoreFiles none;
    reader_->run_script("COMMIT");
    EXPECT_TRUE(test::eventually([&] {
        write_little();
        return file_size() > kMuch;
    }));
}

TEST_F(LogFoldingTest, A_connection_may_end_while_its_thread_folds) {
    begin_to_read();
    write_much(20);
    reader_->run_script("COMMIT");
    const auto another = file_.connect();
    another->execute("UPDATE big SET text = 'last' WHERE id = 1", {});
    another->query(
        {.sql = "SELECT text FROM big WHERE id = 1", .columns = 1},
        {},
        [](const Row& row) { EXPECT_EQ(row.text(0), "last"); }
    );
}

}  // namespace

}  // namespace jobstrand::persistence
