#include "tools/handlers/child_process.hpp"

#include "test/fixtures/background_process.hpp"
#include "test/fixtures/signal.hpp"
#include "test/fixtures/temporary_directory.hpp"
#include "tools/handlers/guardian.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace jobstrand::cli {

namespace {

using namespace std::chrono_literals;
using Kind = ChildProcessEnd::Kind;

ChildProcess a_script(const std::string& script) {
    return {
        .program = "/bin/sh",
        .arguments = {"-c", script},
        .environment = {"PATH=/usr/bin:/bin"},
    };
}

ChildProcessEnd run(const ChildProcess& child, std::stop_token stop = {}) {
    Guardian guardian;
    return run_child_process(child, std::move(stop), guardian);
}

std::size_t open_descriptors() {
    const std::filesystem::directory_iterator all("/proc/self/fd");
    return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

/// Waits until the process has ended; false: it still runs after five seconds.
bool ends_soon(pid_t pid) {
    const UniqueFd pidfd = open_pidfd(pid);
    if (!pidfd) {
        return errno == ESRCH;
    }
    pollfd watched{.fd = pidfd.get(), .events = POLLIN, .revents = 0};
    return ::poll(&watched, 1, 5000) == 1;
}

pid_t pid_in(const std::filesystem::path& file) {
    pid_t pid = 0;
    std::ifstream(file) >> pid;
    return pid;
}

/// Runs a script and requests a stop as soon as the script calls `up`.
class StopWhenUp {
public:
    StopWhenUp() { EXPECT_EQ(::mkfifo(fifo().c_str(), 0600), 0); }

    ChildProcessEnd run(const std::string& script, schema::Duration grace = 60s) {
        const std::jthread stopper([this] {
            // Opening a fifo waits for the other end.
            std::string line;
            std::ifstream started(fifo());
            std::getline(started, line);
            stop_.request_stop();
        });
        ChildProcess child = a_script("up() { echo up > " + fifo() + "; }; " + script);
        child.grace = grace;
        return cli::run(child, stop_.get_token());
    }

    [[nodiscard]] std::string pid_file() const { return directory_.path() / "pid"; }

private:
    [[nodiscard]] std::string fifo() const { return directory_.path() / "fifo"; }

    const test::TemporaryDirectory directory_;
    std::stop_source stop_;
};

TEST(ChildProcess, Exit_code_and_output_come_back) {
    const ChildProcessEnd end = run(a_script("echo to-stdout; echo to-stderr >&2; exit 7"));
    EXPECT_EQ(end.kind, Kind::exited);
    EXPECT_EQ(end.code, 7);
    EXPECT_EQ(end.output, "to-stdout\nto-stderr\n");
}

TEST(ChildProcess, Input_arrives_whole_however_long_it_is) {
    const std::string input(3'000'000, 'x');
    ChildProcess child = a_script("wc -c");
    child.input = input;
    EXPECT_EQ(run(child).output, "3000000\n");
}

TEST(ChildProcess, A_program_that_ignores_its_input_does_no_harm) {
    const std::string input(3'000'000, 'x');
    ChildProcess child = a_script("exec /bin/true");
    child.input = input;
    const ChildProcessEnd end = run(child);
    EXPECT_EQ(end.kind, Kind::exited);
    EXPECT_EQ(end.code, 0);
}

TEST(ChildProcess, Arguments_are_passed_as_they_are_without_a_shell) {
    const ChildProcess child{
        .program = "/bin/echo", .arguments = {"$HOME", "*", "; rm -rf x", ""}, .environment = {}};
    EXPECT_EQ(run(child).output, "$HOME * ; rm -rf x \n");
}

TEST(ChildProcess, The_environment_is_what_was_given_and_nothing_else) {
    const ChildProcess child{
        .program = "/usr/bin/env", .arguments = {}, .environment = {"A=1", "B=two words"}};
    EXPECT_EQ(run(child).output, "A=1\nB=two words\n");
}

TEST(ChildProcess, It_runs_in_its_working_directory) {
    const test::TemporaryDirectory directory;
    ChildProcess child = a_script("pwd -P");
    child.working_directory = directory.path();
    EXPECT_EQ(run(child).output, std::filesystem::canonical(directory.path()).string() + "\n");
}

TEST(ChildProcess, Only_the_end_of_a_long_output_is_kept) {
    ChildProcess child = a_script("i=0; while [ $i -lt 20000 ]; do echo line-$i; i=$((i+1)); done");
    child.output_bytes = 1000;
    const ChildProcessEnd end = run(child);
    EXPECT_EQ(end.output.size(), 1000U);
    EXPECT_TRUE(end.output.ends_with("line-19998\nline-19999\n")) << end.output;
}

TEST(ChildProcess, Sixty_four_kibibytes_of_output_are_kept) {
    const ChildProcessEnd end = run(a_script("head -c 70000 /dev/zero | tr '\\0' x; echo the end"));
    EXPECT_EQ(end.output.size(), 64U * 1024U);
    EXPECT_TRUE(end.output.ends_with("xthe end\n"));
}

TEST(ChildProcess, Standard_output_alone_is_there_when_it_is_wanted) {
    ChildProcess child = a_script("echo to-stdout; echo to-stderr >&2; echo more");
    EXPECT_EQ(run(child).standard_output, std::nullopt);
    child.keeps_stdout_apart = true;
    const ChildProcessEnd end = run(child);
    EXPECT_EQ(end.standard_output, "to-stdout\nmore\n");
    EXPECT_NE(end.output.find("to-stderr\n"), std::string::npos);
    EXPECT_NE(end.output.find("to-stdout\n"), std::string::npos);
}

TEST(ChildProcess, Standard_output_is_whole_or_not_there) {
    ChildProcess child = a_script("head -c 100000 /dev/zero | tr '\\0' x; echo '{}'");
    child.keeps_stdout_apart = true;
    EXPECT_EQ(run(child).standard_output, std::nullopt);
    child.output_bytes = 100'003;
    EXPECT_EQ(run(child).standard_output, std::string(100'000, 'x') + "{}\n");
    child.output_bytes = 100'002;
    EXPECT_EQ(run(child).standard_output, std::nullopt);
    child = a_script("exit 0");
    child.keeps_stdout_apart = true;
    EXPECT_EQ(run(child).standard_output, "");
}

TEST(ChildProcess, However_much_comes_on_both_outputs_nobody_waits_for_the_other) {
    ChildProcess child =
        a_script("head -c 3000000 /dev/zero >&2; echo done; head -c 3000000 /dev/zero >&2");
    child.keeps_stdout_apart = true;
    const ChildProcessEnd end = run(child);
    EXPECT_EQ(end.kind, Kind::exited);
    EXPECT_EQ(end.standard_output, "done\n");
}

TEST(ChildProcess, A_program_leads_a_process_group_of_its_own) {
    const ChildProcessEnd end = run(a_script("echo $$; ps -o pgid= -p $$ | tr -d ' '"));
    std::istringstream lines(end.output);
    pid_t pid = 0;
    pid_t group = -1;
    lines >> pid >> group;
    EXPECT_EQ(pid, group) << end.output;
    EXPECT_NE(group, ::getpgrp());
}

TEST(ChildProcess, A_death_by_signal_is_told_apart) {
    const ChildProcessEnd end = run(a_script("kill -9 $$"));
    EXPECT_EQ(end.kind, Kind::signalled);
    EXPECT_EQ(end.code, SIGKILL);
}

TEST(ChildProcess, What_cannot_be_started_says_why) {
    const test::TemporaryDirectory directory;
    const std::filesystem::path text = directory.path() / "text";
    std::ofstream(text) << "not a program\n";

    ChildProcess child = a_script("true");
    child.program = "/nowhere/program";
    EXPECT_EQ(run(child).kind, Kind::not_started);
    EXPECT_EQ(run(child).code, ENOENT);
    child.program = text;
    EXPECT_EQ(run(child).code, EACCES);
    child = a_script("true");
    child.working_directory = "/nowhere";
    EXPECT_EQ(run(child).code, ENOENT);
}

TEST(ChildProcess, It_is_ended_at_its_time_limit) {
    ChildProcess child = a_script("sleep 600");
    child.time_limit = 100ms;
    EXPECT_EQ(run(child).kind, Kind::timed_out);
}

TEST(ChildProcess, A_stop_ends_the_whole_group) {
    StopWhenUp up;
    const ChildProcessEnd end = up.run("sleep 600 & echo $! > " + up.pid_file() + "; up; wait");
    EXPECT_EQ(end.kind, Kind::stopped);
    EXPECT_TRUE(ends_soon(pid_in(up.pid_file())));
}

TEST(ChildProcess, What_ignores_the_polite_signal_is_killed_with_its_children) {
    StopWhenUp up;
    const ChildProcessEnd end = up.run(
        "trap '' TERM; sleep 600 & echo $! > " + up.pid_file() +
            "; echo waiting; up; while :; do wait; done",
        100ms
    );
    EXPECT_EQ(end.kind, Kind::stopped);
    EXPECT_EQ(end.output, "waiting\n");
    EXPECT_TRUE(ends_soon(pid_in(up.pid_file())));
}

TEST(ChildProcess, A_program_and_its_children_may_use_the_grace_to_end_in_order) {
    StopWhenUp up;
    const ChildProcessEnd end = up.run(
        "(trap 'echo tidy child; exit' TERM; up; while :; do sleep 0.1; done) &"
        "trap 'exit 0' TERM; wait",
        60s
    );
    EXPECT_EQ(end.kind, Kind::stopped);
    // The shell may add a line about the child that it lost.
    EXPECT_TRUE(end.output.ends_with("tidy child\n")) << end.output;
}

TEST(ChildProcess, Children_left_behind_by_a_program_that_ended_are_killed) {
    const test::TemporaryDirectory directory;
    const std::filesystem::path pid_file = directory.path() / "pid";
    const ChildProcessEnd end =
        run(a_script("sleep 600 & echo $! > " + pid_file.string() + "; echo done"));
    EXPECT_EQ(end.kind, Kind::exited);
    EXPECT_EQ(end.output, "done\n");
    EXPECT_TRUE(ends_soon(pid_in(pid_file)));
}

TEST(ChildProcess, A_stop_requested_before_the_start_starts_nothing) {
    std::stop_source stop;
    stop.request_stop();
    const test::TemporaryDirectory directory;
    const std::filesystem::path file = directory.path() / "ran";
    const ChildProcess child = a_script("touch " + file.string());
    EXPECT_EQ(run(child, stop.get_token()).kind, Kind::stopped);
    EXPECT_FALSE(std::filesystem::exists(file));
}

TEST(ChildProcess, It_starts_with_no_blocked_and_no_ignored_signals) {
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    ASSERT_EQ(::pthread_sigmask(SIG_SETMASK, &all, &before), 0);
    const auto old_pipe_action = std::signal(SIGPIPE, SIG_IGN);
    const ChildProcessEnd end = run(a_script("grep -E 'Sig(Blk|Ign)' /proc/self/status"));
    std::signal(SIGPIPE, old_pipe_action);
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);

    std::istringstream lines(end.output);
    std::string blocked_name;
    std::string ignored_name;
    std::uint64_t blocked = 1;
    std::uint64_t ignored = 1;
    lines >> blocked_name >> std::hex >> blocked >> ignored_name >> ignored;
    EXPECT_EQ(blocked, 0U) << end.output;
    // Two signals above the 31 ordinary ones belong to the C library, which ignores them on
    // purpose.
    EXPECT_EQ(ignored & 0x7FFF'FFFFU, 0U) << end.output;
}

TEST(ChildProcess, It_sees_no_descriptor_but_the_three_of_its_own) {
    // Opened without O_CLOEXEC, as libraries do.
    const UniqueFd leaky(::dup(STDERR_FILENO));
    const ChildProcessEnd end = run(a_script("ls /proc/self/fd | tr '\\n' ' '"));
    // The fourth is the directory that ls itself reads.
    EXPECT_EQ(end.output, "0 1 2 3 ");
}

TEST(ChildProcess, No_descriptor_and_no_zombie_stays_behind) {
    const std::size_t before = open_descriptors();
    for (int i = 0; i < 20; ++i) {
        (void)run(a_script("exit 1"));
        (void)run({.program = "/nowhere/program"});
    }
    EXPECT_EQ(open_descriptors(), before);
    EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
    EXPECT_EQ(errno, ECHILD);
}

TEST(ChildProcess, A_limit_that_was_raised_later_is_not_the_programs) {
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
    rlimit usual = before;
    usual.rlim_cur = 200;
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &usual), 0);
    Guardian guardian;
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
    const std::string limits =
        run_child_process(a_script("ulimit -Sn; ulimit -Hn"), {}, guardian).output;
    EXPECT_EQ(limits.substr(0, limits.find('\n')), "200");
    EXPECT_NE(limits, "200\n200\n") << "it may raise its own";
}

TEST(ChildProcess, Many_threads_run_programs_side_by_side) {
    Guardian guardian;
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i) {
        threads.emplace_back([i, &guardian] {
            for (int round = 0; round < 10; ++round) {
                const std::string text = std::to_string(i) + "-" + std::to_string(round);
                const ChildProcess child = a_script("echo " + text);
                EXPECT_EQ(run_child_process(child, {}, guardian).output, text + "\n");
            }
        });
    }
}

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
