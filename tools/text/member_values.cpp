#include "tools/text/member_values.hpp"

#include "schema/text/iso8601.hpp"
#include "tools/text/json_values.hpp"

#include <fmt/format.h>

#include <charconv>
#include <system_error>

namespace jobstrand::cli {

namespace {

template <typename Value>
[[nodiscard]] std::string read_parsed(
    std::string_view value,
    schema::ParseResult<Value> (*parse)(std::string_view),
    std::optional<Value>& result
) {
    const auto text = string_of(value);
    if (!text) {
        return text.error().message;
    }
    const auto parsed = parse(text.value());
    if (!parsed) {
        return parsed.error().message;
    }
    result = parsed.value();
    return {};
}

}  // namespace

std::string read_text(std::string_view value, std::string& text) {
    const auto read = string_of(value);
    if (!read) {
        return read.error().message;
    }
    text = read.value();
    return {};
}

std::string read_flag(std::string_view value, bool& flag) {
    if (value != "true" && value != "false") {
        return "must be true or false";
    }
    flag = value == "true";
    return {};
}

std::string read_whole_number(
    std::string_view value,
    std::int64_t least,
    std::int64_t most,
    std::int64_t& number
) {
    std::int64_t read = 0;
    const char* const end = value.data() + value.size();
    const auto [stop, error] = std::from_chars(value.data(), end, read);
    if (error != std::errc{} || stop != end || read < least || read > most) {
        return fmt::format("must be a whole number, {} to {}", least, most);
    }
    number = read;
    return {};
}

std::string read_instant(std::string_view value, std::optional<schema::TimePoint>& instant) {
    return read_parsed(value, schema::parse_instant, instant);
}

std::string read_duration(std::string_view value, std::optional<schema::Duration>& duration) {
    return read_parsed(value, schema::parse_duration, duration);
}

}  // namespace jobstrand::cli
