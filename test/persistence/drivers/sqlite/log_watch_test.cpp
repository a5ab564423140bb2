#include "persistence/drivers/sqlite/sqlite_listener.hpp"
#include "test/fixtures/temporary_directory.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

namespace jobstrand::persistence {
namespace {

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

}  // namespace
}  // namespace jobstrand::persistence
