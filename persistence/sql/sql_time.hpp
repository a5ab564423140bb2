#pragma once

#include "schema/time.hpp"

#include <array>
#include <optional>
#include <string_view>

namespace jobstrand::persistence {

struct Dialect;

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

/// Reads what stands in a column of times: `YYYY-MM-DD HH:MM:SS`, with a space or a `T` in between;
/// behind it, if any, a fraction of any length (cut to milliseconds), and `Z` or an offset from UTC
/// (`+02:00`, `+0200`, `+02`). Without one it is UTC. nullopt: all else, a date alone too, and what
/// lies outside of the years 0000 to 9999.
[[nodiscard]] std::optional<schema::TimePoint> parse_sql_time(std::string_view text);

/// The same; throws DbError `unreadable` when it is not a time.
[[nodiscard]] schema::TimePoint require_sql_time(std::string_view text);

/// Throws std::invalid_argument, with both dates in the message, when somebody asks for a due date
/// that the database cannot hold. It is a mistake in the request, not in the outside world, and
/// refused before anything is written.
void require_storable(std::optional<schema::TimePoint> due_date, const Dialect& dialect);

}  // namespace jobstrand::persistence
