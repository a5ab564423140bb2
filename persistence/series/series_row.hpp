#pragma once

#include "persistence/sql/connection.hpp"
#include "schema/series/series.hpp"

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

/// The columns that each turn changes, ID_ first.
[[nodiscard]] std::span<const std::string_view> series_progress_columns();

/// Appends their values, in their order. The texts are borrowed from `series`.
void append_series_progress(std::vector<Value>& values, const schema::Series& series);

/// Whether the other columns are the same.
[[nodiscard]] bool do_only_turns_differ(const schema::Series& one, const schema::Series& other);

/// A series as its row has it.
struct SeriesRow {
    schema::Series series;

    /// Names each column that holds what it cannot mean, and its value; the series then has what a
    /// new one has there. Empty: all is as it should be.
    std::string complaint = {};

    [[nodiscard]] bool is_readable() const { return complaint.empty(); }
};

/// Reads a row whose first columns are these. What is NULL although it has a meaning reads as the
/// default of Series.
[[nodiscard]] SeriesRow read_series_row(const Row& row);

}  // namespace jobstrand::persistence
