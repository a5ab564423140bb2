#pragma once

#include "schema/time.hpp"

#include <array>
#include <optional>
#include <string_view>

namespace jobstrand::persistence {

/// A time as the databases take it: `YYYY-MM-DD HH:MM:SS.mmm`, UTC. Texts of this form sort like
/// the times they stand for.
class SqlTime final {
public:
    /// Throws DbError too_long for a year outside 0000 to 9999: no database holds it.
    explicit SqlTime(schema::TimePoint time);

    [[nodiscard]] std::string_view text() const noexcept { return {text_.data(), text_.size()}; }

private:
    std::array<char, 23> text_;
};

/// Reads what a database gives: with a space or a `T`, without a fraction or with one to nine
/// digits (cut to milliseconds), with or without a `Z`. nullopt: not a time.
[[nodiscard]] std::optional<schema::TimePoint> parse_sql_time(std::string_view text);

/// The same; throws DbError `other` when it is not a time.
[[nodiscard]] schema::TimePoint require_sql_time(std::string_view text);

}  // namespace jobstrand::persistence
