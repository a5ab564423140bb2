#include "tools/operations/lock_run.hpp"

#include "executor/node_presence.hpp"
#include "schema/text/time_text.hpp"
#include "tools/handlers/child_process.hpp"
#include "tools/process/signals.hpp"
#include "tools/process/unique_fd.hpp"
#include "tools/text/terminal_text.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/close_range.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <exception>
#include <mutex>
#include <stop_token>
#include <system_error>
#include <thread>
#include <utility>

namespace jobstrand::cli {

namespace {

using namespace std::chrono_literals;
using SteadyClock = std::chrono::steady_clock;

/// A shorter one is over before a command has begun.
constexpr schema::Duration kShortestTime = 1s;

/// Between two tries of who waits for the lock.
constexpr schema::Duration kFirstPause = 20ms;
constexpr schema::Duration kLongestPause = 500ms;

/// Renewals within the time of a lock; and tries, once one has had no answer.
constexpr int kRenewals = 3;
constexpr int kLaterTries = 20;

/// Where the command finds the token, which what it changes can compare.
constexpr const char* kTokenVariable = "JOBSTRAND_LOCK_TOKEN";

[[nodiscard]] ExitCode code_of_signal(int signal) {
    return static_cast<ExitCode>(128 + signal);
}

[[nodiscard]] LockCalls locks_in_database(Session& session) {
    // What runs for long must not trust the time that it was told at its start.
    const auto now = [&session] {
        session.engine().follow_database_clock();
        return session.database_now();
    };
    return {
        .acquire = [&session, now](const auto& claim) -> LockTry {
            const persistence::NamedLock lock = session.named_locks().acquire(claim, now());
            if (lock.owner != claim.owner) {
                return {.why_not = held_by_another(lock)};
            }
            return {.token = lock.token};
        },
        .renew = [&session, now](const auto& claim
                 ) { return session.named_locks().renew(claim, now()).has_value(); },
        .release = [&session, now](const auto& claim
                   ) { return session.named_locks().release(claim.name, claim.owner, now()); },
    };
}

/// The lock of one run. Its owner is nobody else.
class RunLock final {
public:
    RunLock(Session& session, const LockRun& wanted)
        : calls_(
              session.locks_of_service() ? *session.locks_of_service() : locks_in_database(session)
          ),
          name_(wanted.name),
          owner_(executor::fresh_lock_owner()),
          time_(wanted.time.value_or(30s)),
          lost_(::eventfd(0, EFD_CLOEXEC)) {
        if (!lost_) {
            throw std::system_error(errno, std::generic_category(), "cannot watch the lock");
        }
    }

    /// Asks for it. Once it has been answered, no answer counts as one that says no: a service that
    /// is started anew ends nobody's wait.
    [[nodiscard]] LockTry try_acquire() {
        const SteadyClock::time_point asked = SteadyClock::now();
        LockTry answer;
        // Defended catch: see above.
        try {
            may_be_ours_ = true;
            answer = calls_.acquire(claim());
            may_be_ours_ = answer.token.has_value();
            was_answered_ = true;
        } catch (const std::exception& error) {
            if (!was_answered_) {
                throw;
            }
            return {.why_not = error.what()};
        }
        end_ = asked + time_;
        // The answer may have been longer on its way than the lock lasts.
        if (answer.token && end_.load() <= SteadyClock::now()) {
            return {.why_not = "the answer took longer than the lock lasts"};
        }
        return answer;
    }

    /// Frees what a try may have got whose answer did not come, or came too late to be of use.
    void release_if_had() noexcept {
        // Defended catch: it ends by itself.
        try {
            if (may_be_ours_) {
                (void)calls_.release(claim());
            }
        } catch (const std::exception&) {
            return;
        }
    }

    /// Renews it until a stop is requested, or it is lost.
    void keep(const std::stop_token& stop) {
        std::mutex mutex;
        std::condition_variable_any stopped;
        std::unique_lock lock(mutex);
        schema::Duration pause = time_ / kRenewals;
        const auto is_over = [] { return false; };
        while (!stopped.wait_for(lock, stop, pause, is_over) && !stop.stop_requested()) {
            const SteadyClock::time_point asked = SteadyClock::now();
            // Defended catch: while nobody answers the lock goes on to its end.
            try {
                if (!calls_.renew(claim())) {
                    why_lost_ = "it was not its own any more";
                    ::eventfd_write(lost_.get(), 1);
                    return;
                }
                end_ = asked + time_;
                why_lost_.clear();
                pause = time_ / kRenewals;
            } catch (const std::exception& error) {
                why_lost_ = error.what();
                pause = time_ / kLaterTries;
            }
        }
    }

