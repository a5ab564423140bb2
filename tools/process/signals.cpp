#include "tools/process/signals.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>

#include <array>
#include <cerrno>
#include <initializer_list>
#include <system_error>

namespace jobstrand::cli {

namespace {

[[nodiscard]] sigset_t set_of(std::initializer_list<int> signals) {
    sigset_t set;
    sigemptyset(&set);
    for (const int signal : signals) {
        sigaddset(&set, signal);
    }
    return set;
}

}  // namespace

StopSignals::StopSignals() {
    const sigset_t set = set_of({SIGTERM, SIGINT, SIGHUP});
    ::pthread_sigmask(SIG_BLOCK, &set, &old_mask_);
    signals_ = UniqueFd(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
    cancelled_ = UniqueFd(::eventfd(0, EFD_CLOEXEC));
    if (!signals_ || !cancelled_) {
        throw std::system_error(errno, std::generic_category(), "cannot wait for signals");
    }
}

// One that came too late to be waited for has been obeyed all the same: it must not end a process
// that has just stopped cleanly.
StopSignals::~StopSignals() {
    signalfd_siginfo late{};
    while (::read(signals_.get(), &late, sizeof late) == sizeof late) {
    }
    ::pthread_sigmask(SIG_SETMASK, &old_mask_, nullptr);
}

StopSignals::Event StopSignals::wait(std::optional<schema::Duration> limit) {
    std::array<pollfd, 2> watched{{
        {signals_.get(), POLLIN, 0},
        {cancelled_.get(), POLLIN, 0},
    }};
    const int wait_ms = limit ? static_cast<int>(limit->count()) : -1;
    while (true) {
        const int ready = ::poll(watched.data(), watched.size(), wait_ms);
        if (ready == 0) {
            return Event::timed_out;
        }
        if (ready > 0 && watched[1].revents != 0) {
            return Event::cancelled;
        }
        signalfd_siginfo info{};
        if (ready > 0 && ::read(signals_.get(), &info, sizeof info) == sizeof info) {
            return info.ssi_signo == SIGHUP ? Event::hangup : Event::stop;
        }
    }
}

std::optional<StopSignals::Signal> StopSignals::take() {
    signalfd_siginfo info{};
    while (::read(signals_.get(), &info, sizeof info) == sizeof info) {
        const int number = static_cast<int>(info.ssi_signo);
        struct sigaction action {};
        // One that is blocked comes although it is ignored.
        if (::sigaction(number, nullptr, &action) != 0 || action.sa_handler != SIG_IGN) {
            return Signal{.number = number, .is_of_terminal = info.ssi_code == SI_KERNEL};
        }
    }
    return std::nullopt;
}

void StopSignals::ignore_hangups() {
    // It stays blocked, and nobody reads it any more.
    const sigset_t set = set_of({SIGTERM, SIGINT});
    (void)::signalfd(signals_.get(), &set, 0);
}

void StopSignals::cancel() {
    ::eventfd_write(cancelled_.get(), 1);
}

}  // namespace jobstrand::cli
