#include "persistence/sql/db_error.hpp"
#include "persistence/sql/sql_transaction.hpp"
#include "test/fixtures/sqlite_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

namespace jobstrand::persistence {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using Access = SessionPool::Access;

/// A file that somebody moves, removes or replaces while it is open.
class MovedSqliteFile : public testing::Test {
protected:
    MovedSqliteFile() { writer_->run_script("CREATE TABLE NOTE (ID_ text)"); }

    [[nodiscard]] fs::path elsewhere() const { return file_.path().string() + ".moved"; }

    void move_away() const { fs::rename(file_.path(), elsewhere()); }
    void move_back() const { fs::rename(elsewhere(), file_.path()); }

    void write() {
        writer_->begin();
        writer_->execute("INSERT INTO NOTE VALUES ('a')", {});
        writer_->commit();
    }

    void read(Connection& connection) {
        connection.query({.sql = "SELECT ID_ FROM NOTE", .columns = 1}, {}, [](const Row&) {});
    }

    static void expect_refused(const std::function<void()>& access, const std::string& why) {
        try {
            access();
            ADD_FAILURE() << "it went into a file that nobody finds";
        } catch (const DbError& error) {
            EXPECT_EQ(error.kind(), DbErrorKind::unreachable);
            EXPECT_THAT(error.what(), HasSubstr(why));
            EXPECT_THAT(error.what(), HasSubstr("restart what uses it"));
        }
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
    expect_refused([&] { by_link->begin(); }, "was replaced by another file");
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
