#include "persistence/sql/many_rows.hpp"

#include "persistence/sql/dialect.hpp"
#include "persistence/sql/sql_transaction.hpp"
#include "schema/job.hpp"
#include "schema/limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <variant>

namespace jobstrand::persistence {

namespace {

using schema::limits::kIdsPerStatement;

constexpr std::string_view kListToken = "(...)";
constexpr std::size_t kLongListSize = 16;
constexpr std::array<std::size_t, 6> kListSizes{1, 4, 16, 64, 256, kIdsPerStatement};

std::size_t count_lists(std::string_view sql) {
    std::size_t count = 0;
    for (auto at = sql.find(kListToken); at != sql.npos; at = sql.find(kListToken, at + 1)) {
        ++count;
    }
    return count;
}

void append_list(std::string& sql, std::size_t count) {
    sql += '(';
    sql += count >= kLongListSize ? kLongList : std::string_view();
    for (std::size_t i = 0; i < count; ++i) {
        sql += i == 0 ? "?" : ", ?";
    }
    sql += ')';
}

BoundStatement bind(
    std::string_view sql,
    const IdListParameters& parameters,
    std::span<const std::string_view> ids
) {
    const std::size_t size = padded_list_size(ids.size());
    const std::size_t lists = count_lists(sql);
    std::vector<Value> values;
    values.reserve(parameters.before.size() + size * lists + parameters.after.size());
    values.insert(values.end(), parameters.before.begin(), parameters.before.end());
    for (std::size_t list = 0; list < lists; ++list) {
        values.insert(values.end(), ids.begin(), ids.end());
        values.insert(values.end(), size - ids.size(), ids.back());
    }
    values.insert(values.end(), parameters.after.begin(), parameters.after.end());
    return {.sql = with_list_size(sql, size), .parameters = std::move(values)};
}

}  // namespace

BoundStatement ids_between(std::string_view after, std::string_view before) {
    BoundStatement between{.sql = std::string(ids_behind(after)), .parameters = {Value{after}}};
    if (!before.empty()) {
        between.sql += " AND ID_ < ?";
        between.parameters.emplace_back(before);
    }
    return between;
}

std::vector<std::string_view>
possible_ids(std::span<const std::string_view> ids, const Dialect& dialect) {
    std::vector<std::string_view> possible(ids.begin(), ids.end());
    if (dialect.can_hold_id != nullptr) {
        std::erase_if(possible, [&dialect](std::string_view id) {
            return !dialect.can_hold_id(id);
        });
    }
    return possible;
}

std::size_t padded_list_size(std::size_t count) {
    const auto size = std::lower_bound(kListSizes.begin(), kListSizes.end(), count);
    return size == kListSizes.end() ? count : *size;
}

std::string with_list_size(std::string_view sql, std::size_t count) {
    std::string expanded;
    expanded.reserve(sql.size() + 3 * count * count_lists(sql));
    for (auto at = sql.find(kListToken); at != sql.npos; at = sql.find(kListToken)) {
        expanded += sql.substr(0, at);
        append_list(expanded, count);
        sql.remove_prefix(at + kListToken.size());
    }
    return expanded += sql;
}

std::vector<BoundStatement> cut_id_list(std::string_view sql, const IdListParameters& parameters) {
    std::vector<BoundStatement> statements;
    for (auto rest = parameters.ids; !rest.empty();) {
        const std::size_t count = std::min(rest.size(), kIdsPerStatement);
        statements.push_back(bind(sql, parameters, rest.first(count)));
        rest = rest.subspan(count);
    }
    return statements;
}

std::int64_t execute_for_ids(
    Transaction& transaction,
    std::string_view sql,
    const IdListParameters& parameters
) {
    std::int64_t rows = 0;
    for (const auto& [text, values] : cut_id_list(sql, parameters)) {
        rows += transaction.execute(text, values);
    }
    return rows;
}

namespace {

constexpr std::string_view kInsert = R"sql({} INTO {} ({}) VALUES {} {})sql";

/// Rows of one INSERT. A statement costs as much as ten rows, so a hundred take three, not nine.
constexpr std::array<std::size_t, 9> kRowsOfInsert{256, 128, 64, 32, 16, 8, 4, 2, 1};

/// Texts of one INSERT, unless a single row has more: MySQL takes 16 MiB in one packet.
constexpr std::size_t kBytesOfInsert = std::size_t{4} * 1024 * 1024;

bool is_null(const Value& value) {
    return std::holds_alternative<std::nullptr_t>(value);
}

std::size_t bytes_of(std::span<const Value> values) {
    std::size_t bytes = 0;
    for (const Value& value : values) {
        if (const auto* const text = std::get_if<std::string_view>(&value)) {
            bytes += text->size();
        }
    }
    return bytes;
}

/// How many of the rows go into the next statement.
std::size_t rows_of_part(std::span<const Value> values, std::size_t width) {
    const std::size_t rows = values.size() / width;
    const auto fits = [&](std::size_t some) {
        return some <= rows && bytes_of(values.first(some * width)) <= kBytesOfInsert;
    };
    const auto* const found = std::ranges::find_if(kRowsOfInsert, fits);
    return found == kRowsOfInsert.end() ? 1 : *found;
}

bool is_our_scope(const Value& value) {
    const auto* const text = std::get_if<std::string_view>(&value);
    return text != nullptr && *text == schema::kOurScope;
}

/// Whether all rows have such a value in this column.
template <class Predicate>
bool are_all(
    Predicate is_such,
    std::size_t column,
    std::size_t width,
    std::span<const Value> values
) {
    for (std::size_t i = column; i < values.size(); i += width) {
        if (!is_such(values[i])) {
            return false;
        }
    }
    return true;
}

bool has_default(const NewRows& rows, std::size_t column) {
    return std::ranges::find(rows.with_default, rows.columns[column]) != rows.with_default.end();
}

/// A column in the text of an INSERT: what is the same in all rows, and in nearly all others too,
/// stands there itself.
struct Written {
    std::size_t column;
    std::string_view mark;
    bool is_bound = false;
};

std::vector<Written>
written(const NewRows& rows, std::span<const Value> values, const Dialect& dialect) {
    const std::size_t width = rows.columns.size();
    std::vector<Written> all;
    all.reserve(width);
    for (std::size_t column = 0; column < width; ++column) {
        if (are_all(is_null, column, width, values)) {
            if (has_default(rows, column)) {
                all.push_back({column, "NULL"});
            }
        } else if (are_all(is_our_scope, column, width, values)) {
            all.push_back({column, "'jobstrand'"});
        } else {
            const bool is_bytes = rows.columns[column] == kBytesColumn;
            all.push_back({column, is_bytes ? dialect.bytes_parameter : "?", true});
        }
    }
    return all;
}

void append_item(std::string& list, std::string_view item) {
    list += list.empty() ? "" : ", ";
    list += item;
}

std::int64_t
insert_part(Transaction& transaction, const NewRows& rows, std::span<const Value> values) {
    const std::size_t width = rows.columns.size();
    std::string columns;
    std::string marks;
    std::vector<std::size_t> bound;
    for (const auto& [column, mark, is_bound] : written(rows, values, transaction.dialect())) {
        append_item(columns, rows.columns[column]);
        append_item(marks, mark);
        if (is_bound) {
            bound.push_back(column);
        }
    }
    const std::string row = "(" + marks + ")";
    std::string texts;
    texts.reserve(values.size() / width * (row.size() + 2));
    std::vector<Value> parameters;
    parameters.reserve(values.size() / width * bound.size());
    for (std::size_t first = 0; first < values.size(); first += width) {
        append_item(texts, row);
        for (const std::size_t column : bound) {
            parameters.push_back(values[first + column]);
        }
    }
    return transaction.execute(
        fmt::format(kInsert, rows.insert, rows.table, columns, texts, rows.behind), parameters
    );
}

}  // namespace

std::vector<std::size_t> named_columns(const NewRows& rows, std::span<const Value> values) {
    const std::size_t width = rows.columns.size();
    std::vector<std::size_t> named;
    for (std::size_t column = 0; column < width; ++column) {
        if (!are_all(is_null, column, width, values) || has_default(rows, column)) {
            named.push_back(column);
        }
    }
    return named;
}

std::int64_t insert_all(Transaction& transaction, const NewRows& rows) {
    if (rows.insert == "INSERT" && rows.behind.empty() && transaction.copy_in(rows)) {
        return static_cast<std::int64_t>(rows.size());
    }
    std::int64_t inserted = 0;
    const std::size_t width = rows.columns.size();
    for (std::span<const Value> rest = rows.values; !rest.empty();) {
        const std::size_t values = rows_of_part(rest, width) * width;
        inserted += insert_part(transaction, rows, rest.first(values));
        rest = rest.subspan(values);
    }
    return inserted;
}

}  // namespace jobstrand::persistence
