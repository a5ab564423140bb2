#include "tools/process/log_line.hpp"

#include "schema/text/time_text.hpp"
#include "tools/engine/engine_parts.hpp"

#include <nlohmann/json.hpp>

#include <array>

namespace jobstrand::cli {

namespace {

using nlohmann::ordered_json;
using schema::LogLevel;

constexpr std::array kLevels{LogLevel::debug, LogLevel::info, LogLevel::warn, LogLevel::error};
constexpr std::array<std::string_view, 4> kLevelNames{"debug", "info", "warn", "error"};
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

[[nodiscard]] std::string json_line(const LogLine& line, schema::TimePoint time) {
    ordered_json object{
        {"time", schema::format_instant(time)},
        {"level", std::string(name_of(line.level))},
        {"message", std::string(line.message)},
    };
    for (const LogField& field : line.fields) {
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
    return format == LogFormat::text ? "text" : "json";
}

std::optional<LogFormat> log_format_named(std::string_view name) {
    return value_named(kFormats, name);
}

std::string_view name_of(LogLevel level) {
    return kLevelNames.at(static_cast<std::size_t>(level));
}

std::optional<LogLevel> log_level_named(std::string_view name) {
    return value_named(kLevels, name);
}

std::string format_line(const LogLine& line, schema::TimePoint time, LogFormat format) {
    return format == LogFormat::text ? engine::text_of(line, time) : json_line(line, time);
}

}  // namespace jobstrand::cli
