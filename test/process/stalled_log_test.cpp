#include "test/process/service_fixture.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <string>

namespace jobstrand {
namespace {

using namespace std::chrono_literals;
using schema::JobPlace;
using test::ServiceTest;

/// A service whose stderr is a pipe that somebody holds and nobody reads.
class StalledLogTest : public ServiceTest {
protected:
    StalledLogTest() {
        const std::string pipe = path("service.log");
        EXPECT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
        reader_ = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
        EXPECT_GE(reader_, 0);
    }
    ~StalledLogTest() override { ::close(reader_); }

private:
    int reader_ = -1;
};

TEST_F(StalledLogTest, It_runs_its_jobs_and_stops_all_the_same) {
    configure("logLevel = \"debug\"\n");
    std::string jobs;
    for (int i = 0; i < 2000; ++i) {  // Of each there are lines: more than the pipe holds.
        jobs += "{\"handlerType\":\"noop\"}\n";
    }
    expect_success({"job", "add", "--from", "-"}, jobs);
    const auto service = a_service();
    EXPECT_TRUE(test::eventually([&] { return count_all() == 0; }, 60s));
    service->send(SIGTERM);
    EXPECT_EQ(service->wait(60s), 0);
}

}  // namespace
}  // namespace jobstrand
