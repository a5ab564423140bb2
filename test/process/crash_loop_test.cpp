#include "test/process/service_fixture.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <csignal>
#include <set>

namespace jobstrand {
namespace {

using namespace std::chrono_literals;
using schema::JobPlace;
using test::ServiceTest;
using testing::HasSubstr;

/// Jobs that end the service that runs them, and their neighbours.
class CrashLoopTest : public ServiceTest {
protected:
    CrashLoopTest() {
        lock_ms = 300;  // A job that two processes died of is left alone for ten lock times.
        const std::string crash =
            a_script("crash", "echo crash >> \"" + path("crashed") + "\"\nkill -9 $PPID");
        const std::string append = a_script(
            "append",
            "echo \"$JOBSTRAND_JOB_ID $JOBSTRAND_ATTEMPT\" >> \"" + path("ran") + "\"\nsleep 0.02"
        );
        configure(
            "[commands.crash]\nprogram = \"" + crash + "\"\n[commands.append]\nprogram = \"" +
            append + "\"\n"
        );
    }

    /// Adds jobs that run these commands, in this order.
    void add(const std::vector<std::string>& commands) {
        std::string lines;
        for (const std::string& command : commands) {
            lines += R"({"handlerType":"command","payload":{"command":")" + command + "\"}}\n";
        }
        expect_success({"job", "add", "--from", "-"}, lines);
    }

    /// Starts the service again whenever it has died, until no job waits any more.
    void run_until_no_job_waits() {
        const auto is_over = [&] { return count(JobPlace::executable) == 0; };
        for (deaths = 0; deaths < 20; ++deaths) {
            const auto service = a_service();
            const bool has_ended =
                test::eventually([&] { return is_over() || service->wait(0ms).has_value(); });
            ASSERT_TRUE(has_ended);
            if (is_over()) {
                service->send(SIGTERM);  // It writes its last lines.
                EXPECT_EQ(service->wait(10s), 0);
                return;
            }
        }
        FAIL() << "the service dies for ever";
    }

    /// How many jobs have appended their line, each on its first attempt: a crash is no attempt.
    /// On a slow machine a lock this short ends while its job runs, which then runs twice.
    [[nodiscard]] std::size_t appended_on_first_attempt() const {
        std::set<std::string> jobs;
        for (const std::string& line : lines_of("ran")) {
            EXPECT_TRUE(line.ends_with(" 1")) << line;
            jobs.insert(line);
        }
        return jobs.size();
    }

    [[nodiscard]] std::ptrdiff_t lines_that_alert() const {
        return std::ranges::count_if(lines_of("service.log"), [](const std::string& line) {
            return line.find("ERROR a job ends every process that runs it") != std::string::npos;
        });
    }

    int deaths = 0;
};

TEST_F(CrashLoopTest, A_job_that_kills_the_service_is_a_dead_letter_after_three_starts) {
    add({"crash"});
    run_until_no_job_waits();
    EXPECT_EQ(lines_of("crashed").size(), 3U);
    EXPECT_EQ(deaths, 3);
    ASSERT_EQ(count(JobPlace::dead_letter), 1);
    const schema::Job dead = store->list(JobPlace::dead_letter, {}, "", 1).front();
    EXPECT_THAT(dead.exception_message, HasSubstr("the process that held it ended 3 times"));
    EXPECT_EQ(lines_that_alert(), 1);
}

TEST_F(CrashLoopTest, Its_neighbours_all_run_and_keep_their_retries) {
    std::vector<std::string> commands(60, "append");
    commands[20] = "crash";
    add(commands);
    run_until_no_job_waits();
    EXPECT_LE(lines_of("crashed").size(), 3U);
    EXPECT_EQ(count(JobPlace::dead_letter), 1);
    EXPECT_EQ(count_all(), 1);
    EXPECT_EQ(appended_on_first_attempt(), 59U);
}

TEST_F(CrashLoopTest, Several_of_them_are_each_found_out) {
    std::vector<std::string> commands(30, "append");
    commands[5] = commands[6] = commands[25] = "crash";
    add(commands);
    run_until_no_job_waits();
    EXPECT_EQ(count(JobPlace::dead_letter), 3);
    EXPECT_EQ(count_all(), 3);
    EXPECT_LE(lines_of("crashed").size(), 9U);
}

TEST_F(CrashLoopTest, A_kill_while_a_job_waited_in_the_queue_makes_no_difference_to_it) {
    const std::string hold = a_script(
        "hold",
        "echo up >> \"" + path("up") + "\"\n" +  //
            "test -f \"" + path("go") + "\" || exec sleep 20"
    );
    std::ofstream(path("config.toml"), std::ios::app)
        << "[commands.hold]\nprogram = \"" << hold << "\"\n";
    add({"append"});
    {
        const auto service = a_service();
        ASSERT_TRUE(test::eventually([&] { return count_all() == 0; }));
        std::vector<std::string> commands(20, "append");
        std::fill_n(commands.begin(), 8, "hold");
        add(commands);
        ASSERT_TRUE(test::eventually([&] { return lines_of("up").size() == 8; }));
        ASSERT_TRUE(test::eventually([&] {
            return count(JobPlace::executable, {.locked = true}) == 20;
        })) << "after a short run the queue is filled";
        service->kill();
    }
    std::ofstream(path("go")) << "";
    const auto service = a_service();
    ASSERT_TRUE(test::eventually([&] { return count_all() == 0; }, 60s));
    EXPECT_EQ(appended_on_first_attempt(), 13U);
}

}  // namespace
}  // namespace jobstrand
