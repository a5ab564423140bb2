#include "test/process/http_service_fixture.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <atomic>
#include <thread>

namespace jobstrand {
namespace {

using namespace std::chrono_literals;
using schema::JobPlace;
using test::post;
using test::RawClient;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kJobs = "/api/v1/jobs";

class HttpTest : public test::HttpServiceTest {};

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
    persistence::JobFilter held;
    held.locked = true;
    ASSERT_TRUE(test::eventually([&] { return count(JobPlace::executable, held) == 1; }));
    service->send(SIGTERM);
    EXPECT_TRUE(test::eventually([&] {
        return client.ask(test::get("/health/ready")).status == 503;
    }));
    // Due today it could be part of a claim that was under way when the service said so.
    EXPECT_EQ(
        client.ask(post(kJobs, R"({"handlerType":"noop","dueDate":"2099-01-01T00:00:00Z"})"))
            .status,
        201
    );
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

}  // namespace
}  // namespace jobstrand
