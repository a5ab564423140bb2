#pragma once

#include "test/timers/seed.hpp"

#include <array>
#include <chrono>
#include <functional>
#include <string>

namespace jobstrand::timers {

/// A drawn cron text together with what it means, written down without the parser.
struct RandomCron {
    std::string text;
    std::array<bool, 60> seconds{};
    std::array<bool, 60> minutes{};
    std::array<bool, 24> hours{};
    std::array<bool, 13> months{};
    std::function<bool(std::chrono::year_month_day)> day;

    [[nodiscard]] bool matches(std::chrono::local_seconds wall) const;
};

/// A Quartz text in two of three cases, else a Unix text.
[[nodiscard]] RandomCron random_cron(Dice& dice);

}  // namespace jobstrand::timers
