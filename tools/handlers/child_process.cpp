#include "tools/handlers/child_process.hpp"

#include "tools/handlers/guardian.hpp"
#include "tools/process/signals.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <limits>
#include <optional>
#include <system_error>

namespace jobstrand::cli {

namespace {

/// A program as the system calls want it. Everything is borrowed.
struct ProgramStart {
    const char* path;               ///< Absolute.
    char* const* arguments;         ///< Its name first, a null pointer last.
    char* const* environment;       ///< A null pointer last.
    const char* working_directory;  ///< Null: that of this process.
    int input;
    int output;
    int errors;
    int guardian;  ///< Where its process group is announced, see Guardian::channel().
    /// Closed when it has begun. The errno is written there when it cannot: EPIPE or ECONNRESET
    /// when the guardian has been killed.
    int report;
    rlim_t descriptors;  ///< How many it may have open; it may raise that itself.
};

constexpr int kReport = STDERR_FILENO + 1;

[[noreturn]] void give_up(int report, int error) noexcept {
    (void)!::write(report, &error, sizeof error);
    ::_exit(127);
}

/// The service blocks and ignores some signals; its programs must not.
void reset_signals() noexcept {
    struct sigaction as_usual {};
    as_usual.sa_handler = SIG_DFL;
    for (int signal = 1; signal < NSIG; ++signal) {
        ::sigaction(signal, &as_usual, nullptr);  // Some cannot be changed.
    }
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

/// A service may have raised its own limit, and programs that use select() must not get more than
/// they were written for.
void limit_descriptors(rlim_t most) noexcept {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) == 0 && most < limit.rlim_cur) {
        limit.rlim_cur = most;
        ::setrlimit(RLIMIT_NOFILE, &limit);
    }
}

/// Libraries open descriptors without O_CLOEXEC; none of them is the program's business.
[[nodiscard]] bool take_descriptors(const ProgramStart& start) noexcept {
    return ::dup2(start.input, STDIN_FILENO) >= 0 && ::dup2(start.output, STDOUT_FILENO) >= 0 &&
           ::dup2(start.errors, STDERR_FILENO) >= 0 &&
           (start.report == kReport || ::dup3(start.report, kReport, O_CLOEXEC) >= 0) &&
           ::close_range(kReport + 1, ~0U, 0) == 0;
}

/// The child. Nothing but system calls: it runs in the memory of its parent.
[[noreturn]] void become_program(const ProgramStart& start) noexcept {
    // The group first: what is announced must be there.
    if (::setpgid(0, 0) != 0) {
        give_up(start.report, errno);
    }
    if (!announce(start.guardian, ::getpid()) || !take_descriptors(start)) {
        give_up(start.report, errno);
    }
    if (start.working_directory != nullptr && ::chdir(start.working_directory) != 0) {
        give_up(kReport, errno);
    }
    limit_descriptors(start.descriptors);
    reset_signals();
    ::execve(start.path, start.arguments, start.environment);
    give_up(kReport, errno);
}

/// Starts a program as the leader of a process group of its own, with default signal dispositions,
/// no blocked signals, and no descriptors but 0, 1 and 2. Its group is announced to the guardian
/// before its first instruction. Returns its process id, or -1 with errno.
///
/// All descriptors are above 2 and close themselves with an exec.
[[nodiscard]] pid_t exec_program(const ProgramStart& start) noexcept {
    // No handler of ours may run in the child, which shares our memory until it is another program.
    const SignalsBlocked blocked;
    // Not fork, which would copy the page tables of a service with a full queue for every program.
    const pid_t pid = ::vfork();
    if (pid == 0) {
        become_program(start);
    }
    return pid;
}

void check(int error, const char* what) {
    if (error != 0) {
        throw std::system_error(error, std::generic_category(), what);
    }
}

int checked(int fd, const char* what) {
    if (fd < 0) {
        check(errno, what);
    }
    return fd;
}

/// The input as a file in memory. The program can read it at its own pace or not at all, so nobody
/// has to feed a pipe, and no SIGPIPE comes of a program that does not listen.
[[nodiscard]] UniqueFd input_file(std::string_view input) {
    UniqueFd file(checked(::memfd_create("payload", MFD_CLOEXEC), "memfd_create"));
    while (!input.empty()) {
        const ssize_t written = ::write(file.get(), input.data(), input.size());
        if (written < 0) {
            check(errno, "write");
        }
        input.remove_prefix(static_cast<std::size_t>(written));
    }
    ::lseek(file.get(), 0, SEEK_SET);
    return file;
}

struct Pipe {
    UniqueFd read_end;
    UniqueFd write_end;
};

[[nodiscard]] Pipe make_pipe() {
    int ends[2] = {-1, -1};
    checked(::pipe2(ends, O_CLOEXEC), "pipe2");
    return {.read_end = UniqueFd(ends[0]), .write_end = UniqueFd(ends[1])};
}

[[nodiscard]] Pipe make_output_pipe() {
    Pipe pipe = make_pipe();
    // Only our end: a program may not expect a stdout that refuses to wait.
    checked(::fcntl(pipe.read_end.get(), F_SETFL, O_NONBLOCK), "fcntl");
    return pipe;
}

/// Pointers to texts, ended by a null pointer, as exec wants them. Borrows the texts.
[[nodiscard]] std::vector<char*> pointers_to(std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    pointers.reserve(texts.size() + 1);
    for (std::string& text : texts) {
        pointers.push_back(text.data());
    }
    pointers.push_back(nullptr);
    return pointers;
}

struct Descriptors {
    const UniqueFd& input;
    const UniqueFd& output;
    const UniqueFd& errors;
};

/// The errno that a program could not begin with; 0: it has begun.
[[nodiscard]] int reported(const UniqueFd& report) {
    int error = 0;
    while (::read(report.get(), &error, sizeof error) < 0 && errno == EINTR) {
    }
    return error;
}

/// A program that has begun, or why it could not.
struct Start {
    pid_t pid = -1;
    int error = 0;
};

[[nodiscard]] Start
try_to_start(const ChildProcess& child, const Descriptors& its, Guardian& guardian) {
    std::vector<std::string> arguments{child.program};
    arguments.insert(arguments.end(), child.arguments.begin(), child.arguments.end());
    std::vector<std::string> environment = child.environment;
    Pipe report = make_pipe();
    const pid_t pid = checked(
        exec_program(
            {.path = child.program.c_str(),
             .arguments = pointers_to(arguments).data(),
             .environment = pointers_to(environment).data(),
             .working_directory =
                 child.working_directory.empty() ? nullptr : child.working_directory.c_str(),
             .input = its.input.get(),
             .output = its.output.get(),
             .errors = its.errors.get(),
             .guardian = guardian.channel(),
             .report = report.write_end.get(),
             .descriptors = guardian.descriptors()}
        ),
        "vfork"
    );
    guardian.began(pid);
    report.write_end.reset();
    const int error = reported(report.read_end);
    if (error != 0) {
        guardian.ended(pid);
        ::waitpid(pid, nullptr, 0);
    }
    return {.pid = pid, .error = error};
}

[[nodiscard]] pid_t start(const ChildProcess& child, const Descriptors& its, Guardian& guardian) {
    Start started = try_to_start(child, its, guardian);
    if (started.error == EPIPE || started.error == ECONNRESET) {
        guardian.await_end();
        started = try_to_start(child, its, guardian);
    }
    check(started.error, "execve");
    return started.pid;
}

}  // namespace

