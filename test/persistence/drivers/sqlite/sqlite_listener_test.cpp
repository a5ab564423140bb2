#include "persistence/drivers/sqlite/sqlite_listener.hpp"

#include "persistence/drivers/sqlite/sqlite_database.hpp"
#include "test/fixtures/signal.hpp"
#include "test/fixtures/sqlite_file.hpp"

#include <gtest/gtest.h>
#include <poll.h>

#include <chrono>
#include <filesystem>
#include <string>

namespace jobstrand::persistence {
namespace {

using namespace std::chrono_literals;

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

}  // namespace
}  // namespace jobstrand::persistence
