#include "executor/job_wakeup.hpp"

#include "persistence/sql/db_error.hpp"

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/post.hpp>

#include <utility>

namespace jobstrand::executor {

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
