#pragma once

#include "schema/log.hpp"
#include "schema/time.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace jobstrand::cli {

/// How a log line is written: for people, or one JSON object per line for programs.
enum class LogFormat { text, json };

/// text, json.
[[nodiscard]] std::string_view name_of(LogFormat format);
[[nodiscard]] std::optional<LogFormat> log_format_named(std::string_view name);

/// debug, info, warn, error.
[[nodiscard]] std::string_view name_of(schema::LogLevel level);
[[nodiscard]] std::optional<schema::LogLevel> log_level_named(std::string_view name);

/// The line without its line break. In JSON numbers are numbers; the text form leaves out fields
/// that are empty. Whatever the values hold, it is one line, and the fields of the text form can be
/// told apart: `2026-11-20T10:15:30.123Z INFO  job failed id=17 message="a
/// \"b\""`.
[[nodiscard]] std::string
format_line(const LogLine& line, schema::TimePoint time, LogFormat format);

}  // namespace jobstrand::cli