    /// false: it had been lost.
    [[nodiscard]] bool release() { return calls_.release(claim()); }

    /// When it ends at the latest if nobody renews it, by this machine's clock.
    [[nodiscard]] SteadyClock::time_point end() const { return end_; }

    /// Can be read when it is known to be lost.
    [[nodiscard]] int lost() const { return lost_.get(); }

    /// What keep() has met; when it has ended.
    [[nodiscard]] const std::string& why_lost() const { return why_lost_; }

private:
    [[nodiscard]] persistence::NamedLockClaim claim() const { return {name_, owner_, time_}; }

    const LockCalls calls_;
    const std::string name_;
    const std::string owner_;
    const schema::Duration time_;
    const UniqueFd lost_;
    bool was_answered_ = false;
    bool may_be_ours_ = false;
    std::atomic<SteadyClock::time_point> end_{};
    std::string why_lost_;
};

/// Waits until the lock is had. nullopt: a signal has come, which is the exit code then.
[[nodiscard]] std::optional<std::int64_t>
acquire(RunLock& lock, const LockRun& wanted, StopSignals& signals, ExitCode& signalled) {
    const SteadyClock::time_point began = SteadyClock::now();
    for (schema::Duration pause = kFirstPause;; pause = std::min(2 * pause, kLongestPause)) {
        const LockTry answer = lock.try_acquire();
        if (const auto signal = signals.take()) {
            signalled = code_of_signal(signal->number);
            return std::nullopt;
        }
        if (answer.token) {
            return answer.token;
        }
        if (wanted.wait) {
            const auto waited = std::chrono::floor<schema::Duration>(SteadyClock::now() - began);
            if (waited >= *wanted.wait) {
                throw CliError(kLockNotHad, answer.why_not);
            }
            pause = std::min(pause, *wanted.wait - waited);
        }
        pollfd watched{.fd = signals.descriptor(), .events = POLLIN, .revents = 0};
        ::poll(&watched, 1, static_cast<int>(pause.count()));
        if (const auto signal = signals.take()) {
            signalled = code_of_signal(signal->number);
            return std::nullopt;
        }
    }
}

[[nodiscard]] std::vector<char*> pointers_to(std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    for (std::string& text : texts) {
        pointers.push_back(text.data());
    }
    pointers.push_back(nullptr);
    return pointers;
}

/// The command, in the process group of this program: a terminal is its own as well.
class Command final {
public:
    Command(std::vector<std::string> words, std::int64_t token) {
        std::vector<std::string> variables;
        const std::string of_token = fmt::format("{}=", kTokenVariable);
        for (char** variable = environ; *variable != nullptr; ++variable) {
            if (!std::string_view(*variable).starts_with(of_token)) {
                variables.emplace_back(*variable);
            }
        }
        variables.push_back(of_token + std::to_string(token));
        start(pointers_to(words), pointers_to(variables));
        ended_ = open_pidfd(process_);
        if (!ended_) {
            const int error = errno;
            end();
            throw std::system_error(error, std::generic_category(), "cannot watch the command");
        }
    }

    ~Command() { end(); }

    Command(const Command&) = delete;
    Command& operator=(const Command&) = delete;

    /// Can be read when it has ended.
    [[nodiscard]] int ended() const { return ended_.get(); }

    void send(int signal) const { ::kill(process_, signal); }

    /// Whether it got a signal of the terminal as well: SIGINT goes to all of the group in front,
    /// SIGHUP to the leader of the session alone, which hands it on.
    [[nodiscard]] bool has_got(const StopSignals::Signal& signal) const {
        return signal.is_of_terminal && ::getpgid(process_) == ::getpgrp() &&
               (signal.number != SIGHUP || ::getsid(0) != ::getpid());
    }

    /// Waits for its end. Once.
    [[nodiscard]] ExitCode wait() {
        int status = 0;
        while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
        }
        process_ = -1;
        return WIFSIGNALED(status) ? code_of_signal(WTERMSIG(status))
                                   : static_cast<ExitCode>(WEXITSTATUS(status));
    }

private:
    /// Nothing of it goes on without its lock.
    void end() {
        if (process_ > 0) {
            send(SIGKILL);
            (void)wait();
        }
    }

    void start(const std::vector<char*>& words, const std::vector<char*>& variables) {
        std::array<int, 2> ends{};
        if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
            throw std::system_error(errno, std::generic_category(), "cannot make a pipe");
        }
        const UniqueFd report(ends[0]);
        UniqueFd reporter(ends[1]);
        ::signal(SIGCHLD, SIG_DFL);  // Who ignores it is told no exit code.
        const pid_t parent = ::getpid();
        process_ = ::fork();
        if (process_ == 0) {
            become(parent, words, variables, reporter.get());
        }
        int error = process_ < 0 ? errno : 0;
        reporter.reset();
        if (process_ > 0 && ::read(report.get(), &error, sizeof error) <= 0) {
            return;
        }
        if (process_ > 0) {
            (void)wait();
        }
        throw CliError(
            error == ENOENT ? kNoSuchCommand : kCannotExecute,
            fmt::format(
                "{} cannot be run: {}",
                quoted_if_needed(words.front()),
                std::generic_category().message(error)
            )
        );
    }

