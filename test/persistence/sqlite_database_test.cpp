#include "persistence/drivers/sqlite/sqlite_database.hpp"

#include "persistence/drivers/database.hpp"
#include "persistence/drivers/database_url.hpp"
#include "persistence/drivers/sqlite/sqlite_connection.hpp"
#include "persistence/sql/sql_transaction.hpp"
#include "test/fixtures/at_once.hpp"
#include "test/fixtures/error_of.hpp"
#include "test/fixtures/signal.hpp"
#include "test/fixtures/sqlite_file.hpp"
#include "test/fixtures/temporary_directory.hpp"
#include "test/fixtures/without_root.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <source_location>
#include <string>
#include <utility>

namespace jobstrand::persistence {

namespace {

namespace fs = std::filesystem;
using test::WithoutRoot;
using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;
using Access = SessionPool::Access;

/// A file system of 256 KiB; only root can make one.
class SmallDisk final {
public:
    explicit SmallDisk(const fs::path& path) : path_(path) {
        fs::create_directory(path);
        mounted_ = mount("none", path.c_str(), "tmpfs", 0, "size=256k") == 0;
    }
    ~SmallDisk() {
        if (mounted_) {
            umount2(path_.c_str(), MNT_DETACH);
        }
    }
    SmallDisk(const SmallDisk&) = delete;
    SmallDisk& operator=(const SmallDisk&) = delete;

    [[nodiscard]] bool is_mounted() const { return mounted_; }

    void fill() const {
        std::ofstream file(path_ / "ballast");
        while (file << std::string(4096, 'x') << std::flush) {
        }
    }

private:
    fs::path path_;
    bool mounted_ = false;
};

class SqliteDatabase : public testing::Test {
protected:
    [[nodiscard]] fs::path path(std::string_view name = "jobs.db") const {
        return directory_.path() / name;
    }

    std::unique_ptr<Connection> create(const fs::path& path, Access access = Access::write) const {
        return open_sqlite({.path = path, .create_if_missing = true}, access);
    }

    static void expect_refusal(
        const SqliteSettings& settings,
        DbErrorKind kind,
        const testing::Matcher<std::string>& text = testing::_,
        const std::source_location& where = std::source_location::current()
    ) {
        test::expect_error(
            kind, text, [&] { (void)open_sqlite(settings, Access::write); }, where
        );
    }

    static std::string value_of(Connection& connection, std::string_view pragma) {
        std::string value;
        connection.query({.sql = pragma, .columns = 1}, {}, [&value](const Row& row) {
            value = row.text(0);
        });
        return value;
    }

