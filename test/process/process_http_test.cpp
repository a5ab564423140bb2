#include "test/fixtures/self_signed.hpp"
#include "test/process/service_fixture.hpp"
#include "test/service/tls_client.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace jobstrand {

namespace {

using schema::JobPlace;
using test::get;
using test::HttpServiceTest;
using test::post;
using test::RawClient;
using test::TlsClient;
using testing::HasSubstr;
using testing::Not;
using namespace std::chrono_literals;

constexpr const char* kJobs = "/api/v1/jobs";

class HttpTest : public HttpServiceTest {};

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
    EXPECT_EQ(client.ask(get("/health/live")).status, 200);
    EXPECT_TRUE(test::eventually([&] { return client.ask(get("/health/ready")).status == 200; }));
    ASSERT_EQ(client.ask(post(kJobs, job_of("sleep"))).status, 201);
    persistence::JobFilter held;
    held.locked = true;
    ASSERT_TRUE(test::eventually([&] { return count(JobPlace::executable, held) == 1; }));
    service->send(SIGTERM);
    EXPECT_TRUE(test::eventually([&] { return client.ask(get("/health/ready")).status == 503; }));
    // Due today it could be part of a claim that was under way when the service said so.
    EXPECT_EQ(
        client.ask(post(kJobs, R"({"handlerType":"noop","dueDate":"2099-01-01T00:00:00Z"})"))
            .status,
        201
    );
    expect_stop(*service);
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
    EXPECT_EQ(client.ask(get("/health/live")).status, 200);
    EXPECT_EQ(client.ask(get("/api/v1/jobs/17", with_token)).status, 404);
    EXPECT_EQ(client.ask(post(kJobs, job, with_token)).status, 201);
    EXPECT_EQ(client.ask(post(kJobs, job)).status, 401);
    EXPECT_EQ(RawClient(port).ask(get("/no/such/path")).status, 401);

    expect_success({"token", "revoke", "shop"});
    EXPECT_TRUE(test::eventually([&] {
        return RawClient(port).ask(get("/api/v1/jobs/17", with_token)).status == 401;
    }));
    EXPECT_THAT(service->log(), Not(HasSubstr(worker.substr(0, worker.size() - 1))));
}

/// The service with a certificate.
class HttpTlsTest : public HttpServiceTest {
protected:
    HttpTlsTest() { test::SelfSigned().write_to(directory.path()); }

    void configure_tls(const std::string& more = {}) const {
        configure(
            "httpCertificateFile = \"" + path("cert.pem") + "\"\nhttpKeyFile = \"" +
            path("key.pem") + "\"\n" + more
        );
    }

    [[nodiscard]] int ask(const std::string& trusted) const {
        return TlsClient(port, trusted).ask(get("/health/live")).status;
    }
};

TEST_F(HttpTlsTest, A_renewed_certificate_needs_no_restart_and_a_wrong_one_changes_nothing) {
    configure_tls();
    const auto service = a_listening_service();
    std::filesystem::copy(path("cert.pem"), path("old.pem"));
    EXPECT_EQ(ask(path("old.pem")), 200);
    TlsClient before(port, path("old.pem"));

    test::SelfSigned().write_to(directory.path());
    service->send(SIGHUP);
    ASSERT_TRUE(service->wait_for_log("the certificate was read again"));
    EXPECT_EQ(ask(path("cert.pem")), 200);
    EXPECT_EQ(before.ask(get("/health/live")).status, 200);

    std::filesystem::copy(path("cert.pem"), path("new.pem"));
    std::ofstream(path("cert.pem")) << "half a file";
    service->send(SIGHUP);
    ASSERT_TRUE(service->wait_for_log("the certificate is not taken over"));
    EXPECT_EQ(ask(path("new.pem")), 200);

    expect_stop(*service);
}

TEST_F(HttpTlsTest, A_service_that_cannot_show_its_certificate_does_not_start) {
    configure("httpCertificateFile = \"" + path("cert.pem") + "\"\n");
    const auto half = cli({"serve", "--http", "127.0.0.1:0"});
    EXPECT_EQ(half.exit_code, 2);
    EXPECT_THAT(half.err, HasSubstr("httpCertificateFile and httpKeyFile need each other"));

    configure_tls();
    std::filesystem::remove(path("key.pem"));
    const auto without_key = cli({"serve", "--http", "127.0.0.1:0"});
    EXPECT_EQ(without_key.exit_code, 2);
    EXPECT_THAT(without_key.err, HasSubstr("cannot read the key"));
}

