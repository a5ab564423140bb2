#pragma once

#include "schema/time.hpp"

#include <jobstrand/value.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

namespace jobstrand::persistence {

struct Dialect;
struct NewRows;

using jobstrand::Bytes;

/// A parameter of a statement: NULL (`{}` or `nullptr`), or a value. Texts and bytes are borrowed:
/// they must live until the call returns. The public Value makes one of whatever an app has.
using Value = jobstrand::Value::Content;

/// NULL for an empty text, as in schema::Job.
[[nodiscard]] inline Value text_or_null(std::string_view text) {
    return text.empty() ? Value{} : Value{text};
}

[[nodiscard]] inline Value time_or_null(const std::optional<schema::TimePoint>& time) {
    return time ? Value{*time} : Value{};
}

/// A row as apps see it; for a number, a truth value or a time that is none it throws DbError
/// `unreadable`.
class Row : public jobstrand::Row {
public:
    /// Whether bytes stand there although the column is one of texts; only SQLite lets them. No
    /// text equals them. To be asked before anything else about the column.
    [[nodiscard]] virtual bool is_bytes(std::size_t /*column*/) const { return false; }
};

/// A SELECT and the number of columns that it returns; 0: as many as the database says.
struct Query {
    std::string_view sql;
    std::size_t columns = 0;
};

/// Throws std::logic_error: a row with so many columns does not have this one.
[[noreturn]] void refuse_column(std::size_t column, std::size_t columns);

/// Throws std::logic_error unless a row with so many columns has this one.
inline void require_column(std::size_t column, std::size_t columns) {
    if (column >= columns) {
        refuse_column(column, columns);
    }
}

using RowReader = std::function<void(const Row&)>;

/// A connection to a database: the seam behind which SOCI and Connector/C++ stand. Statements are
/// written with `?` for each parameter, whatever the database; each distinct text is prepared once
/// and kept.
///
/// Texts are UTF-8 of any length. A NUL character in them survives on SQLite and MySQL; PostgreSQL
/// refuses it.
///
/// Errors: everything throws DbError, and std::logic_error when the number of parameters is not the
/// number of placeholders. Thread safety: none; one thread at a time.
class Connection {
public:
    virtual ~Connection() = default;

    /// How statements are written for this database.
    [[nodiscard]] virtual const Dialect& dialect() const noexcept = 0;

    /// Runs an INSERT, UPDATE or DELETE; returns the number of rows that it inserted, deleted or
    /// found for update.
    virtual std::int64_t execute(std::string_view sql, std::span<const Value> parameters) = 0;

    /// Inserts rows, which have nothing behind their VALUES, faster than a statement does. false:
    /// it knows no such way for them, and nothing was done.
    [[nodiscard]] virtual bool copy_in(const NewRows& /*rows*/) { return false; }

    /// Runs a SELECT, or a change that returns rows, and calls `read` for each row. `read` must not
    /// use this connection.
    virtual void query(Query query, std::span<const Value> parameters, const RowReader& read) = 0;

    /// Runs DDL or SET text as it is, without preparing it.
    virtual void run_script(std::string_view sql) = 0;

    /// Begins a transaction that will write. On SQLite this takes the write lock at once, so that a
    /// transaction never fails in its middle because another writer was faster.
    virtual void begin() = 0;

    /// The commit of this transaction tells the nodes that listen that there are jobs for them (see
    /// JobListener). Nothing where the database has no way to tell.
    virtual void announce_jobs() {}

    /// Throws DbError in_doubt when the answer was lost.
    virtual void commit() = 0;

    /// Never throws; a connection that cannot roll back becomes unusable.
    virtual void rollback() noexcept = 0;

    /// false once an error has poisoned it; the pool then replaces it.
    [[nodiscard]] virtual bool is_usable() const noexcept = 0;
};

/// The parameters of a statement: what holds values, or a list in braces, which lives for the call
/// alone.
class Parameters final : public std::span<const Value> {
public:
    using std::span<const Value>::span;
    Parameters(std::initializer_list<Value> values) : span(values.begin(), values.size()) {}

    /// So that none is kept and handed on when its list has ended.
    Parameters(const Parameters&) = delete;
};

// What a SELECT finds. `source` is a Connection or a Transaction.

/// All rows, each as `make` makes it.
template <typename Source, typename Make>
[[nodiscard]] auto all_rows(Source& source, Query query, Parameters parameters, const Make& make) {
    std::vector<std::invoke_result_t<const Make&, const Row&>> rows;
    source.query(query, parameters, [&](const Row& row) { rows.push_back(make(row)); });
    return rows;
}

/// The one row, or the last of several; nullopt: there is none.
template <typename Source, typename Make>
[[nodiscard]] auto one_row(Source& source, Query query, Parameters parameters, const Make& make) {
    std::optional<std::invoke_result_t<const Make&, const Row&>> found;
    source.query(query, parameters, [&](const Row& row) { found = make(row); });
    return found;
}

/// Whether there is a row, of one column.
template <typename Source>
[[nodiscard]] bool has_row(Source& source, std::string_view sql, Parameters parameters = {}) {
    bool is_there = false;
    source.query({.sql = sql, .columns = 1}, parameters, [&](const Row&) { is_there = true; });
    return is_there;
}

/// The number that is its one row; 0: there is none.
template <typename Source>
[[nodiscard]] std::int64_t
one_number(Source& source, std::string_view sql, Parameters parameters = {}) {
    std::int64_t number = 0;
    source.query({.sql = sql, .columns = 1}, parameters, [&](const Row& row) {
        number = row.integer(0);
    });
    return number;
}

/// The texts of all rows, of one column.
template <typename Source>
[[nodiscard]] std::vector<std::string>
all_texts(Source& source, std::string_view sql, Parameters parameters = {}) {
    std::vector<std::string> texts;
    source.query({.sql = sql, .columns = 1}, parameters, [&](const Row& row) {
        texts.emplace_back(row.text(0));
    });
    return texts;
}

/// The text that is its one row; empty: there is none.
template <typename Source>
[[nodiscard]] std::string
one_text(Source& source, std::string_view sql, Parameters parameters = {}) {
    std::string text;
    source.query({.sql = sql, .columns = 1}, parameters, [&](const Row& row) {
        text = row.text(0);
    });
    return text;
}

}  // namespace jobstrand::persistence
