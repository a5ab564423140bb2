#pragma once

#include "executor/job_handler.hpp"
#include "schema/time.hpp"

#include <boost/asio/io_context.hpp>

#include <functional>
#include <memory>
#include <string>

namespace jobstrand::cli {

/// Keeps a run under way that an app has accepted and will tell the end of: that is written by
/// whoever is told (executor::OutcomeDesk), and the run's stop signal comes then. The same signal
/// comes when the lock is lost or the service stops. After `limit` the run has failed with this
/// message, and `on_time_out` is called. No thread waits.
///
/// Called on the thread of the context, which must outlive the run.
void wait_for_call_back(
    boost::asio::io_context& io,
    std::shared_ptr<executor::AsyncRun> run,
    schema::Duration limit,
    std::function<void()> on_time_out,
    std::string too_late
);

}  // namespace jobstrand::cli
