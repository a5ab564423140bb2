#include "tools/handlers/guardian.hpp"

#include "test/fixtures/background_process.hpp"
#include "test/fixtures/signal.hpp"
#include "test/fixtures/temporary_directory.hpp"
#include "tools/handlers/child_process.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

namespace jobstrand::cli {
namespace {

using namespace std::chrono_literals;

ChildProcess script(const std::string& text) {
    return {.program = "/bin/sh", .arguments = {"-c", text}, .environment = {"PATH=/usr/bin:/bin"}};
}

/// A program that waits for ever, in a group of its own, of which nobody was told.
class Sleeper {
public:
    Sleeper() {
        Guardian guardian;
        process_ = spawn(script("exec sleep 600"), guardian);
        guardian.ended(process_.pid);
    }
    ~Sleeper() {
        ::kill(-process_.pid, SIGKILL);
        ::waitpid(process_.pid, nullptr, 0);
    }
    Sleeper(const Sleeper&) = delete;
    Sleeper& operator=(const Sleeper&) = delete;

    [[nodiscard]] pid_t pid() const { return process_.pid; }
    [[nodiscard]] bool runs() const { return test::is_running(process_.pid); }

private:
    SpawnedProcess process_;
};

TEST(Guardian, A_group_that_has_not_ended_is_killed_when_its_service_is_gone) {
    const Sleeper sleeper;
    {
        Guardian guardian;
        ASSERT_TRUE(announce(guardian.channel(), sleeper.pid()));
        guardian.began(sleeper.pid());
        EXPECT_TRUE(sleeper.runs());
    }
    EXPECT_TRUE(test::eventually([&] { return !sleeper.runs(); }));
}

TEST(Guardian, A_group_that_has_ended_is_left_alone) {
    const Sleeper ended;
    const Sleeper never_announced;
    const Sleeper running;
    {
        Guardian guardian;
        for (const Sleeper* sleeper : {&ended, &running}) {
            ASSERT_TRUE(announce(guardian.channel(), sleeper->pid()));
            guardian.began(sleeper->pid());
        }
        guardian.ended(ended.pid());
    }
    EXPECT_TRUE(test::eventually([&] { return !running.runs(); }));
    EXPECT_TRUE(ended.runs());
    EXPECT_TRUE(never_announced.runs());
}

TEST(Guardian, It_outlives_what_ends_a_service_in_peace) {
    Guardian guardian;
    guardian.start();
    const pid_t process = guardian.process();
    for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGPIPE, SIGUSR1}) {
        EXPECT_EQ(::kill(process, signal), 0);
    }
    guardian.start();
    EXPECT_EQ(guardian.process(), process) << "it still runs";
    EXPECT_TRUE(test::eventually([&] { return ::getpgid(process) != ::getpgrp(); }))
        << "what the terminal sends must not reach it";
}

TEST(Guardian, One_that_was_killed_is_started_anew_and_told_what_runs) {
    const Sleeper sleeper;
    {
        Guardian guardian;
        ASSERT_TRUE(announce(guardian.channel(), sleeper.pid()));
        guardian.began(sleeper.pid());
        const pid_t first = guardian.process();
        ::kill(first, SIGKILL);
        // The end can be seen in /proc a moment before it can be waited for.
        EXPECT_TRUE(test::eventually([&] {
            (void)guardian.channel();
            return guardian.process() != first;
        }));
        EXPECT_TRUE(sleeper.runs());
    }
    EXPECT_TRUE(test::eventually([&] { return !sleeper.runs(); }));
}

TEST(Guardian, Programs_run_on_when_it_was_killed_between_two_of_them) {
    Guardian guardian;
    for (int i = 0; i < 20; ++i) {
        const ChildProcessEnd end = run_child_process(script("echo $((1+1))"), {}, guardian);
        EXPECT_EQ(end.output, "2\n");
        EXPECT_EQ(end.code, 0);
        ::kill(guardian.process(), SIGKILL);  // It may take a while to go.
    }
}

// A connection that it kept open would keep a transaction of the dead service open.
TEST(Guardian, It_keeps_nothing_of_its_service_open) {
    int ends[2] = {-1, -1};
    ASSERT_EQ(::pipe(ends), 0);
    Guardian guardian;
    guardian.start();
    ::close(ends[1]);
    char byte = 0;
    EXPECT_EQ(::read(ends[0], &byte, 1), 0) << "the end of the pipe";
    ::close(ends[0]);
}

