#pragma once

#include "persistence/drivers/soci/soci_backend.hpp"
#include "persistence/sql/new_rows.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

/// How many values go to the server in one text. Each parameter of a statement is copied and looked
/// up several times on its way, here and there; of a text, only the text is.
namespace jobstrand::persistence {

/// Names the placeholders as SOCI wants it, `:1`, `:2` and so on. A list that with_list_size has
/// marked becomes one parameter, `= ANY
/// (:1)` in place of `IN (?, ?, ...)`, unless it stands behind NOT. Those of apps stay as they are.
[[nodiscard]] NativeStatement name_parameters(std::string_view sql);

/// The array that holds them.
[[nodiscard]] std::string array_of(std::span<const Value> values);

/// Whether rows are worth a COPY, which costs one round trip more and is parsed each time.
[[nodiscard]] bool are_worth_a_copy(const NewRows& rows);

/// `COPY ... FROM STDIN` for these columns.
[[nodiscard]] std::string copy_statement(const NewRows& rows, std::span<const std::size_t> columns);

/// Appends a row in the text format of COPY.
void append_copied_row(
    std::string& text,
    const NewRows& rows,
    std::size_t row,
    std::span<const std::size_t> columns
);

}  // namespace jobstrand::persistence
