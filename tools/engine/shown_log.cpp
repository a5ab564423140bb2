#include "tools/engine/shown_log.hpp"

#include "schema/clock.hpp"
#include "schema/text/iso8601.hpp"
#include "schema/text/printable.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

namespace jobstrand {

void log_to_stderr(const LogLine& line) {
    const std::string text = engine::text_of(line, schema::SystemClock().now()) + '\n';
    std::fwrite(text.data(), 1, text.size(), stderr);
}

namespace engine {

namespace {

constexpr std::array<std::string_view, 4> kLevels{"DEBUG", "INFO ", "WARN ", "ERROR"};

LogLevel to_public(schema::LogLevel level) {
    return static_cast<LogLevel>(level);
}

}  // namespace

std::string text_of(const LogLine& line, schema::TimePoint time) {
    std::string text = fmt::format(
        "{} {} {}",
        schema::format_instant(time),
        kLevels.at(static_cast<std::size_t>(line.level)),
        schema::printable(line.message)
    );
    for (const LogField& field : line.fields) {
        if (!field.value.empty()) {
            text += fmt::format(
                " {}={}", schema::printable(field.name), schema::quoted_if_needed(field.value)
            );
        }
    }
    return text;
}

bool ShownLog::enabled(schema::LogLevel level) const noexcept {
    return write_ && to_public(level) >= least_;
}

void ShownLog::write(
    schema::LogLevel level,
    std::string_view message,
    std::initializer_list<schema::LogField> fields
) noexcept {
    if (!enabled(level)) {
        return;
    }
    // Defended catch: a log that fails must not end what is logged.
    try {
        std::vector<LogField> shown;
        for (const schema::LogField& field : fields) {
            shown.push_back({.name = field.name, .value = field.value, .is_number = field.is_number}
            );
        }
        write_({.level = to_public(level), .message = message, .fields = shown});
    } catch (const std::exception&) {
        return;
    }
}

}  // namespace engine

}  // namespace jobstrand
