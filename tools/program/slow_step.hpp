#pragma once

#include "schema/log.hpp"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>

namespace jobstrand::cli {

/// A step of the start of a service, as long as it lives. When it takes longer than `patience`, the
/// log says once what is waited for.
class SlowStep final {
public:
    /// The log must outlive it.
    SlowStep(
        schema::Log& log,
        std::string waits_for,
        std::chrono::milliseconds patience = std::chrono::seconds(2)
    )
        : thread_([this, &log, waits_for = std::move(waits_for), patience](
                      const std::stop_token& stop
                  ) {
              std::unique_lock lock(mutex_);
              is_over_.wait_for(lock, stop, patience, [] { return false; });
              if (!stop.stop_requested()) {
                  log.write(schema::LogLevel::warn, "still starting", {{"waits_for", waits_for}});
              }
          }) {}

private:
    std::mutex mutex_;
    std::condition_variable_any is_over_;
    std::jthread thread_;  ///< Ends first.
};

}  // namespace jobstrand::cli