    test::TemporaryDirectory directory_;
};

fs::perms mode_of(const fs::path& path) {
    return fs::status(path).permissions();
}

TEST(SqliteFiles, Are_private_whatever_the_umask_is) {
    const test::TemporaryDirectory directory;
    const fs::path path = directory.path() / "jobs.db";
    const mode_t before = ::umask(0);
    const auto connection = open_sqlite({.path = path, .create_if_missing = true}, Access::write);
    connection->run_script("CREATE TABLE T (A)");
    ::umask(before);
    for (const char* const suffix : {"", "-wal", "-shm"}) {
        EXPECT_EQ(mode_of(path.string() + suffix), fs::perms::owner_read | fs::perms::owner_write)
            << suffix;
    }
}

TEST(SqliteFiles, That_are_there_keep_their_mode) {
    const test::TemporaryDirectory directory;
    const fs::path path = directory.path() / "jobs.db";
    std::ofstream(path).flush();
    const fs::perms shared = fs::perms::owner_read | fs::perms::owner_write |
                             fs::perms::group_read | fs::perms::group_write;
    fs::permissions(path, shared);
    const auto connection = open_sqlite({.path = path, .create_if_missing = true}, Access::write);
    connection->run_script("CREATE TABLE T (A)");
    EXPECT_EQ(mode_of(path), shared);
    EXPECT_EQ(mode_of(path.string() + "-wal"), shared);
}

TEST_F(SqliteDatabase, Is_opened_so_that_a_commit_survives_a_power_cut) {
    const auto connection = create(path());
    EXPECT_EQ(value_of(*connection, "PRAGMA journal_mode"), "wal");
    EXPECT_EQ(value_of(*connection, "PRAGMA synchronous"), "2");
    EXPECT_EQ(value_of(*connection, "PRAGMA foreign_keys"), "0");
    EXPECT_EQ(value_of(*connection, "PRAGMA query_only"), "0");
}

TEST_F(SqliteDatabase, Takes_its_settings_from_the_url) {
    const auto url =
        parse_database_url("sqlite:" + path().string() + "?synchronous=normal&busy_timeout=PT2S");
    const auto pool = open_database(url.value(), {.create_if_missing = true});
    const auto connection = pool->lease(Access::read);
    EXPECT_EQ(value_of(*connection, "PRAGMA synchronous"), "1");
    EXPECT_EQ(value_of(*connection, "PRAGMA busy_timeout"), "2000");
}

TEST_F(SqliteDatabase, A_reading_connection_refuses_to_write) {
    const auto connection = create(path(), Access::read);
    test::expect_error(DbErrorKind::read_only, [&] {
        connection->run_script("CREATE TABLE T (A int)");
    });
}

TEST_F(SqliteDatabase, A_reader_does_not_wait_for_the_writer) {
    const auto writer = create(path());
    writer->run_script("CREATE TABLE T (A int)");
    const auto reader = create(path(), Access::read);
    writer->begin();
    writer->execute("INSERT INTO T VALUES (1)", {});
    EXPECT_EQ(value_of(*reader, "SELECT count(*) FROM T"), "0");
    writer->commit();
    EXPECT_EQ(value_of(*reader, "SELECT count(*) FROM T"), "1");
}

TEST_F(SqliteDatabase, Paths_may_have_any_characters) {
    for (const std::string_view name :
         {"with space.db",
          "a=b.db",
          "a=b c=d.db",
          "quote\".db",
          "a=\"b\".db",
          "file:x.db",
          ":memory:",
          "ä?%.db"}) {
        create(path(name))->run_script("CREATE TABLE T (A int)");
        EXPECT_TRUE(fs::exists(path(name))) << name;
    }
}

TEST_F(SqliteDatabase, A_missing_file_is_made_only_when_asked) {
    expect_refusal(
        {.path = path()},
        DbErrorKind::unreachable,
        "there is no database " + path().string() +
            ": create it with `jobstrand schema create`, or correct its path"
    );
    EXPECT_FALSE(fs::exists(path()));
}

TEST_F(SqliteDatabase, A_file_that_disappears_is_not_replaced_by_an_empty_one) {
    const auto url = parse_database_url("sqlite:" + path().string()).value();
    const auto pool = open_database(url, {.create_if_missing = true});
    fs::remove(path());
    EXPECT_THROW((void)pool->lease(Access::read), DbError);
    EXPECT_FALSE(fs::exists(path()));
}

TEST_F(SqliteDatabase, A_missing_directory_is_named) {
    expect_refusal(
        {.path = path("no/jobs.db"), .create_if_missing = true},
        DbErrorKind::unreachable,
        "there is no directory " + path("no").string() +
            ": create it, or correct the database's path"
    );
}

TEST_F(SqliteDatabase, A_directory_is_not_a_database) {
    expect_refusal({.path = directory_.path()}, DbErrorKind::not_a_database);
}

TEST_F(SqliteDatabase, Another_kind_of_file_is_refused_and_left_as_it_is) {
    const std::string letter = "Dear reader, this is a letter and not a database.\n";
    std::ofstream(path("letter.txt")) << letter;
    expect_refusal(
        {.path = path("letter.txt"), .create_if_missing = true},
        DbErrorKind::not_a_database,
        "cannot open the database " + path("letter.txt").string() +
            ": it is not a SQLite database: name another file (PRAGMA busy_timeout = 10000; PRAGMA "
            "synchronous = full: file is not a database)"
    );
    std::string content;
    std::getline(std::ifstream(path("letter.txt")), content);
    EXPECT_EQ(content + "\n", letter);
}

TEST_F(SqliteDatabase, A_file_without_the_right_to_write_is_refused) {
    create(path())->run_script("CREATE TABLE T (A int)");
    fs::permissions(directory_.path(), fs::perms{0755});
    fs::permissions(path(), fs::perms{0444});
    const WithoutRoot somebody;
    expect_refusal(
        {.path = path()},
        DbErrorKind::read_only,
        "cannot open the database " + path().string() +
            ": it is read-only for this user: allow writing to the file and its directory (it "
            "opens "
            "only for reading)"
    );
}

TEST_F(SqliteDatabase, A_directory_without_the_right_to_write_is_refused) {
    create(path())->run_script("CREATE TABLE T (A int)");
    fs::permissions(directory_.path(), fs::perms{0555});
    fs::permissions(path(), fs::perms{0666});
    for (const auto& [name, is_new] : {std::pair("jobs.db", false), std::pair("new.db", true)}) {
        const WithoutRoot somebody;
        const DbError error = test::error_of([&] {
            (void)open_sqlite({.path = path(name), .create_if_missing = is_new}, Access::write);
        });
        EXPECT_THAT(error.kind(), AnyOf(DbErrorKind::unreachable, DbErrorKind::read_only));
        EXPECT_THAT(error.what(), HasSubstr("its directory"));
    }
    fs::permissions(directory_.path(), fs::perms{0755});
}

/// A database with a row, which somebody else may read and not write.
class ReadableSqliteFile : public SqliteDatabase {
protected:
    ReadableSqliteFile() {
        create(path())->run_script("CREATE TABLE T (A int); INSERT INTO T VALUES (1)");
        fs::permissions(path(), fs::perms{geteuid() == 0 ? 0644U : 0444U});
        fs::permissions(directory_.path(), fs::perms{0755});
    }

