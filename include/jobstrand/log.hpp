#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace jobstrand {

enum class LogLevel { debug, info, warn, error };

/// One named value of a log line. Durations carry their unit in the name (`wait_ms`).
struct LogField {
    std::string_view name;
    std::string value;
    bool is_number = false;  ///< Programs read it as one.
};

/// Borrowed: valid until the writer returns.
struct LogLine {
    LogLevel level = LogLevel::info;
    std::string_view message;  ///< A short constant sentence; what varies is in the fields.
    std::span<const LogField> fields;
};

/// Called from all threads at once; must not throw. Empty: nothing is logged.
using WriteLog = std::function<void(const LogLine&)>;

/// `2030-01-31T12:00:00.000Z WARN  message name=value name="a b"`, one line, as the service's.
void log_to_stderr(const LogLine& line);

}  // namespace jobstrand