UniqueFd open_pidfd(pid_t pid) {
    // The header of glibc 2.36 declares pidfd_open as a C++ function, which no library has.
    return UniqueFd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0U)));
}

SpawnedProcess spawn(const ChildProcess& child, Guardian& guardian) {
    Pipe output = make_output_pipe();
    Pipe errors = child.keeps_stdout_apart ? make_output_pipe() : Pipe{};
    const UniqueFd input = input_file(child.input);
    SpawnedProcess process;
    process.pid = start(
        child,
        {.input = input,
         .output = output.write_end,
         .errors = child.keeps_stdout_apart ? errors.write_end : output.write_end},
        guardian
    );
    process.output = std::move(output.read_end);
    process.errors = std::move(errors.read_end);
    process.pidfd = open_pidfd(process.pid);
    if (!process.pidfd) {
        const int error = errno;
        ::kill(-process.pid, SIGKILL);
        guardian.ended(process.pid);
        ::waitpid(process.pid, nullptr, 0);
        check(error, "pidfd_open");
    }
    return process;
}

namespace {

using SteadyClock = std::chrono::steady_clock;
using Kind = ChildProcessEnd::Kind;

constexpr std::size_t kReadBytes = 64 * 1024;

/// Reads after the end of a program: its pipe holds at most this much, and a process that escaped
/// the group could write for ever.
constexpr int kReadsAfterEnd = 16;

/// Becomes readable when a stop is requested.
class StopEvent {
public:
    explicit StopEvent(std::stop_token stop)
        : event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
          callback_(std::move(stop), Raise{event_}) {
        if (!event_) {
            throw std::system_error(errno, std::generic_category(), "eventfd");
        }
    }

    [[nodiscard]] int fd() const { return event_.get(); }

private:
    struct Raise {
        const UniqueFd& event;
        void operator()() const { ::eventfd_write(event.get(), 1); }
    };

    UniqueFd event_;
    std::stop_callback<Raise> callback_;
};

/// Watches one program from its start to its end.
class Watch {
public:
    Watch(
        const ChildProcess& child,
        SpawnedProcess process,
        const StopEvent& stop,
        Guardian& guardian
    )
        : child_(child),
          process_(std::move(process)),
          guardian_(guardian),
          output_(child.output_bytes),
          standard_output_(child.output_bytes),
          watched_{{
              {process_.output.get(), POLLIN, 0},
              {process_.errors.get(), POLLIN, 0},
              {process_.pidfd.get(), POLLIN, 0},
              {stop.fd(), POLLIN, 0},
          }},
          deadline_(SteadyClock::now() + child.time_limit) {}

