#pragma once

#include "schema/time.hpp"
#include "tools/process/unique_fd.hpp"

#include <csignal>
#include <optional>

namespace jobstrand::cli {

/// Keeps all signals away from this thread, and from the processes that it forks, while it lives.
class SignalsBlocked final {
public:
    SignalsBlocked() noexcept {
        sigset_t all;
        sigfillset(&all);
        ::pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    ~SignalsBlocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

    SignalsBlocked(const SignalsBlocked&) = delete;
    SignalsBlocked& operator=(const SignalsBlocked&) = delete;

private:
    sigset_t before_{};
};

/// Turns SIGTERM, SIGINT and SIGHUP into events that threads wait for; nothing runs in a signal
/// handler. They are blocked in the thread that makes this object and in all threads that it starts
/// from then on, so make it before any other thread.
///
/// Thread safety: wait() and cancel() are thread-safe.
class StopSignals final {
public:
    StopSignals();

    /// Restores the calling thread's signal mask.
    ~StopSignals();

    StopSignals(const StopSignals&) = delete;
    StopSignals& operator=(const StopSignals&) = delete;

    enum class Event {
        stop,    ///< SIGTERM or SIGINT.
        hangup,  ///< SIGHUP.
        cancelled,
        timed_out,
    };

    /// The next event. Each signal is handed out once; cancelled stays for all. No limit: for ever.
    [[nodiscard]] Event wait(std::optional<schema::Duration> limit = {});

    /// Can be read (see poll) when a signal has come, for who waits for other things beside them.
    [[nodiscard]] int descriptor() const { return signals_.get(); }

    struct Signal {
        int number = 0;
        bool is_of_terminal = false;  ///< All programs in front of it have got it.
    };

    /// One that has come; nullopt: none has. Instead of wait(). Whoever started this process may
    /// have it ignore some, as nohup(1) does: they do not count.
    [[nodiscard]] std::optional<Signal> take();

    /// SIGHUP has no effect from now on.
    void ignore_hangups();

    void cancel();

private:
    sigset_t old_mask_{};
    UniqueFd signals_;
    UniqueFd cancelled_;
};

}  // namespace jobstrand::cli
