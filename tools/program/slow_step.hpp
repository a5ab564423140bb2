#pragma once

#include "schema/log.hpp"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

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
    );

private:
    std::mutex mutex_;
    std::condition_variable_any is_over_;
    std::jthread thread_;  ///< Ends first.
};

}  // namespace jobstrand::cli
