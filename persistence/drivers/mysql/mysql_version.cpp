#include "persistence/drivers/mysql/mysql_version.hpp"

#include <fmt/format.h>

#include <charconv>
#include <regex>
#include <tuple>

namespace jobstrand::persistence {

namespace {

/// A number at the start of `text`, which is left behind it; nullopt: there is none.
std::optional<int> take_number(std::string_view& text) {
    int number = 0;
    const char* const last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data(), last, number);
    if (error != std::errc{}) {
        return std::nullopt;
    }
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return number;
}

bool take_point(std::string_view& text) {
    const bool found = text.starts_with('.');
    text.remove_prefix(found ? 1 : 0);
    return found;
}

}  // namespace

std::optional<MysqlVersion> parse_mysql_version(std::string_view text) {
    // What MariaDB puts in front of its version where old clients expect a 5.
    if (text.starts_with("5.5.5-")) {
        text.remove_prefix(6);
    }
    MysqlVersion version{.is_mariadb = text.find("MariaDB") != std::string_view::npos};
    for (int* const part : {&version.major, &version.minor, &version.patch}) {
        const auto number = take_number(text);
        if (!number || (part != &version.patch && !take_point(text))) {
            return std::nullopt;
        }
        *part = *number;
    }
    return version;
}

std::optional<std::string> mysql_version_refusal(std::string_view text) {
    // It reads SKIP LOCKED, and then locks nothing: two nodes would run the same jobs.
    if (text.find("TiDB") != std::string_view::npos) {
        return fmt::format(
            "the server is TiDB ({}), whose SELECT ... FOR UPDATE SKIP LOCKED locks no rows", text
        );
    }
    constexpr std::string_view kOldest = "MariaDB 10.6 or MySQL 8.0.1 are the oldest that work";
    const auto version = parse_mysql_version(text);
    if (!version) {
        return fmt::format("the server says that its version is \"{}\": {}", text, kOldest);
    }
    const auto [is_mariadb, major, minor, patch] = *version;
    const auto oldest = is_mariadb ? std::tuple(10, 6, 0) : std::tuple(8, 0, 1);
    if (std::tuple(major, minor, patch) >= oldest) {
        return std::nullopt;
    }
    return fmt::format(
        "the server is {} {}.{}.{}, which is too old: {}",
        is_mariadb ? "MariaDB" : "MySQL",
        major,
        minor,
        patch,
        kOldest
    );
}

bool is_mysqls_own_version(std::string_view text) {
    static const std::regex kOwn(R"((5\.5\.5-)?\d+\.\d+\.\d+(-MariaDB.*|-\d.*|-log)?)");
    return std::regex_match(text.begin(), text.end(), kOwn);
}

}  // namespace jobstrand::persistence