    static std::string count(Connection& connection) {
        return value_of(connection, "SELECT count(*) FROM T");
    }

    [[nodiscard]] std::string count_as_somebody() const {
        const WithoutRoot somebody;
        return count(*open_sqlite({.path = path()}, Access::read));
    }

    [[nodiscard]] std::size_t files() const {
        const fs::directory_iterator all(directory_.path());
        return static_cast<std::size_t>(std::distance(begin(all), end(all)));
    }
};

TEST_F(ReadableSqliteFile, Is_read_and_nothing_is_made_beside_it) {
    fs::permissions(directory_.path(), fs::perms{0777});
    EXPECT_EQ(count_as_somebody(), "1");
    EXPECT_EQ(files(), 1U);
}

TEST_F(ReadableSqliteFile, Is_read_where_only_its_directory_must_not_be_written) {
    fs::permissions(path(), fs::perms{0666});
    fs::permissions(directory_.path(), fs::perms{0555});
    EXPECT_EQ(count_as_somebody(), "1");
    fs::permissions(directory_.path(), fs::perms{0755});
}

TEST_F(ReadableSqliteFile, Refuses_to_be_written_whoever_has_read_it) {
    const WithoutRoot somebody;
    const auto url = parse_database_url("sqlite:" + path().string()).value();
    const auto pool = open_database(url);
    EXPECT_EQ(count(*pool->lease(Access::read)), "1");
    test::expect_error(DbErrorKind::access_denied, HasSubstr("it is read-only for this user"), [&] {
        (void)pool->lease(Access::write);
    });
    test::expect_error(DbErrorKind::read_only, [&] {
        pool->lease(Access::read)->run_script("INSERT INTO T VALUES (2)");
    });
}

TEST_F(ReadableSqliteFile, Is_read_along_with_its_living_writer) {
    if (geteuid() != 0) {
        GTEST_SKIP() << "the writer has to be another user";
    }
    const auto writer = open_sqlite({.path = path()}, Access::write);
    writer->run_script("INSERT INTO T VALUES (2)");
    EXPECT_EQ(count_as_somebody(), "2");
}

TEST_F(ReadableSqliteFile, Reads_nothing_stale_when_a_writer_has_come) {
    if (geteuid() != 0) {
        GTEST_SKIP() << "the writer has to be another user";
    }
    std::unique_ptr<Connection> reader;
    {
        const WithoutRoot somebody;
        reader = open_sqlite({.path = path()}, Access::read);
    }
    EXPECT_EQ(count(*reader), "1");
    const auto writer = open_sqlite({.path = path()}, Access::write);
    writer->run_script("INSERT INTO T VALUES (2)");
    test::expect_error(DbErrorKind::connection_lost, [&] { (void)count(*reader); });
    EXPECT_FALSE(reader->is_usable());
}

TEST_F(ReadableSqliteFile, Paths_may_have_any_characters_there_too) {
    for (const std::string_view name : {"a b?immutable=0.db", "a%41#.db", "file:x.db"}) {
        fs::copy_file(path(), path(name));
        fs::permissions(path(name), fs::perms{0444});
        const WithoutRoot somebody;
        EXPECT_EQ(count(*open_sqlite({.path = path(name)}, Access::read)), "1") << name;
    }
}

TEST_F(ReadableSqliteFile, Names_what_to_do_when_its_writer_was_killed) {
    std::ofstream(path().string() + "-wal") << "left";
    const WithoutRoot somebody;
    test::expect_error(DbErrorKind::read_only, HasSubstr("read it once"), [&] {
        (void)open_sqlite({.path = path()}, Access::read);
    });
}

TEST_F(SqliteDatabase, A_full_disk_is_named_as_what_it_is) {
    const SmallDisk disk(path("disk"));
    if (!disk.is_mounted()) {
        GTEST_SKIP() << "only root can mount a small disk";
    }
    disk.fill();
    expect_refusal(
        {.path = path("disk/jobs.db"), .create_if_missing = true},
        DbErrorKind::storage_full,
        HasSubstr("its disk is full: free some space")
    );
}

TEST_F(SqliteDatabase, A_disk_that_becomes_full_loses_nothing_that_was_committed) {
    const SmallDisk disk(path("disk"));
    if (!disk.is_mounted()) {
        GTEST_SKIP() << "only root can mount a small disk";
    }
    const auto connection = create(path("disk/jobs.db"));
    connection->run_script("CREATE TABLE T (A text)");
    const std::string text(4000, 'x');
    const Value row{std::string_view(text)};
    int committed = 0;
    test::expect_error(DbErrorKind::storage_full, [&] {
        for (; committed < 1000; ++committed) {
            connection->execute("INSERT INTO T VALUES (?)", {&row, 1});
        }
    });
    EXPECT_GT(committed, 0);
    EXPECT_EQ(value_of(*connection, "SELECT count(*) FROM T"), std::to_string(committed));
}

TEST_F(SqliteDatabase, Many_threads_may_create_it_at_once) {
    test::at_once(8, [this](std::size_t) {
        EXPECT_NO_THROW(create(path())->run_script("CREATE TABLE IF NOT EXISTS T (A int)"));
    });
}

/// A file that somebody moves, removes or replaces while it is open.
class MovedSqliteFile : public testing::Test {
protected:
    MovedSqliteFile() { writer_->run_script("CREATE TABLE NOTE (ID_ text)"); }

