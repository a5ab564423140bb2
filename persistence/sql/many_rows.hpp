#pragma once

#include "persistence/sql/connection.hpp"
#include "persistence/sql/sql_transaction.hpp"
#include "schema/limits.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::persistence {

class Transaction;

/// The parameters of a statement with an id list: those before it, the ids, those after it.
struct IdListParameters {
    std::vector<Value> before = {};
    std::span<const std::string_view> ids;
    std::vector<Value> after = {};
};

/// The keys of a map, in their order, for such a list; they are borrowed from it.
template <typename Map>
[[nodiscard]] std::vector<std::string_view> keys_in(const Map& map) {
    std::vector<std::string_view> keys;
    keys.reserve(map.size());
    for (const auto& [key, value] : map) {
        keys.push_back(key);
    }
    return keys;
}

/// A statement that is ready to run.
struct BoundStatement {
    std::string sql;
    std::vector<Value> parameters;
};

/// The condition for the ids behind `after`, which is its parameter. From the start the empty id
/// counts too, which only a producer that forgot one inserts.
[[nodiscard]] constexpr std::string_view ids_behind(std::string_view after) {
    return after.empty() ? "ID_ >= ?" : "ID_ > ?";
}

/// The condition for those of them that stand before `before`; empty: for all of them.
[[nodiscard]] BoundStatement ids_between(std::string_view after, std::string_view before);

/// Those of the ids that a job can have (see Dialect::can_hold_id), in their order.
[[nodiscard]] std::vector<std::string_view>
possible_ids(std::span<const std::string_view> ids, const Dialect& dialect);

/// How many placeholders a list of `count` ids gets: one of a few sizes, so that few distinct
/// statements are prepared. The surplus repeats the last id, which changes no result.
[[nodiscard]] std::size_t padded_list_size(std::size_t count);

/// What stands in a list of 16 placeholders or more that is ours: a connection may take its values
/// as one.
inline constexpr std::string_view kLongList = "/* ids */ ";

/// Writes `(?, ?, ...)` with `count` placeholders in place of each `(...)`; see kLongList.
[[nodiscard]] std::string with_list_size(std::string_view sql, std::size_t count);

/// A statement with `(...)` for a list of ids, cut into statements of at most
/// limits::kIdsPerStatement ids; none for no ids. Several `(...)` that follow each other without
/// other parameters in between all get the same ids. The texts are borrowed, as in Value.
[[nodiscard]] std::vector<BoundStatement>
cut_id_list(std::string_view sql, const IdListParameters& parameters);

/// Runs such a statement, which returns no rows, for all of the ids. Returns how many rows it
/// inserted, deleted or found for update.
std::int64_t
execute_for_ids(Transaction& transaction, std::string_view sql, const IdListParameters& parameters);

/// Runs such a SELECT for all of the ids; see Connection::query. `source` is a Connection or a
/// Transaction.
template <typename Source>
void query_for_ids(
    Source& source,
    Query query,
    const IdListParameters& parameters,
    const RowReader& read
) {
    for (const auto& [text, values] : cut_id_list(query.sql, parameters)) {
        source.query({.sql = text, .columns = query.columns}, values, read);
    }
}

/// Reads all rows behind the id `after` (empty: from the start) that a SELECT finds, however many
/// there are: each run of it finds limits::kRowsPerSelect. Its first column is ID_, by which it is
/// ordered; its first condition is `ID_ >= ?`, and it ends in `LIMIT ?`. `between` are the other
/// parameters. `source` is a Connection or a Transaction, and throws what its query() throws.
/// Rows that change between two runs are found as they were, or as they are, or not at all.
template <typename Source>
void query_in_pieces(
    Source& source,
    Query query,
    std::string_view after,
    std::span<const Value> between,
    const RowReader& read
) {
    std::string last(after);
    std::string known;
    std::size_t count = 0;
    do {
        known = last;
        count = 0;
        std::vector<Value> parameters{std::string_view(known)};
        parameters.insert(parameters.end(), between.begin(), between.end());
        parameters.emplace_back(static_cast<std::int64_t>(schema::limits::kRowsPerSelect));
        source.query(query, parameters, [&](const Row& row) {
            const bool is_first = ++count == 1;
            if (is_first && !known.empty() && row.text(0) == known) {
                return;  // It was the last one of the piece before.
            }
            read(row);
            last = row.text(0);  // Not before: SQLite knows no more that a value was bytes then.
        });
        // Ids that are bytes stand behind all texts on SQLite, so the same ones are found again.
    } while (count == schema::limits::kRowsPerSelect && last != known);
}

/// Calls `write` with one part of the rows after the other, for statements that write many rows at
/// once. Each part has the largest of a few sizes that fits, so that few distinct statements are
/// prepared. `sizes` descend to 1.
template <typename Row, typename Write>
void in_parts(std::span<const Row> rows, std::span<const std::size_t> sizes, const Write& write) {
    while (!rows.empty()) {
        const auto size =
            std::ranges::find_if(sizes, [&](std::size_t one) { return one <= rows.size(); });
        write(rows.first(*size));
        rows = rows.subspan(*size);
    }
}

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
