#include "tools/process/log_line.hpp"

#include "schema/text/time_text.hpp"
#include "tools/text/terminal_text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>
#include <iterator>

namespace jobstrand::cli {

namespace {

using nlohmann::ordered_json;
using schema::LogLevel;

constexpr std::array kLevels{LogLevel::debug, LogLevel::info, LogLevel::warn, LogLevel::error};
constexpr std::array kFormats{LogFormat::text, LogFormat::json};

template <typename Values>
[[nodiscard]] auto value_named(const Values& values, std::string_view name)
    -> std::optional<typename Values::value_type> {
    for (const auto value : values) {
        if (name_of(value) == name) {
            return value;
        }
    }
    return std::nullopt;
}

[[nodiscard]] std::string_view label_of(LogLevel level) {
    switch (level) {
        case LogLevel::debug:
            return "DEBUG";
        case LogLevel::info:
            return "INFO ";
        case LogLevel::warn:
            return "WARN ";
        case LogLevel::error:
            return "ERROR";
    }
    return {};
}

[[nodiscard]] std::string text_line(const LogLine& line) {
    std::string out = fmt::format(
        "{} {} {}", schema::format_instant(line.time), label_of(line.level), printable(line.message)
    );
    for (const schema::LogField& field : line.fields) {
        if (!field.value.empty()) {  // In JSON it stays: programs count on each name.
            fmt::format_to(
                std::back_inserter(out),
                " {}={}",
                printable(field.name),
                quoted_if_needed(field.value)
            );
        }
    }
    return out;
}

[[nodiscard]] std::string json_line(const LogLine& line) {
    ordered_json object{
        {"time", schema::format_instant(line.time)},
        {"level", std::string(name_of(line.level))},
        {"message", std::string(line.message)},
    };
    for (const schema::LogField& field : line.fields) {
        std::string name(field.name);
        while (object.contains(name)) {
            name += '_';
        }
        object[name] =
            field.is_number ? ordered_json::parse(field.value) : ordered_json(field.value);
    }
    return object.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace

std::string_view name_of(LogFormat format) {
    switch (format) {
        case LogFormat::text:
            return "text";
        case LogFormat::json:
            return "json";
    }
    return {};
}

std::optional<LogFormat> log_format_named(std::string_view name) {
    return value_named(kFormats, name);
}

std::string_view name_of(LogLevel level) {
    switch (level) {
        case LogLevel::debug:
            return "debug";
        case LogLevel::info:
            return "info";
        case LogLevel::warn:
            return "warn";
        case LogLevel::error:
            return "error";
    }
    return {};
}

std::optional<LogLevel> log_level_named(std::string_view name) {
    return value_named(kLevels, name);
}

std::string format_line(const LogLine& line, LogFormat format) {
    switch (format) {
        case LogFormat::text:
            return text_line(line);
        case LogFormat::json:
            return json_line(line);
    }
    return {};
}

}  // namespace jobstrand::cli
