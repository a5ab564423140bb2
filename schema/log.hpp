#pragma once

#include <jobstrand/log.hpp>

#include <concepts>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace jobstrand::schema {

using jobstrand::LogLevel;

/// The public one, made of a text or a number.
struct LogField : jobstrand::LogField {
    LogField(std::string_view the_name, std::string text)
        : jobstrand::LogField{the_name, std::move(text)} {}
    LogField(std::string_view the_name, std::integral auto number)
        : jobstrand::LogField{the_name, std::to_string(number), true} {}
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
