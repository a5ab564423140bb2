#include "tools/text/relative_time.hpp"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <string_view>

namespace jobstrand::cli {

namespace {

using namespace std::chrono_literals;

struct RelativeUnit {
    schema::Duration length;
    schema::Duration from;  ///< Shorter distances are told in a smaller unit.
    std::string_view word;
};

constexpr std::array kRelativeUnits{
    RelativeUnit{std::chrono::years{1}, std::chrono::years{2}, "y"},
    RelativeUnit{std::chrono::days{1}, std::chrono::days{2}, "d"},
    RelativeUnit{1h, 2h, "h"},
    RelativeUnit{1min, 2min, "min"},
    RelativeUnit{1s, 1s, "s"},
};

struct Unit {
    std::int64_t seconds;
    const char* name;
};

constexpr std::array kUnits{Unit{86'400, "d"}, Unit{3'600, "h"}, Unit{60, "min"}, Unit{1, "s"}};

}  // namespace

std::string relative_time(schema::TimePoint time, schema::TimePoint now) {
    const bool is_ahead = time > now;
    const schema::Duration distance = is_ahead ? time - now : now - time;
    for (const RelativeUnit& unit : kRelativeUnits) {
        if (distance >= unit.from) {
            const auto count = distance / unit.length;
            return is_ahead ? fmt::format("in {} {}", count, unit.word)
                            : fmt::format("{} {} ago", count, unit.word);
        }
    }
    return "now";
}

std::string age_text(schema::Duration age) {
    const std::int64_t seconds = std::chrono::floor<std::chrono::seconds>(age).count();
    for (const auto& [size, name] : kUnits) {
        if (seconds >= size) {
            return fmt::format("{} {} ago", seconds / size, name);
        }
    }
    return "0 s ago";
}

}  // namespace jobstrand::cli
