#pragma once

#include "persistence/sql/connection.hpp"
#include "schema/series.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// The only mapping between schema::Series and the rows of JS_SERIES.
namespace jobstrand::persistence {

/// ID_ first.
[[nodiscard]] std::span<const std::string_view> series_column_names();
[[nodiscard]] std::size_t series_column_count();

/// The columns as a list for a statement, each behind `prefix`: `S.ID_, S.GROUP_, ...`.
[[nodiscard]] std::string series_columns(std::string_view prefix = "");

/// Appends the values of a row, in column order. The texts are borrowed from `series`.
void append_series_row(std::vector<Value>& values, const schema::Series& series);

/// Reads a row whose first columns are these.
[[nodiscard]] schema::Series read_series_row(const Row& row);

}  // namespace jobstrand::persistence
