#include "tools/handlers/exec_program.hpp"

#include "tools/handlers/guardian.hpp"
#include "tools/process/signals_blocked.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

namespace jobstrand::cli {

namespace {

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

}  // namespace

pid_t exec_program(const ProgramStart& start) noexcept {
    // No handler of ours may run in the child, which shares our memory until it is another program.
    const SignalsBlocked blocked;
    // Not fork, which would copy the page tables of a service with a full queue for every program.
    const pid_t pid = ::vfork();
    if (pid == 0) {
        become_program(start);
    }
    return pid;
}

}  // namespace jobstrand::cli
