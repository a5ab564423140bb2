#include "tools/text/relative_time.hpp"

#include <fmt/format.h>

#include <array>
#include <chrono>
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

}  // namespace jobstrand::cli