TEST_F(HttpTlsTest, Tokens_that_cross_the_network_in_the_clear_are_warned_of) {
    constexpr const char* warning = "in the clear";
    const std::string tokens = "httpTokenFile = \"" + path("tokens") + "\"\n";
    configure(tokens);
    (void)expect_success({"token", "make", "ops", "--role", "admin"});
    {
        const auto service = a_listening_service({}, "0.0.0.0:0");
        EXPECT_THAT(service->log(), HasSubstr(warning));
    }
    configure_tls(tokens);
    const auto service = a_listening_service({}, "0.0.0.0:0");
    EXPECT_THAT(service->log(), Not(HasSubstr(warning)));
    EXPECT_EQ(ask(path("cert.pem")), 200);
}

/// The id in `{"id":"..."}`.
[[nodiscard]] std::string id_in(const std::string& body) {
    return body.substr(7, body.find('"', 7) - 7);
}

/// I2: after the 2xx answer a job is never lost, whatever becomes of the service while many
/// clients enqueue.
class HttpLoadTest : public HttpServiceTest {
protected:
    HttpLoadTest() {
        configure(
            "lockOwner = \"one\"\nnodeLease = 2000\nmaxLostStarts = 1000\n" +
            a_command("append", echo("$JOBSTRAND_JOB_ID", "ran"))
        );
    }

    /// Runs `disturb` when some fifty more jobs were answered, with clients that go on until they
    /// are not answered any more.
    template <typename Disturb>
    void under_load(const Disturb& disturb) {
        const std::size_t before = answered_.size();
        std::vector<std::thread> clients;
        for (int i = 0; i < 8; ++i) {
            clients.emplace_back([this] { enqueue_while_answered(); });
        }
        wait_for_answers(before + 50);
        disturb();
        for (std::thread& client : clients) {
            client.join();
        }
    }

    void wait_for_answers(std::size_t count) {
        EXPECT_TRUE(test::eventually([&] {
            const std::lock_guard lock(mutex_);
            return answered_.size() >= count;
        }));
    }

    [[nodiscard]] std::size_t answers() {
        const std::lock_guard lock(mutex_);
        return answered_.size();
    }

    void expect_all_ran() {
        ASSERT_TRUE(all_done(60s));
        const auto lines = lines_of("ran");
        const std::set<std::string> ran(lines.begin(), lines.end());
        for (const std::string& id : answered_) {
            EXPECT_TRUE(ran.contains(id)) << id;
        }
    }

private:
    void enqueue_while_answered() {
        const std::string job = post("/api/v1/jobs", job_of("append"));
        RawClient client(port);
        for (auto response = client.ask(job); response.status == 201; response = client.ask(job)) {
            const std::lock_guard lock(mutex_);
            answered_.insert(id_in(response.body));
        }
    }

    std::mutex mutex_;
    std::set<std::string> answered_;  ///< Guarded by mutex_ while clients run.
};

TEST_F(HttpLoadTest, Every_job_with_an_answer_runs_although_the_service_is_killed) {
    for (int kills = 0; kills < 2; ++kills) {
        const auto service = a_listening_service();
        under_load([&] { service->kill(); });
    }
    const auto service = a_listening_service();
    expect_all_ran();
}

TEST_F(HttpLoadTest, Every_job_with_an_answer_runs_although_the_service_is_told_to_stop) {
    {
        const auto service = a_listening_service();
        under_load([&] { expect_stop(*service); });
    }
    const auto service = a_listening_service();
    expect_all_ran();
}

TEST_F(HttpLoadTest, Every_job_with_an_answer_runs_while_the_service_is_reloaded_and_drained) {
    const auto service = a_listening_service();
    under_load([&] {
        service->send(SIGHUP);
        EXPECT_TRUE(service->wait_for_log("the configuration file was read again"));
        wait_for_answers(answers() + 50);
        expect_success({"node", "drain", "one"});
        EXPECT_TRUE(service->wait_for_log("this node is drained"));
        wait_for_answers(answers() + 50);
        expect_success({"node", "resume", "one"});
        wait_for_answers(answers() + 50);
        expect_stop(*service);
    });
    const auto again = a_listening_service();
    expect_all_ran();
}

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
class HttpCrowdTest : public HttpServiceTest {
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
            // It has a minute between two requests, and the crowd may take longer.
            expect_served(busy);
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
