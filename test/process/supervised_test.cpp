#include "test/fixtures/notify_socket.hpp"
#include "test/process/service_fixture.hpp"

#include <gmock/gmock.h>

#include <csignal>

namespace jobstrand {
namespace {

using namespace std::chrono_literals;
using test::BackgroundProcess;
using test::NotifySocket;
using test::ServiceTest;
using testing::StartsWith;

class SupervisedTest : public ServiceTest {
protected:
    [[nodiscard]] std::unique_ptr<BackgroundProcess> a_watched_service() const {
        std::vector<std::string> words{
            "/usr/bin/env", "NOTIFY_SOCKET=" + path("notify"), "WATCHDOG_USEC=100000"};
        const std::vector<std::string> serve = command({"serve"});
        words.insert(words.end(), serve.begin(), serve.end());
        return std::make_unique<BackgroundProcess>(words, path("service.log"));
    }
};

TEST_F(SupervisedTest, A_supervisor_hears_that_the_service_is_ready_lives_and_stops) {
    const NotifySocket socket(path("notify"));
    const auto service = a_watched_service();
    EXPECT_THAT(socket.next(), StartsWith("READY=1\n"));
    EXPECT_EQ(socket.next(), "WATCHDOG=1");
    EXPECT_EQ(socket.next(), "WATCHDOG=1");
    service->send(SIGTERM);
    std::string news = socket.next();
    while (news == "WATCHDOG=1") {
        news = socket.next();
    }
    EXPECT_THAT(news, StartsWith("STOPPING=1\n"));
    EXPECT_EQ(service->wait(30s), 0);
}

}  // namespace
}  // namespace jobstrand
