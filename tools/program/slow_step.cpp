#include "tools/program/slow_step.hpp"

#include <stop_token>
#include <utility>

namespace jobstrand::cli {

SlowStep::SlowStep(schema::Log& log, std::string waits_for, std::chrono::milliseconds patience)
    : thread_([this, &log, waits_for = std::move(waits_for), patience](const std::stop_token& stop
              ) {
          std::unique_lock lock(mutex_);
          is_over_.wait_for(lock, stop, patience, [] { return false; });
          if (!stop.stop_requested()) {
              log.write(schema::LogLevel::warn, "still starting", {{"waits_for", waits_for}});
          }
      }) {}

}  // namespace jobstrand::cli
