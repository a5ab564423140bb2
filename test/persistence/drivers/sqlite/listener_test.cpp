#include "persistence/drivers/sqlite/listener.hpp"

#include "persistence/drivers/sqlite/database.hpp"
#include "test/fixtures/signal.hpp"
#include "test/fixtures/sqlite_file.hpp"

#include <gtest/gtest.h>
#include <poll.h>

namespace jobstrand::persistence {
namespace {

using namespace std::chrono_literals;

class SqliteListenerTest : public testing::Test {
protected:
    /// Waits for so many ticks; how many of them announced something.
    int announced_in(int ticks) {
        int announced = 0;
        for (int i = 0; i < ticks; ++i) {
            pollfd tick{.fd = listener_->socket(), .events = POLLIN, .revents = 0};
            EXPECT_EQ(::poll(&tick, 1, std::chrono::milliseconds(test::kPatience).count()), 1);
            announced += listener_->take_announcements() ? 1 : 0;
        }
        return announced;
    }

    test::SqliteFile file_;
    const std::unique_ptr<Connection> other_ = file_.connect();
    const std::unique_ptr<JobListener> listener_ = listen_to_sqlite(file_.path());
};

TEST_F(SqliteListenerTest, Announces_a_write_of_another_connection_for_a_while) {
    EXPECT_EQ(announced_in(3), 0);
    other_->run_script("INSERT INTO ACT_RU_JOB (ID_, HANDLER_TYPE_) VALUES ('a', 'mail')");
    EXPECT_EQ(announced_in(8), 5);
}

TEST_F(SqliteListenerTest, A_read_is_no_news) {
    const auto ignore = [](const Row&) {};
    other_->query({.sql = "SELECT ID_ FROM ACT_RU_JOB", .columns = 1}, {}, ignore);
    EXPECT_EQ(announced_in(3), 0);
}

}  // namespace
}  // namespace jobstrand::persistence
