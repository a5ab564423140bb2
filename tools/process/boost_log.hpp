#pragma once

#include "schema/log.hpp"
#include "tools/process/log_line.hpp"

#include <atomic>
#include <iosfwd>
#include <memory>

namespace jobstrand::cli {

/// Writes log lines with Boost.Log to a stream, each flushed at once.
///
/// Thread safety: safe. The stream must outlive it, and nobody else may write to the stream at the
/// same time unless the stream allows it (std::cerr does).
class BoostLog final : public schema::Log {
public:
    struct Settings {
        schema::LogLevel level = schema::LogLevel::info;
        LogFormat format = LogFormat::text;
    };

    BoostLog(std::ostream& out, Settings settings);
    ~BoostLog() override;

    BoostLog(const BoostLog&) = delete;
    BoostLog& operator=(const BoostLog&) = delete;

    /// What is less than this is not written from now on.
    void set_level(schema::LogLevel level) noexcept { level_ = level; }

    [[nodiscard]] bool enabled(schema::LogLevel level) const noexcept override;

    void write(
        schema::LogLevel level,
        std::string_view message,
        std::initializer_list<schema::LogField> fields
    ) noexcept override;

private:
    class Sink;  // Keeps Boost.Log out of this header.

    std::atomic<schema::LogLevel> level_;
    std::unique_ptr<Sink> sink_;
};

}  // namespace jobstrand::cli
