#include "test/fixtures/notify_socket.hpp"
#include "test/fixtures/temporary_directory.hpp"
#include "tools/process/this_process.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

namespace jobstrand::cli {
namespace {

using namespace std::chrono_literals;

class SupervisorTest : public testing::Test {
protected:
    [[nodiscard]] Supervisor with(Environment more) const {
        more["NOTIFY_SOCKET"] = path;
        return Supervisor(more);
    }

    const test::TemporaryDirectory directory;
    const std::string path = (directory.path() / "notify").string();
    const test::NotifySocket socket{path};
};

TEST_F(SupervisorTest, Hears_when_the_service_is_ready_lives_and_stops) {
    const Supervisor supervisor = with({});
    supervisor.notify_ready("running jobs");
    EXPECT_EQ(socket.next(), "READY=1\nSTATUS=running jobs");
    supervisor.notify_alive();
    EXPECT_EQ(socket.next(), "WATCHDOG=1");
    supervisor.notify_stopping();
    EXPECT_EQ(socket.next(), "STOPPING=1\nSTATUS=running jobs may finish");
    EXPECT_TRUE(socket.is_silent());
}

TEST_F(SupervisorTest, Is_told_twice_in_the_time_of_the_watchdog_that_the_service_lives) {
    EXPECT_EQ(with({{"WATCHDOG_USEC", "30000000"}}).alive_interval(), 15s);
    EXPECT_EQ(with({{"WATCHDOG_USEC", "1"}}).alive_interval(), 1ms);
    const std::string own = std::to_string(::getpid());
    EXPECT_EQ(with({{"WATCHDOG_USEC", "2000000"}, {"WATCHDOG_PID", own}}).alive_interval(), 1000ms);
}

TEST_F(SupervisorTest, Has_no_watchdog_unless_one_is_meant_for_this_process) {
    EXPECT_EQ(with({}).alive_interval(), std::nullopt);
    for (const char* const odd : {"", "0", "-5", "many", "1s", "99999999999999999999"}) {
        EXPECT_EQ(with({{"WATCHDOG_USEC", odd}}).alive_interval(), std::nullopt) << odd;
    }
    EXPECT_EQ(
        with({{"WATCHDOG_USEC", "2000000"}, {"WATCHDOG_PID", "1"}}).alive_interval(), std::nullopt
    );
}

TEST(Supervisor, That_is_not_there_or_does_not_listen_harms_nobody) {
    const Environment nobody{{"WATCHDOG_USEC", "2000000"}};
    EXPECT_EQ(Supervisor(nobody).alive_interval(), std::nullopt);
    for (const std::string& path :
         {std::string(), std::string("/nowhere/x"), std::string(500, 'x')}) {
        const Supervisor supervisor({{"NOTIFY_SOCKET", path}});
        supervisor.notify_ready("running jobs");
        supervisor.notify_alive();
        supervisor.notify_stopping();
    }
}

}  // namespace
}  // namespace jobstrand::cli
