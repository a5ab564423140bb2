#include "test/process/http_service_fixture.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdlib>

namespace jobstrand {
namespace {

using namespace std::chrono_literals;
using test::get;
using test::post;
using test::RawClient;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kMemoryTells = false;  // A sanitizer keeps what was given back.
#else
constexpr bool kMemoryTells = true;
#endif

/// So many sockets of this process, or the test is left out.
[[nodiscard]] bool may_open(std::size_t sockets) {
    constexpr std::size_t others = 200;
    rlimit limit{};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = std::max<rlim_t>(limit.rlim_cur, sockets + others);
    return limit.rlim_cur <= limit.rlim_max && ::setrlimit(RLIMIT_NOFILE, &limit) == 0;
}

/// Very many clients of one service, most of whom want nothing.
class HttpCrowdTest : public test::HttpServiceTest {
protected:
    using Crowd = std::vector<std::unique_ptr<RawClient>>;

    [[nodiscard]] static long resident_kib(pid_t process) {
        std::ifstream status(fmt::format("/proc/{}/status", process));
        for (std::string line; std::getline(status, line);) {
            if (line.starts_with("VmRSS:")) {
                return std::atol(line.c_str() + 6);
            }
        }
        return 0;
    }

    /// All of them have been answered once.
    [[nodiscard]] Crowd an_idle_crowd(int clients) const {
        Crowd crowd;
        for (int i = 0; i < clients; ++i) {
            crowd.push_back(std::make_unique<RawClient>(port));
            EXPECT_EQ(crowd.back()->ask(get("/health/live")).status, 200) << i;
        }
        return crowd;
    }

    static void expect_served(RawClient& client) {
        const auto began = std::chrono::steady_clock::now();
        EXPECT_EQ(client.ask(post("/api/v1/jobs", R"({"handlerType":"noop"})")).status, 201);
        EXPECT_LT(std::chrono::steady_clock::now() - began, 5s);
    }
};

// I8
TEST_F(HttpCrowdTest, Ten_thousand_idle_clients_cost_little_and_harm_nobody) {
    constexpr int clients = 9'999;
    if (!may_open(clients + 1)) {
        GTEST_SKIP() << "the system allows fewer descriptors than that";
    }
    configure("httpMaxConnections = 10000\n");
    const auto service = a_listening_service();
    RawClient busy(port);
    expect_served(busy);
    const long before = resident_kib(service->id());
    const Crowd crowd = an_idle_crowd(clients);
    expect_served(busy);
    const long each = (resident_kib(service->id()) - before) * 1024 / clients;
    RecordProperty("bytes_each", std::to_string(each));
    std::cout << each << " bytes of memory for each\n";
    if (kMemoryTells) {
        EXPECT_LT(each, 16 * 1024);
    }
    EXPECT_EQ(crowd.front()->ask(get("/health/live")).status, 200) << "it was not closed";
    EXPECT_EQ(RawClient(port).ask(get("/health/live")).status, 200) << "room is made";
}

TEST_F(HttpCrowdTest, Thousands_who_say_nothing_lock_nobody_out) {
    constexpr int clients = kMemoryTells ? 10'000 : 2'000;  // A sanitizer is slow.
    if (!may_open(clients + 1)) {
        GTEST_SKIP() << "the system allows fewer descriptors than that";
    }
    configure("");
    const auto service = a_listening_service();
    RawClient busy(port);
    expect_served(busy);
    const long before = resident_kib(service->id());
    Crowd crowd;
    for (int i = 0; i < clients; ++i) {
        crowd.push_back(std::make_unique<RawClient>(port));
        (void)crowd.back()->send(i % 2 == 0 ? "" : "POST /api/v1/jobs HTTP/1.1\r\nHo");
        if (i % 1000 == 0) {
            RawClient other(port, "127.0.0.2");
            EXPECT_EQ(other.ask(get("/health/live")).status, 200) << i;
            expect_served(other);
        }
    }
    expect_served(busy);
    if (kMemoryTells) {
        EXPECT_LT(resident_kib(service->id()) - before, 20'000);
    }
    const std::string metrics = busy.ask(get("/metrics")).body;
    const std::string name = "\njobstrand_http_connections ";
    const std::size_t found = metrics.find(name);
    ASSERT_NE(found, std::string::npos);
    EXPECT_LE(std::atol(metrics.c_str() + found + name.size()), 520);
}

}  // namespace
}  // namespace jobstrand
