#include "executor/job_wakeup.hpp"

#include "persistence/sql/db_error.hpp"

#include <utility>

namespace jobstrand::executor {

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
