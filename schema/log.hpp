#pragma once

#include <concepts>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace jobstrand::schema {

/// How much a line matters. `debug` has one line per transition, `info` one per event that an
/// operator expects, `warn` and `error` say what happens next.
enum class LogLevel { debug, info, warn, error };

/// One named value of a log line. Durations carry their unit in the name (`wait_ms`).
struct LogField {
    LogField(std::string_view the_name, std::string text)
        : name(the_name), value(std::move(text)) {}
    LogField(std::string_view the_name, std::integral auto number)
        : name(the_name), value(std::to_string(number)), is_number(true) {}

    std::string_view name;
    std::string value;
    bool is_number = false;  ///< Programs read it as one.
};

/// Where log lines go. The service writes them with Boost.Log; an app that embeds the library may
/// pass its own.
///
/// Thread safety: every implementation may be called from all threads at once, and never throws.
class Log {
public:
    virtual ~Log() = default;

    /// Whether a line of this level would be kept; ask before building costly fields.
    [[nodiscard]] virtual bool enabled(LogLevel level) const noexcept = 0;

    /// `message` is a short constant sentence; what varies goes into the fields.
    virtual void write(
        LogLevel level,
        std::string_view message,
        std::initializer_list<LogField> fields = {}
    ) noexcept = 0;
};

/// Keeps nothing.
class SilentLog final : public Log {
public:
    [[nodiscard]] bool enabled(LogLevel) const noexcept override { return false; }
    void write(LogLevel, std::string_view, std::initializer_list<LogField>) noexcept override {}
};

}  // namespace jobstrand::schema
