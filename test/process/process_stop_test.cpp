#include "persistence/drivers/database_url.hpp"
#include "schema/limits.hpp"
#include "test/fixtures/notify_socket.hpp"
#include "test/fixtures/server_database.hpp"
#include "test/process/binaries.hpp"
#include "test/process/service_fixture.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <sstream>
#include <string>

namespace jobstrand {

namespace {

using schema::JobPlace;
using test::BackgroundProcess;
using test::NotifySocket;
using test::ServiceTest;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using namespace std::chrono_literals;

/// Six jobs that run until they are let go, and say when they have started and ended.
class StopTest : public ServiceTest {
protected:
    StopTest() {
        configure(
            "asyncExecutorCorePoolSize = 2\nasyncExecutorMaxPoolSize = 2\n" +
            a_command("waiting", echo("started", "started") + wait_to_go() + echo("ended", "ended"))
        );
        add_jobs(6, job_of("waiting"));
    }

    [[nodiscard]] bool two_jobs_run() const {
        return test::eventually([&] { return lines_of("started").size() == 2; });
    }
};

// R174
TEST_F(StopTest, Sigterm_lets_running_jobs_finish_frees_queued_ones_and_exits_with_0) {
    const auto service = a_service();
    ASSERT_TRUE(two_jobs_run());
    service->send(SIGTERM);
    EXPECT_TRUE(test::eventually([&] { return count(JobPlace::executable, {.locked = false}) == 4; }
    ));
    EXPECT_EQ(service->wait(1ms), std::nullopt);
    let_go();
    EXPECT_EQ(service->wait(test::kPatience), 0);
    EXPECT_EQ(lines_of("ended").size(), 2U);
    EXPECT_EQ(count(JobPlace::executable), 4);
    EXPECT_EQ(count_all(), 4);
}

TEST_F(StopTest, A_second_sigterm_stops_at_once_and_loses_nothing) {
    const auto service = a_service();
    ASSERT_TRUE(two_jobs_run());
    service->send(SIGTERM);
    ASSERT_TRUE(service->wait_for_log("a second signal stops them"));
    service->send(SIGTERM);
    EXPECT_TRUE(service->wait(test::kPatience));
    EXPECT_TRUE(lines_of("ended").empty());
    EXPECT_EQ(count_all(), 6);
    for (const JobPlace place : {JobPlace::executable, JobPlace::timer}) {
        for (const schema::Job& job : store->jobs().list(place, {}, "", 10)) {
            EXPECT_EQ(job.retries, 3);
            EXPECT_TRUE(job.lock_owner.empty());
        }
    }
}

/// A service that waits for as long as it takes until others have written.
class PatientStopTest : public ServiceTest {
protected:
    PatientStopTest() {
        std::ofstream(path("config.toml")) << "db = \"" << url() << "?busy_timeout=PT5M\"\n"
                                           << "awaitTerminationPeriod = \"PT0S\"\n";
    }
};

TEST_F(PatientStopTest, A_database_that_does_not_answer_does_not_keep_it_from_stopping) {
    const auto service = a_service();
    ASSERT_TRUE(service->wait_for_log("ready"));
    const auto other =
        test::open_connection(persistence::parse_database_url(url() + "?busy_timeout=PT10S").value()
        );
    other->begin();
    service->send(SIGTERM);
    EXPECT_EQ(service->wait(100s), 1);
    other->rollback();
}

/// SIGHUP: the service reads its configuration file again.
class ReloadTest : public ServiceTest {
protected:
    static constexpr const char* kReadAgain = "the configuration file was read again";
};

TEST_F(ReloadTest, A_command_that_is_new_in_the_file_runs_and_jobs_that_run_are_not_disturbed) {
    const std::string waiting = a_command("waiting", echo("", "started") + wait_to_go());
    const std::string quick = a_command("quick", echo("", "quick-ran"));
    configure(waiting + quick);
    add_command("waiting");
    add_command("quick");
    configure(waiting);
    const auto service = a_service();
    ASSERT_TRUE(test::eventually([&] { return lines_of("started").size() == 1; }));

    configure(quick);
    service->send(SIGHUP);
    ASSERT_TRUE(service->wait_for_log(kReadAgain));
    EXPECT_TRUE(test::eventually([&] { return lines_of("quick-ran").size() == 1; }));
    EXPECT_TRUE(test::eventually([&] { return count_all() == 1; })) << "the other one still runs";

    let_go();
    EXPECT_TRUE(all_done());
    expect_stop(*service);
}

TEST_F(ReloadTest, What_it_serves_changes_and_what_cannot_change_is_named) {
    configure("enabledTenants = [\"north\"]\n");
    const auto service = a_service();
    ASSERT_TRUE(service->wait_for_log("ready"));
    expect_success({"job", "add", "--type", "noop", "--tenant", "south"});

    configure("enabledTenants = [\"south\"]\nmaxPoolSize = 3\nlogFormat = \"json\"\n");
    service->send(SIGHUP);
    EXPECT_TRUE(all_done());
    ASSERT_TRUE(service->wait_for_log("these settings count when the service is started again"));
    EXPECT_THAT(service->log(), HasSubstr("settings=\"logFormat, corePoolSize, maxPoolSize\""));
}

TEST_F(ReloadTest, The_level_of_the_log_changes) {
    configure("logLevel = \"warn\"\n");
    const auto service = a_service();
    expect_success({"job", "add", "--type", "log", "--payload", "\"before\""});
    ASSERT_TRUE(all_done());

    configure("logLevel = \"info\"\n");
    service->send(SIGHUP);
    // Written at the level that counted before, it would not be there.
    ASSERT_TRUE(service->wait_for_log(kReadAgain));
    expect_success({"job", "add", "--type", "log", "--payload", "\"afterwards\""});
    ASSERT_TRUE(service->wait_for_log("afterwards"));
    EXPECT_THAT(service->log(), Not(HasSubstr("before")));
}

TEST_F(ReloadTest, A_file_with_a_mistake_changes_nothing) {
    const std::string quick = a_command("quick", "exit 0");
    configure(quick);
    const auto service = a_service();
    ASSERT_TRUE(service->wait_for_log("ready"));

    configure("maxPoolSizes = 3\n");
    service->send(SIGHUP);
    ASSERT_TRUE(service->wait_for_log("the configuration file is not taken over"));
    EXPECT_THAT(service->log(), HasSubstr("maxPoolSizes"));
    configure(quick);
    add_command("quick");
    EXPECT_TRUE(all_done());
}

TEST_F(ReloadTest, Without_a_file_sighup_stops_the_service) {
    BackgroundProcess service(
        {test::kJobstrandBinary, "serve", "--db", url()}, path("service.log")
    );
    ASSERT_TRUE(service.wait_for_log("ready"));
    service.send(SIGHUP);
    EXPECT_EQ(service.wait(test::kPatience), 0);
}

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
    // Of each there are lines: more than the pipe holds.
    add_jobs(2000, R"({"handlerType":"noop"})");
    const auto service = a_service();
    EXPECT_TRUE(all_done(60s));
    service->send(SIGTERM);
    EXPECT_EQ(service->wait(60s), 0);
}

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
    ASSERT_TRUE(all_done(120s));
    const std::size_t peak = peak_memory_of(service->id());
    RecordProperty("peak_megabytes", std::to_string(peak / kMegabyte));
    EXPECT_GT(peak, kMegabyte);
    EXPECT_LT(peak, jobs * schema::limits::kPayloadBytes / 2);
}

}  // namespace

}  // namespace jobstrand
