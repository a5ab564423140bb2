#include "tools/text/age_text.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdint>

namespace jobstrand::cli {

namespace {

struct Unit {
    std::int64_t seconds;
    const char* name;
};

constexpr std::array kUnits{Unit{86'400, "d"}, Unit{3'600, "h"}, Unit{60, "min"}, Unit{1, "s"}};

}  // namespace

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
