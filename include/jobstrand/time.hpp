#pragma once

#include <chrono>

namespace jobstrand {

/// Every duration and every stored point in time has millisecond precision.
using Duration = std::chrono::milliseconds;

/// An instant in UTC.
using TimePoint = std::chrono::sys_time<Duration>;

}  // namespace jobstrand
