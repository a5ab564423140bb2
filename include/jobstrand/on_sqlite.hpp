#pragma once

#include <jobstrand/enqueuer.hpp>
#include <sqlite3.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <variant>

namespace jobstrand {

namespace bridge {

/// Binds one parameter: a visitor for the kinds of values. Texts live until the statement ends.
struct SqliteBinding {
    sqlite3_stmt* statement;
    int index;

    int operator()(std::nullptr_t) const { return sqlite3_bind_null(statement, index); }
    int operator()(bool flag) const { return sqlite3_bind_int(statement, index, flag ? 1 : 0); }
    int operator()(std::int64_t number) const {
        return sqlite3_bind_int64(statement, index, number);
    }
    int operator()(double number) const { return sqlite3_bind_double(statement, index, number); }
    int operator()(std::string_view text) const {
        return sqlite3_bind_text64(
            statement, index, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8
        );
    }
    int operator()(Bytes bytes) const {
        return sqlite3_bind_blob64(statement, index, bytes.data(), bytes.size(), SQLITE_TRANSIENT);
    }
    int operator()(TimePoint time) const { return (*this)(std::string_view(*Value(time).text())); }
};

inline void run_on_sqlite(sqlite3* db, std::string_view sql, std::span<const Value> parameters) {
    const auto require = [&](int code) {
        if (code != SQLITE_OK && code != SQLITE_DONE && code != SQLITE_ROW) {
            fail_on_sqlite(sqlite3_extended_errcode(db), sqlite3_errmsg(db), sql);
        }
    };
    sqlite3_stmt* prepared = nullptr;
    require(sqlite3_prepare_v2(db, sql.data(), static_cast<int>(sql.size()), &prepared, nullptr));
    const std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> statement(
        prepared, sqlite3_finalize
    );
    int index = 0;
    for (const Value& parameter : parameters) {
        require(std::visit(SqliteBinding{prepared, ++index}, parameter.content()));
    }
    require(sqlite3_step(prepared));
}

}  // namespace bridge

/// Enqueues on an open SQLite connection of the app's own; it must outlive what is made of it.
[[nodiscard]] inline AppConnection on_sqlite(sqlite3* db) {
    return {
        .database = Database::sqlite,
        .run =
            [db](std::string_view sql, std::span<const Value> parameters) {
                if (sqlite3_get_autocommit(db) != 0) {
                    bridge::refuse_without_transaction();
                }
                bridge::run_on_sqlite(db, sql, parameters);
            },
    };
}

}  // namespace jobstrand