TEST(Guardian, It_goes_with_its_service) {
    pid_t process = -1;
    {
        Guardian guardian;
        guardian.start();
        process = guardian.process();
        EXPECT_TRUE(test::is_running(process));
    }
    EXPECT_FALSE(test::is_running(process));
    EXPECT_EQ(::waitpid(process, nullptr, WNOHANG), -1) << "nor is it a zombie";
}

TEST(Guardian, One_that_was_never_needed_starts_nothing) {
    Guardian guardian;
    EXPECT_EQ(guardian.process(), -1);
    EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
}

/// A process like a service: it runs programs, and dies by SIGKILL when the test says so.
class DoomedService {
public:
    explicit DoomedService(const std::string& text, int programs = 1) : process_(::fork()) {
        if (process_ == 0) {
            run_for_ever(text, programs);
        }
    }
    ~DoomedService() { kill(); }
    DoomedService(const DoomedService&) = delete;
    DoomedService& operator=(const DoomedService&) = delete;

    void kill() {
        if (process_ > 0) {
            ::kill(process_, SIGKILL);
            ::waitpid(process_, nullptr, 0);
            process_ = -1;
        }
    }

private:
    [[noreturn]] static void run_for_ever(const std::string& text, int programs) {
        Guardian guardian;
        {
            std::vector<std::jthread> threads;
            for (int i = 0; i < programs; ++i) {
                threads.emplace_back([&] {
                    ChildProcess child = script(text);
                    child.time_limit = 600s;
                    while (true) {
                        (void)run_child_process(child, {}, guardian);
                    }
                });
            }
        }
        ::_exit(0);
    }

    pid_t process_;
};

std::vector<pid_t> pids_in(const std::filesystem::path& file) {
    std::vector<pid_t> pids;
    std::ifstream stream(file);
    for (pid_t pid = 0; stream >> pid;) {
        pids.push_back(pid);
    }
    return pids;
}

TEST(Guardian, A_killed_service_takes_its_programs_and_their_children_with_it) {
    const test::TemporaryDirectory directory;
    const std::string file = directory.path() / "pids";
    DoomedService service("sleep 600 & a=$!; sleep 600 & echo $$ $a $! >> " + file + "; wait", 4);
    ASSERT_TRUE(test::eventually([&] { return pids_in(file).size() == 12; }));
    for (const pid_t pid : pids_in(file)) {
        EXPECT_TRUE(test::is_running(pid));
    }
    service.kill();
    for (const pid_t pid : pids_in(file)) {
        EXPECT_TRUE(test::eventually([&] { return !test::is_running(pid); })) << pid;
    }
}

TEST(Guardian, What_ignores_signals_goes_too) {
    const test::TemporaryDirectory directory;
    const std::string file = directory.path() / "pids";
    DoomedService service(
        "trap '' TERM HUP INT PIPE; echo $$ > " + file + "; while :; do sleep 600; done"
    );
    ASSERT_TRUE(test::eventually([&] { return pids_in(file).size() == 1; }));
    service.kill();
    EXPECT_TRUE(test::eventually([&] { return !test::is_running(pids_in(file).front()); }));
}

// The service is killed while programs begin and end all the time, so also between fork and exec.
TEST(Guardian, At_whatever_instant_a_service_is_killed_no_program_of_it_runs_on) {
    const test::TemporaryDirectory directory;
    const std::string file = directory.path() / "pids";
    for (int kill = 1; kill <= 20; ++kill) {
        DoomedService service("echo $$ >> " + file + "; exec sleep 0.01", 4);
        const std::size_t goal = pids_in(file).size() + static_cast<std::size_t>(3 * kill);
        ASSERT_TRUE(test::eventually([&] { return pids_in(file).size() >= goal; }));
        service.kill();
        ASSERT_TRUE(test::eventually([&] {
            const std::vector<pid_t> pids = pids_in(file);
            return std::none_of(pids.begin(), pids.end(), test::is_running);
        }));
    }
}

}  // namespace
}  // namespace jobstrand::cli
