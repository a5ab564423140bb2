#pragma once

#include "schema/time.hpp"
#include "timers/zone/zone.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::cli {

/// One named value of a record, in the two forms that the output formats need.
struct RecordField {
    std::string_view name;  ///< A constant: the name in JSON.
    std::string json;       ///< Any JSON value on one line.
    std::string text;       ///< The same for tables and CSV; empty for null.
    bool is_number = false;
    std::optional<schema::TimePoint> time = {};  ///< A time that a glance may tell from now.
};

/// What one line of output tells. The first field is what identifies it.
using Record = std::vector<RecordField>;

[[nodiscard]] RecordField text_field(std::string_view name, std::string_view text);

/// null when the text is empty.
[[nodiscard]] RecordField text_or_null_field(std::string_view name, std::string_view text);
[[nodiscard]] RecordField number_field(std::string_view name, std::int64_t number);
[[nodiscard]] RecordField
number_field(std::string_view name, const std::optional<std::int64_t>& number);
[[nodiscard]] RecordField decimal_field(std::string_view name, double number);
[[nodiscard]] RecordField flag_field(std::string_view name, bool flag);

/// A JSON array; elsewhere the texts with blanks between them.
[[nodiscard]] RecordField texts_field(std::string_view name, const std::vector<std::string>& texts);

/// `{"name":value,...}` on one line.
[[nodiscard]] std::string json_of(const Record& record);

/// A JSON object within another one, which looks the same in tables.
[[nodiscard]] RecordField record_field(std::string_view name, const Record& record);

/// A JSON array of values that are JSON, which looks the same in tables.
[[nodiscard]] RecordField
array_field(std::string_view name, const std::vector<std::string>& values);

/// A JSON array of objects; `text` tells them elsewhere.
[[nodiscard]] RecordField
records_field(std::string_view name, const std::vector<Record>& records, std::string text);

/// ISO 8601: in UTC with milliseconds, elsewhere with the zone's offset; null when there is none.
/// On a terminal tables tell how far it is from now, unless a zone was asked for.
[[nodiscard]] RecordField time_field(
    std::string_view name,
    const std::optional<schema::TimePoint>& time,
    const timers::Zone& zone = timers::Zone::utc()
);

}  // namespace jobstrand::cli
