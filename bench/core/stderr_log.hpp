#pragma once

#include "schema/log.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <mutex>
#include <string>

namespace jobstrand::bench {

/// Warnings and errors on stderr: in a benchmark each one is worth a look. Anything less is not
/// kept, so that logging costs what it costs in a service at level `warn`.
///
/// Thread safety: safe.
class StderrLog final : public schema::Log {
public:
    [[nodiscard]] bool enabled(schema::LogLevel level) const noexcept override {
        return level >= schema::LogLevel::warn;
    }

    void write(
        schema::LogLevel level,
        std::string_view message,
        std::initializer_list<schema::LogField> fields
    ) noexcept override {
        if (!enabled(level)) {
            return;
        }
        const std::lock_guard lock(mutex_);
        fmt::print(stderr, "{}", message);
        for (const schema::LogField& field : fields) {
            fmt::print(stderr, " {}={}", field.name, field.value);
        }
        fmt::print(stderr, "\n");
    }

private:
    std::mutex mutex_;
};

}  // namespace jobstrand::bench