    [[nodiscard]] fs::path elsewhere() const { return file_.path().string() + ".moved"; }

    void move_away() const {
        fs::rename(file_.path(), elsewhere());
        outlast_looks();
    }

    void move_back() const {
        fs::rename(elsewhere(), file_.path());
        outlast_looks();
    }

    /// Behind it nobody relies on a look from before.
    static void outlast_looks() {
        const auto end = std::chrono::steady_clock::now() + SqliteConnection::kLookHolds;
        ASSERT_TRUE(test::eventually([end] { return std::chrono::steady_clock::now() >= end; }));
    }

    void write() {
        writer_->begin();
        writer_->execute("INSERT INTO NOTE VALUES ('a')", {});
        writer_->commit();
    }

    void read(Connection& connection) {
        connection.query({.sql = "SELECT ID_ FROM NOTE", .columns = 1}, {}, [](const Row&) {});
    }

    static void expect_refused(const std::function<void()>& access, const std::string& why) {
        test::expect_error(
            DbErrorKind::unreachable,
            AllOf(HasSubstr(why), HasSubstr("restart what uses it")),
            access
        );
    }

    void expect_refused_everywhere(const std::string& why) {
        expect_refused([&] { write(); }, why);
        expect_refused([&] { writer_->execute("DELETE FROM NOTE", {}); }, why);
        expect_refused([&] { read(*writer_); }, why);
        expect_refused([&] { read(*reader_); }, why);
        writer_->rollback();
    }