    [[nodiscard]] ChildProcessEnd run() {
        while (!is_over()) {
            if (::poll(watched_.data(), watched_.size(), wait_ms()) > 0) {
                look();
            }
            if (!is_over() && deadline_ && SteadyClock::now() >= *deadline_) {
                on_deadline();
            }
        }
        return finish();
    }

private:
    // Places in watched_.
    static constexpr std::size_t kOutput = 0;
    static constexpr std::size_t kErrors = 1;
    static constexpr std::size_t kEnd = 2;
    static constexpr std::size_t kStop = 3;

    enum class Phase {
        running,
        ending,  ///< SIGTERM was sent.
        killed,  ///< SIGKILL was sent: only its end is missing.
    };

    /// A group that was told to end is waited for as long as somebody holds its output open, so
    /// that the children of a shell may end in peace as well.
    [[nodiscard]] bool is_over() const {
        return has_ended_ && (phase_ != Phase::ending || output_is_closed());
    }

    void look() {
        for (const std::size_t pipe : {kOutput, kErrors}) {
            if (watched_[pipe].revents != 0) {
                read_once(pipe);
            }
        }
        if (watched_[kEnd].revents != 0) {
            has_ended_ = true;
            watched_[kEnd].fd = -1;
        }
        if (watched_[kStop].revents != 0) {
            watched_[kStop].fd = -1;
            if (phase_ == Phase::running && !has_ended_) {
                end_group(Kind::stopped);
            }
        }
    }

    void on_deadline() {
        if (phase_ == Phase::running) {
            end_group(Kind::timed_out);
        } else {
            ::kill(-process_.pid, SIGKILL);
            phase_ = Phase::killed;
            deadline_.reset();
        }
    }

    void end_group(Kind reason) {
        forced_ = reason;
        phase_ = Phase::ending;
        deadline_ = SteadyClock::now() + child_.grace;
        ::kill(-process_.pid, SIGTERM);
    }

    [[nodiscard]] ChildProcessEnd finish() {
        // Before the leader is reaped: until then its number cannot belong to another group.
        ::kill(-process_.pid, SIGKILL);
        read_rest(kOutput);
        read_rest(kErrors);
        guardian_.ended(process_.pid);
        siginfo_t info{};
        while (::waitid(P_PIDFD, static_cast<id_t>(process_.pidfd.get()), &info, WEXITED) < 0 &&
               errno == EINTR) {
        }
        const Kind own = info.si_code == CLD_EXITED ? Kind::exited : Kind::signalled;
        return {
            .kind = forced_.value_or(own),
            .code = info.si_status,
            .output = output_.take(),
            .standard_output = child_.keeps_stdout_apart && standard_output_.is_whole()
                                   ? std::optional(standard_output_.take())
                                   : std::nullopt,
        };
    }

    void read_rest(std::size_t pipe) {
        for (int i = 0; i < kReadsAfterEnd && watched_[pipe].fd >= 0 && read_once(pipe); ++i) {
        }
    }

    /// false: nothing to read now.
    bool read_once(std::size_t pipe) {
        buffer_.resize(kReadBytes);
        const ssize_t count = ::read(watched_[pipe].fd, buffer_.data(), buffer_.size());
        if (count > 0) {
            const std::string_view bytes(buffer_.data(), static_cast<std::size_t>(count));
            output_.append(bytes);
            if (child_.on_output) {
                child_.on_output(bytes);
            }
            if (pipe == kOutput && child_.keeps_stdout_apart) {
                standard_output_.append(bytes);
            }
            return true;
        }
        if (count == 0 || (errno != EAGAIN && errno != EINTR)) {
            watched_[pipe].fd = -1;
        }
        return false;
    }

    [[nodiscard]] bool output_is_closed() const {
        return watched_[kOutput].fd < 0 && watched_[kErrors].fd < 0;
    }

    /// Until the deadline, rounded up so that the loop does not spin through its last millisecond.
    [[nodiscard]] int wait_ms() const {
        if (!deadline_) {
            return -1;
        }
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(*deadline_ - SteadyClock::now()).count();
        return static_cast<int>(std::clamp<decltype(left)>(left, 0, std::numeric_limits<int>::max())
        );
    }

    const ChildProcess& child_;
    const SpawnedProcess process_;
    Guardian& guardian_;
    OutputTail output_;
    OutputTail standard_output_;
    std::string buffer_;
    std::array<pollfd, 4> watched_;  ///< -1 once it has come, or where there is none.
    std::optional<SteadyClock::time_point> deadline_;
    Phase phase_ = Phase::running;
    bool has_ended_ = false;
    std::optional<Kind> forced_;
};

}  // namespace

ChildProcessEnd
run_child_process(const ChildProcess& child, std::stop_token stop, Guardian& guardian) {
    if (stop.stop_requested()) {
        return {.kind = Kind::stopped};
    }
    // Without descriptors or memory no program starts: an answer for the caller, like a missing
    // file.
    try {
        const StopEvent stop_event(std::move(stop));
        return Watch(child, spawn(child, guardian), stop_event, guardian).run();
    } catch (const std::system_error& error) {
        return {.kind = Kind::not_started, .code = error.code().value()};
    }
}

}  // namespace jobstrand::cli
