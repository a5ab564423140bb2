#include "persistence/drivers/postgresql/postgresql_version.hpp"

#include <fmt/format.h>

#include <regex>

namespace jobstrand::persistence {

namespace {

constexpr int kOldest = 130000;

/// Before 10 a version had three numbers.
std::string version_text(int number) {
    constexpr int kFirstOfTwoNumbers = 100000;
    return number >= kFirstOfTwoNumbers
               ? fmt::format("{}.{}", number / 10000, number % 10000)
               : fmt::format("{}.{}.{}", number / 10000, number / 100 % 100, number % 100);
}

}  // namespace

std::optional<std::string> postgresql_version_refusal(int number) {
    if (number >= kOldest) {
        return std::nullopt;
    }
    return fmt::format(
        "the server is PostgreSQL {}, which is too old: 13 is the oldest that works",
        version_text(number)
    );
}

bool is_postgresqls_own_version(std::string_view text) {
    static const std::regex kOwn(R"(\d+(\.\d+|devel|beta\d+|rc\d+)( \(.*\))?)");
    return std::regex_match(text.begin(), text.end(), kOwn);
}

}  // namespace jobstrand::persistence
