#pragma once

#include "schema/log.hpp"

#include <jobstrand/log.hpp>

#include <utility>

namespace jobstrand::engine {

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
