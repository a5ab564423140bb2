#include "tools/handlers/child_process.hpp"

#include "tools/handlers/output_tail.hpp"
#include "tools/handlers/spawn.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <limits>
#include <optional>
#include <system_error>

namespace jobstrand::cli {

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
