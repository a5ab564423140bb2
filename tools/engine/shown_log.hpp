#pragma once

#include "schema/log.hpp"
#include "schema/time.hpp"

#include <jobstrand/log.hpp>

#include <string>
#include <utility>

namespace jobstrand::engine {

/// A line as the service writes it: `2026-11-20T10:15:30.123Z WARN  job failed id=17 error="no
/// answer"`, without its end. Fields without a value are left out.
[[nodiscard]] std::string text_of(const LogLine& line, schema::TimePoint time);

/// Our log lines for the app's function.
///
/// Thread safety: that of the function.
class ShownLog final : public schema::Log {
public:
    ShownLog(WriteLog write, LogLevel least) : write_(std::move(write)), least_(least) {}

    [[nodiscard]] bool enabled(schema::LogLevel level) const noexcept override;
    void write(
        schema::LogLevel level,
        std::string_view message,
        std::initializer_list<schema::LogField> fields
    ) noexcept override;

private:
    const WriteLog write_;
    const LogLevel least_;
};

}  // namespace jobstrand::engine