    /// The child. Nothing but system calls: threads of its parent may have held any lock.
    [[noreturn]] static void become(
        pid_t parent,
        const std::vector<char*>& words,
        const std::vector<char*>& variables,
        int reporter
    ) {
        // Without us nobody renews the lock.
        ::prctl(PR_SET_PDEATHSIG, SIGTERM);
        if (::getppid() != parent) {
            ::_exit(1);
        }
        ::signal(SIGPIPE, SIG_DFL);  // Client libraries of databases ignore it.
        sigset_t none;
        sigemptyset(&none);
        ::sigprocmask(SIG_SETMASK, &none, nullptr);
        ::close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);  // Such as the database's.
        ::execvpe(words.front(), words.data(), variables.data());
        const int error = errno;
        (void)!::write(reporter, &error, sizeof error);
        ::_exit(127);
    }

    pid_t process_ = -1;
    UniqueFd ended_;
};

/// Returns when the command has ended; whether the lock was lost before.
[[nodiscard]] bool
outlives(const RunLock& lock, const Command& command, StopSignals& signals, Session& session) {
    bool is_lost = false;
    while (true) {
        std::array<pollfd, 3> watched{{
            {command.ended(), POLLIN, 0},
            {signals.descriptor(), POLLIN, 0},
            {is_lost ? -1 : lock.lost(), POLLIN, 0},
        }};
        const auto left = std::chrono::ceil<schema::Duration>(lock.end() - SteadyClock::now());
        const auto wait = std::clamp(left, schema::Duration{0}, schema::Duration{1min});
        ::poll(watched.data(), watched.size(), is_lost ? -1 : static_cast<int>(wait.count()));
        if (watched[0].revents != 0) {
            return !is_lost;
        }
        while (const auto signal = signals.take()) {
            if (!command.has_got(*signal)) {
                command.send(signal->number);
            }
        }
        if (!is_lost && (watched[2].revents != 0 || lock.end() <= SteadyClock::now())) {
            is_lost = true;
            command.send(SIGTERM);
            session.tell("jobstrand: the lock is lost: the command gets SIGTERM");
        }
    }
}

}  // namespace

std::string held_by_another(const persistence::NamedLock& lock) {
    return fmt::format(
        "{} is held by {} until {}",
        quoted_if_needed(lock.name),
        quoted_if_needed(lock.owner),
        schema::format_instant(lock.until)
    );
}

ExitCode run_locked(Session& session, const LockRun& wanted) {
    if (wanted.time && *wanted.time < kShortestTime) {
        throw WrongUsage("--duration must be at least 1s for a command to run");
    }
    RunLock lock(session, wanted);
    StopSignals signals;
    ExitCode code = ExitCode::failed;
    std::optional<std::int64_t> token;
    // Defended catch: whatever came of the wait, nothing stays held.
    try {
        token = acquire(lock, wanted, signals, code);
    } catch (const std::exception&) {
        lock.release_if_had();
        throw;
    }
    if (!token) {
        lock.release_if_had();
        return code;
    }
    bool is_held = false;
    std::exception_ptr problem;
    // Defended catch: whatever goes wrong, the lock is freed.
    try {
        Command command(wanted.command, *token);
        std::jthread renewal([&lock](const std::stop_token& stop) { lock.keep(stop); });
        is_held = outlives(lock, command, signals, session);
        code = command.wait();
    } catch (const std::exception&) {
        problem = std::current_exception();
    }
    // Defended catch: without an answer it ends by itself, and the command has done its work.
    try {
        is_held = lock.release() && is_held;
    } catch (const std::exception& error) {
        session.tell(
            "jobstrand: {} was not freed, and ends by itself: {}",
            quoted_if_needed(wanted.name),
            error.what()
        );
    }
    if (problem) {
        std::rethrow_exception(problem);
    }
    if (!is_held) {
        throw CliError(
            kLockLost,
            fmt::format(
                "{} was lost while the command ran, which ended with {}{}{}",
                quoted_if_needed(wanted.name),
                static_cast<int>(code),
                lock.why_lost().empty() ? "" : ": ",
                lock.why_lost()
            )
        );
    }
    return code;
}

}  // namespace jobstrand::cli
