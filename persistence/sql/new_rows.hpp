#pragma once

#include "persistence/sql/sql_transaction.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace jobstrand::persistence {

/// The name of all columns of bytes; their values are texts here.
inline constexpr std::string_view kBytesColumn = "BYTES_";

/// Rows of one table that one transaction adds.
struct NewRows {
    std::string_view table;
    std::span<const std::string_view> columns;
    std::vector<Value> values = {};      ///< Row by row.
    std::string_view insert = "INSERT";  ///< What the statement begins with.
    std::string_view behind = {};        ///< What stands behind the VALUES.

    /// Columns with a default that a row gets unless it names them: their NULL has to be said.
    std::span<const std::string_view> with_default = {};

    [[nodiscard]] std::size_t size() const { return values.size() / columns.size(); }
};

/// The positions of the columns that have to be named, because some row uses them, or for their
/// NULL. What is not named costs nothing, and a job uses a third of its columns.
[[nodiscard]] std::vector<std::size_t>
named_columns(const NewRows& rows, std::span<const Value> values);

/// Inserts them: all at once where the connection can (Connection::copy_in), else with few
/// statements. Returns how many rows these have inserted, as the database counts them.
std::int64_t insert_all(Transaction& transaction, const NewRows& rows);

}  // namespace jobstrand::persistence