    const test::SqliteFile file_ = test::SqliteFile::without_schema();
    const std::unique_ptr<Connection> writer_ = file_.connect();
    const std::unique_ptr<Connection> reader_ = file_.connect(Access::read);
};

TEST_F(MovedSqliteFile, Is_neither_read_nor_written_until_it_is_back) {
    move_away();
    expect_refused_everywhere("was moved or removed");
    EXPECT_TRUE(writer_->is_usable());
    move_back();
    write();
    read(*reader_);
}

TEST_F(MovedSqliteFile, That_is_gone_takes_nothing) {
    fs::remove(file_.path());
    outlast_looks();
    expect_refused_everywhere("was moved or removed");
}

TEST_F(MovedSqliteFile, That_another_one_stands_in_for_takes_nothing) {
    fs::copy_file(file_.path(), elsewhere());
    move_back();
    expect_refused_everywhere("was replaced by another file");
}

TEST_F(MovedSqliteFile, That_moves_under_a_transaction_takes_no_commit) {
    writer_->begin();
    writer_->execute("INSERT INTO NOTE VALUES ('a')", {});
    move_away();
    expect_refused([&] { writer_->commit(); }, "was moved or removed");
    writer_->rollback();
    move_back();
    int notes = 0;
    reader_->query({.sql = "SELECT ID_ FROM NOTE", .columns = 1}, {}, [&](const Row&) { ++notes; });
    EXPECT_EQ(notes, 0);
}

TEST_F(MovedSqliteFile, That_is_reached_by_a_link_is_the_one_that_the_link_named_first) {
    const fs::path link = file_.path().string() + ".link";
    const fs::path other = elsewhere();
    fs::create_symlink(file_.path(), link);
    const auto by_link = open_sqlite({.path = link}, Access::write);
    (void)open_sqlite({.path = other, .create_if_missing = true}, Access::write);
    fs::remove(link);
    fs::create_symlink(other, link);
    outlast_looks();
    expect_refused([&] { by_link->begin(); }, "was replaced by another file");
}

TEST_F(MovedSqliteFile, That_moves_and_leaves_a_link_behind_takes_nothing) {
    move_away();
    fs::create_symlink(elsewhere(), file_.path());
    expect_refused_everywhere("was moved or removed");
    fs::remove(file_.path());
    move_back();
    write();
    read(*reader_);
}

TEST_F(MovedSqliteFile, That_moves_with_the_link_to_it_takes_nothing) {
    const fs::path link = file_.path().string() + ".link";
    fs::create_symlink(file_.path(), link);
    const auto by_link = open_sqlite({.path = link}, Access::write);
    move_away();
    fs::remove(link);
    fs::create_symlink(elsewhere(), link);
    expect_refused([&] { by_link->begin(); }, "was moved or removed");
}

TEST_F(MovedSqliteFile, A_pool_makes_no_connection_to_the_one_in_its_place) {
    const auto pool = file_.open_pool();
    fs::copy_file(file_.path(), elsewhere());
    move_back();
    expect_refused(
        [&] {
            auto first = pool->lease(Access::read);
            auto second = pool->lease(Access::read);
        },
        "is another database than the one that was opened"
    );
}

}  // namespace

}  // namespace jobstrand::persistence
