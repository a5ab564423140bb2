#include "schema/limits.hpp"
#include "test/process/service_fixture.hpp"

#include <fmt/format.h>

#include <sstream>

namespace jobstrand {
namespace {

using namespace std::chrono_literals;
using schema::JobPlace;
using test::ServiceTest;

constexpr std::size_t kMegabyte = std::size_t{1024} * 1024;

/// The most memory that a process has had; its end must not have come yet.
std::size_t peak_memory_of(pid_t process) {
    std::ifstream status(fmt::format("/proc/{}/status", process));
    for (std::string line; std::getline(status, line);) {
        std::istringstream words(line);
        std::string name;
        std::size_t kilobytes = 0;
        if (words >> name >> kilobytes && name == "VmHWM:") {
            return kilobytes * 1024;
        }
    }
    return 0;
}

// I8
TEST_F(ServiceTest, Many_long_payloads_take_no_more_memory_than_a_few) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "a sanitizer keeps memory that was given back";
#endif
    constexpr int jobs = 48;
    for (int i = 0; i < jobs; ++i) {
        schema::Job job{.id = fmt::format("job-{:03}", i)};
        job.handler_type = "noop";
        job.payload = '"' + std::string(schema::limits::kPayloadBytes - 2, 'x') + '"';
        store->enqueuer().insert(
            {{.place = JobPlace::executable, .job = std::move(job)}}, persistence::IdOrigin::given
        );
    }
    configure("corePoolSize = 1\nmaxPoolSize = 1\nqueueBytes = 33554432\n");
    const auto service = a_service();
    ASSERT_TRUE(test::eventually([&] { return count_all() == 0; }, 120s));
    const std::size_t peak = peak_memory_of(service->id());
    RecordProperty("peak_megabytes", std::to_string(peak / kMegabyte));
    EXPECT_GT(peak, kMegabyte);
    EXPECT_LT(peak, jobs * schema::limits::kPayloadBytes / 2);
}

}  // namespace
}  // namespace jobstrand
