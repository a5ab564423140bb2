#pragma once

#include "schema/log.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>

namespace jobstrand::cli {

/// The log of one engine among several: each line begins with its name.
///
/// Thread safety: safe.
class NamedLog final : public schema::Log {
public:
    NamedLog(std::string name, schema::Log& log) : name_(std::move(name)), log_(log) {}

    [[nodiscard]] bool enabled(schema::LogLevel level) const noexcept override {
        return log_.enabled(level);
    }

    void write(
        schema::LogLevel level,
        std::string_view message,
        std::initializer_list<schema::LogField> fields
    ) noexcept override {
        log_.write(level, fmt::format("{}: {}", name_, message), fields);
    }

private:
    const std::string name_;
    schema::Log& log_;
};

}  // namespace jobstrand::cli
