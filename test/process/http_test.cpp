#include "test/process/service_fixture.hpp"
#include "test/service/raw_client.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <set>
#include <thread>

namespace jobstrand {
namespace {

using namespace std::chrono_literals;
using schema::JobPlace;
using test::BackgroundProcess;
using test::post;
using test::RawClient;
using test::ServiceTest;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kJobs = "/api/v1/jobs";

class HttpTest : public ServiceTest {
protected:
    /// A service that has said on which port it answers.
    [[nodiscard]] std::unique_ptr<BackgroundProcess> a_listening_service(
        const std::vector<std::string>& more = {}
    ) {
        std::filesystem::remove(path("service.log"));
        std::vector<std::string> words{"serve", "--http", "127.0.0.1:0"};
        words.insert(words.end(), more.begin(), more.end());
        auto service = std::make_unique<BackgroundProcess>(command(words), path("service.log"));
        EXPECT_TRUE(service->wait_for_log("clock_skew_ms="));
        const std::string log = service->log();
        port = static_cast<std::uint16_t>(std::atoi(log.c_str() + log.find(" port=") + 6));
        return service;
    }

    std::uint16_t port = 0;
};

/// The id in `{"id":"..."}`.
[[nodiscard]] std::string id_in(const std::string& body) {
    return body.substr(7, body.find('"', 7) - 7);
}

// I2: after the 2xx answer the job is never lost, whatever dies.
TEST_F(HttpTest, Every_job_with_an_answer_runs_although_the_service_is_killed) {
    constexpr int clients = 8;
    const std::string script =
        a_script("append", "echo \"$JOBSTRAND_JOB_ID\" >> \"" + path("ran") + "\"");
    configure("maxLostStarts = 1000\n[commands.append]\nprogram = \"" + script + "\"\n");
    const std::string job =
        post(kJobs, R"({"handlerType":"command","payload":{"command":"append"}})");
    std::mutex mutex;
    std::set<std::string> answered;
    for (int kills = 0; kills < 2; ++kills) {
        const auto service = a_listening_service();
        std::vector<std::thread> threads;
        for (int i = 0; i < clients; ++i) {
            threads.emplace_back([&] {
                RawClient client(port);
                for (auto response = client.ask(job); response.status == 201;
                     response = client.ask(job)) {
                    const std::lock_guard lock(mutex);
                    answered.insert(id_in(response.body));
                }
            });
        }
        EXPECT_TRUE(test::eventually([&] {
            const std::lock_guard lock(mutex);
            return answered.size() >= static_cast<std::size_t>(50 * (kills + 1));
        }));
        service->kill();
        for (std::thread& thread : threads) {
            thread.join();
        }
    }
    const auto service = a_listening_service();
    ASSERT_TRUE(test::eventually([&] { return count_all() == 0; }, 60s));
    const auto lines = lines_of("ran");
    const std::set<std::string> ran(lines.begin(), lines.end());
    for (const std::string& id : answered) {
        EXPECT_TRUE(ran.contains(id)) << id;
    }
}

TEST_F(HttpTest, A_bad_job_among_many_clients_fails_alone) {
    configure("");
    const auto service = a_listening_service({"--no-executor"});
    ASSERT_EQ(
        RawClient(port).ask(post(kJobs, R"({"handlerType":"noop","id":"taken"})")).status, 201
    );
    std::atomic<int> added{0};
    std::atomic<int> taken{0};
    std::atomic<int> bad{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i) {
        threads.emplace_back([&, i] {
            RawClient client(port);
            for (int job = 0; job < 20; ++job) {
                added +=
                    client.ask(post(
                                   kJobs,
                                   fmt::format(R"({{"handlerType":"noop","id":"{}-{}"}})", i, job)
                               ))
                                .status == 201
                        ? 1
                        : 0;
                taken +=
                    client.ask(post(kJobs, R"({"handlerType":"noop","id":"taken"})")).status == 409
                        ? 1
                        : 0;
                bad += client.ask(post(kJobs, R"({"handlerType":)")).status == 400 ? 1 : 0;
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(added, 160);
    EXPECT_EQ(taken, 160);
    EXPECT_EQ(bad, 160);
    EXPECT_EQ(count(JobPlace::executable), 161);
}

TEST_F(HttpTest, Many_jobs_of_one_request_are_added_all_or_none) {
    configure("");
    const auto service = a_listening_service({"--no-executor"});
    RawClient client(port);
    std::string jobs;
    for (int i = 0; i < 10'000; ++i) {
        jobs += (i == 0 ? "[" : ",") + std::string(R"({"handlerType":"noop"})");
    }
    EXPECT_EQ(client.ask(post(kJobs, jobs + R"(,{"handlerType":"noop"}])")).status, 400);
    EXPECT_EQ(count_all(), 0);
    EXPECT_THAT(client.ask(post(kJobs, jobs + "]")).body, HasSubstr(R"({"added":10000,"ids":[)"));
    EXPECT_EQ(count(JobPlace::executable), 10'000);
    const auto refused =
        client.ask(post(kJobs, R"([{"handlerType":"noop"},{"handlerTyp":"noop"}])"));
    EXPECT_EQ(refused.status, 400);
    EXPECT_THAT(refused.body, HasSubstr("2: a job has no field handlerTyp"));
    EXPECT_EQ(client.ask(post(kJobs, "[{\"handlerType\":\"a\xff\"}]")).status, 400);
    EXPECT_EQ(count(JobPlace::executable), 10'000);
}

TEST_F(HttpTest, A_draining_service_answers_that_it_is_not_ready_and_loses_nothing) {
    configure("[commands.sleep]\nprogram = \"/bin/sleep\"\nargs = [\"60\"]\n");
    const auto service = a_listening_service();
    RawClient client(port);
    EXPECT_EQ(client.ask(test::get("/health/live")).status, 200);
    EXPECT_TRUE(test::eventually([&] {
        return client.ask(test::get("/health/ready")).status == 200;
    }));
    ASSERT_EQ(
        client.ask(post(kJobs, R"({"handlerType":"command","payload":{"command":"sleep"}})"))
            .status,
        201
    );
    ASSERT_TRUE(test::eventually([&] {
        return client.ask(test::get("/health/ready")).status == 200;
    }));
    service->send(SIGTERM);
    EXPECT_TRUE(test::eventually([&] {
        return client.ask(test::get("/health/ready")).status == 503;
    }));
    EXPECT_EQ(client.ask(post(kJobs, R"({"handlerType":"noop"})")).status, 201);
    service->send(SIGTERM);
    EXPECT_EQ(service->wait(30s), 0);
    EXPECT_EQ(count_all(), 2);
}

TEST_F(HttpTest, An_address_that_others_reach_needs_tokens) {
    configure("");
    const auto refused = cli({"serve", "--http", "0.0.0.0:0"});
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_THAT(refused.err, HasSubstr("make a token"));

    configure("httpTokenFile = \"" + path("tokens") + "\"\n");
    EXPECT_EQ(cli({"serve", "--http", "0.0.0.0:0"}).exit_code, 2);  // There is no such file yet.
    const std::string worker = expect_success({"token", "make", "shop", "--role", "worker"});
    const auto service = a_listening_service();
    const std::string with_token =
        "Authorization: Bearer " + worker.substr(0, worker.size() - 1) + "\r\n";
    RawClient client(port);
    const std::string job = R"({"handlerType":"noop"})";
    EXPECT_EQ(client.ask(test::get("/health/live")).status, 200);
    EXPECT_EQ(client.ask(test::get("/api/v1/jobs/17", with_token)).status, 404);
    EXPECT_EQ(client.ask(post(kJobs, job, with_token)).status, 201);
    EXPECT_EQ(client.ask(post(kJobs, job)).status, 401);
    EXPECT_EQ(RawClient(port).ask(test::get("/no/such/path")).status, 401);

    expect_success({"token", "revoke", "shop"});
    EXPECT_TRUE(test::eventually([&] {
        return RawClient(port).ask(test::get("/api/v1/jobs/17", with_token)).status == 401;
    }));
    EXPECT_THAT(service->log(), Not(HasSubstr(worker.substr(0, worker.size() - 1))));
}

// I8
TEST_F(HttpTest, Many_idle_connections_leave_the_others_unharmed_and_the_memory_bounded) {
    configure("httpMaxConnections = 400\n");
    const auto service = a_listening_service();
    const auto resident_kib = [&] {
        for (std::ifstream status(fmt::format("/proc/{}/status", service->id())); status;) {
            std::string line;
            std::getline(status, line);
            if (line.starts_with("VmRSS:")) {
                return std::atol(line.c_str() + 6);
            }
        }
        return 0L;
    };
    RawClient busy(port);
    EXPECT_EQ(busy.ask(test::get("/health/live")).status, 200);
    const long before = resident_kib();
    std::vector<std::unique_ptr<RawClient>> idle;
    for (int i = 0; i < 600; ++i) {
        idle.push_back(std::make_unique<RawClient>(port));
        (void)idle.back()->send(i % 2 == 0 ? "" : "POST /api/v1/jobs HTTP/1.1\r\nHo");
    }
    EXPECT_EQ(idle.back()->receive().status, 503);
    EXPECT_EQ(busy.ask(post(kJobs, R"({"handlerType":"noop"})")).status, 201);
    EXPECT_LT(resident_kib() - before, 30'000);
}

}  // namespace
}  // namespace jobstrand
