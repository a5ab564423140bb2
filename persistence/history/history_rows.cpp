#include "persistence/history/history_rows.hpp"

#include "persistence/sql/dialect.hpp"
#include "schema/uuid7.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace jobstrand::persistence {

schema::TimePoint storable(schema::TimePoint time, const Dialect& dialect) {
    return std::clamp(time, dialect.earliest_time, dialect.latest_time);
}

void HistoryConditions::add_equal(std::string_view column, std::string_view text) {
    if (!text.empty()) {
        add(fmt::format("{} = ?", column), text);
    }
}

void HistoryConditions::add_one_of(std::string_view column, const std::vector<std::string>& texts) {
    if (texts.size() < 2) {
        add_equal(column, texts.empty() ? std::string_view() : std::string_view(texts.front()));
        return;
    }
    std::string places;
    for (const std::string& text : texts) {
        places += places.empty() ? "?" : ", ?";
        parameters_.emplace_back(std::string_view(text));
    }
    add(fmt::format("{} IN ({})", column, places));
}

void HistoryConditions::add_period(
    std::string_view column,
    const std::optional<schema::TimePoint>& after,
    const std::optional<schema::TimePoint>& before
) {
    if (after) {
        add(fmt::format("{} >= ?", column), *after);
    }
    if (before) {
        add(fmt::format("{} < ?", column), *before);
    }
}

std::string HistoryConditions::text() const {
    return sql_.empty() ? "1 = 1" : fmt::format("{}", fmt::join(sql_, " AND "));
}

std::string first_id_of(schema::TimePoint time) {
    constexpr std::size_t kTimeLength = 13;  // Twelve digits of milliseconds, and a dash.
    const auto since_1970 = std::max(time, schema::TimePoint{});
    return schema::Uuid7Source(0).next(since_1970).substr(0, kTimeLength);
}

}  // namespace jobstrand::persistence
