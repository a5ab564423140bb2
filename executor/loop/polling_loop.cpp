#include "executor/loop/polling_loop.hpp"

#include "persistence/sql/db_error.hpp"
#include "schema/ensure.hpp"

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/post.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

namespace jobstrand::executor {

namespace {

using namespace std::chrono_literals;

constexpr schema::Duration kFirstFailureWait = 100ms;

}  // namespace

PollingLoop::PollingLoop(boost::asio::io_context& context, Activity& activity, schema::Log& log)
    : activity_(activity), log_(log), strand_(boost::asio::make_strand(context)), timer_(strand_) {}

PollingLoop::~PollingLoop() {
    JOBSTRAND_ENSURE(state_ == State::idle || state_ == State::stopped);
}

void PollingLoop::start() {
    const std::lock_guard lock(mutex_);
    JOBSTRAND_ENSURE(state_ == State::idle);
    state_ = State::running;
    boost::asio::post(strand_, [this] { wait(0ms); });
}

// From here to stop(), a wait of the timer is always pending whenever the strand is at rest. So
// whoever wants something only cancels that wait, and the handler that stops the loop is the last
// one to run.
void PollingLoop::wake() {
    const std::lock_guard lock(mutex_);
    if (state_ != State::running || woken_) {
        return;
    }
    woken_ = true;
    boost::asio::post(strand_, [this] {
        const std::lock_guard strand_lock(mutex_);
        if (woken_ && failure_wait_ == 0ms) {  // In an outage, wake-ups do not shorten the waits.
            timer_.cancel();
        }
    });
}

void PollingLoop::stop() {
    std::unique_lock lock(mutex_);
    if (state_ == State::idle) {
        state_ = State::stopped;
    }
    if (state_ == State::running) {
        state_ = State::stopping;
        boost::asio::post(strand_, [this] {
            stop_requested_ = true;
            timer_.cancel();
        });
    }
    finished_.wait(lock, [this] { return state_ == State::stopped; });
}

std::chrono::steady_clock::duration PollingLoop::pass_under_way() const {
    const auto began = pass_began_.load();
    return began.count() == 0 ? began : std::chrono::steady_clock::now().time_since_epoch() - began;
}

void PollingLoop::wait(schema::Duration duration) {
    if (duration == kUntilWoken) {
        timer_.expires_at(boost::asio::steady_timer::time_point::max());
    } else {
        timer_.expires_after(duration);
    }
    timer_.async_wait(boost::asio::bind_executor(strand_, [this](const boost::system::error_code&) {
        on_waited();
    }));
}

void PollingLoop::on_waited() {
    if (stop_requested_) {
        finish();
        return;
    }
    {
        const std::lock_guard lock(mutex_);
        woken_ = false;
    }
    pass_began_ = std::chrono::steady_clock::now().time_since_epoch();
    const schema::Duration duration = guarded_pass();
    pass_began_ = std::chrono::steady_clock::duration::zero();
    bool was_woken = false;
    {
        const std::lock_guard lock(mutex_);
        was_woken = woken_ && failure_wait_ == 0ms;
    }
    wait(was_woken ? 0ms : duration);
}

schema::Duration PollingLoop::guarded_pass() {
    try {
        const schema::Duration duration = activity_.run_once();
        failure_wait_ = 0ms;
        if (std::exchange(is_failure_logged_, false)) {
            log_.write(
                schema::LogLevel::info, "works again", {{"activity", std::string(activity_.name())}}
            );
        }
        return duration;
    } catch (const persistence::DbError& error) {
        return on_failure(error.what(), error.is_outage());
    } catch (const std::exception& error) {
        return on_failure(error.what(), false);
    }
}

// The store itself says when the database is away, once for all loops.
schema::Duration PollingLoop::on_failure(const char* error, bool is_outage) {
    failure_wait_ =
        failure_wait_ == 0ms ? kFirstFailureWait : std::min(failure_wait_ * 2, kFailureWaitMax);
    const bool is_news = !is_outage && !std::exchange(is_failure_logged_, true);
    log_.write(
        is_news ? schema::LogLevel::warn : schema::LogLevel::debug,
        "pass failed; it is tried again until it works",
        {{"activity", std::string(activity_.name())},
         {"error", error},
         {"wait_ms", failure_wait_.count()}}
    );
    return failure_wait_;
}

void PollingLoop::finish() {
    const std::lock_guard lock(mutex_);
    state_ = State::stopped;
    finished_.notify_all();
}

SocketWatch::SocketWatch(boost::asio::io_context& context, std::function<void()> on_readable)
    : on_readable_(std::move(on_readable)),
      strand_(boost::asio::make_strand(context)),
      descriptor_(strand_) {}

void SocketWatch::tell_when_readable(int socket) {
    boost::asio::post(strand_, [this, socket] {
        if (is_closed_) {
            return;
        }
        descriptor_.assign(socket);
        descriptor_.async_wait(
            boost::asio::posix::stream_descriptor::wait_read,
            boost::asio::bind_executor(
                strand_,
                [this](const boost::system::error_code& error) {
                    // It is not ours to close.
                    descriptor_.release();
                    if (!error) {
                        on_readable_();
                    }
                }
            )
        );
    });
}

void SocketWatch::close() {
    boost::asio::post(strand_, [this] {
        is_closed_ = true;
        if (descriptor_.is_open()) {
            descriptor_.cancel();
        }
    });
}

JobWakeup::JobWakeup(
    boost::asio::io_context& context,
    persistence::OpenListener open,
    const WakeUps& wake_ups
)
    : open_(std::move(open)),
      wake_ups_(wake_ups),
      watch_(context, [this] { wake_ups_.announcement_waits(); }) {}

schema::Duration JobWakeup::run_once() {
    if (!listener_) {
        listen_anew();
    }
    // Defended catch: a listener that has lost its connection hears nothing more.
    try {
        if (listener_->take_announcements()) {
            wake_ups_.others_enqueued();
        }
    } catch (const persistence::DbError&) {
        listener_.reset();
        throw;
    }
    watch_.tell_when_readable(listener_->socket());
    return kUntilWoken;
}

void JobWakeup::listen_anew() {
    listener_ = open_();
    // What was announced while nobody listened.
    wake_ups_.others_enqueued();
}

}  // namespace jobstrand::executor
