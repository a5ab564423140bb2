#include "persistence/migration/table_changes.hpp"

#include "persistence/migration/ddl.hpp"
#include "persistence/migration/live_schema.hpp"
#include "persistence/sql/db_error.hpp"
#include "persistence/sql/dialect.hpp"
#include "persistence/sql/schema_lock.hpp"
#include "schema/tables.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <optional>
#include <ranges>
#include <string>
#include <vector>

namespace jobstrand::persistence {

DbError with_upgrade_grant(Connection& connection, const DbError& error) {
    const std::string_view query = connection.dialect().tables.catalog.upgrade_grant;
    if (error.kind() != DbErrorKind::access_denied || query.empty()) {
        return error;
    }
    return DbError(error.kind(), fmt::format("{}: {}", error.what(), one_text(connection, query)));
}

namespace {

using schema::OptionalIndex;

/// For the transactions that are open when an index is begun.
constexpr std::chrono::milliseconds kFirstWait{1'000};

/// Runs `statement` unless the index is there, or not there, as wanted.
bool make(
    Connection& connection,
    const OptionalIndex& index,
    bool is_wanted,
    const std::string& statement,
    const TablePatience& patience
) {
    return with_upgrade_rights(connection, [&] {
        return change_tables(connection, patience, [&] {
            const bool is_to_do = has_index(connection, index) != is_wanted;
            if (is_to_do) {
                connection.run_script(statement);
            }
            return is_to_do;
        });
    });
}

/// Beside those who write. Two tries: the first one finds out whether somebody is in the way, and
/// the second one waits as long as all further tries would. What a try has left that was broken off
/// is no index for any query, and the next one begins with its end.
bool make_concurrently(
    Connection& connection,
    const OptionalIndex& index,
    const TablePatience& patience
) {
    const Dialect& dialect = connection.dialect();
    const std::string_view concurrently = dialect.tables.concurrently;
    // Whether it was made; nullopt: somebody is in the way.
    const auto try_once = [&](std::chrono::milliseconds wait) -> std::optional<bool> {
        const auto limits = dialect.tables.allow_time(connection, wait);
        if (has_index(connection, index)) {  // Also of one that has just been made.
            return false;
        }
        // Defended catch: the next try may come behind the transactions that are in the way.
        try {
            connection.run_script(
                fmt::format("DROP INDEX {} IF EXISTS {}", concurrently, index.index.name)
            );
            connection.run_script(create_index(index.table, index.index, dialect, concurrently));
            return true;
        } catch (const DbError& error) {
            if (error.kind() != DbErrorKind::busy) {
                throw;
            }
            return std::nullopt;
        }
    };
    if (has_index(connection, index)) {
        return false;
    }
    if (const auto was_made = try_once(kFirstWait)) {
        return *was_made;
    }
    if (patience.on_wait) {
        patience.on_wait();
    }
    if (patience.tries > 1) {
        const auto others = (patience.tries - 1) * (kFirstWait + patience.pause);
        if (const auto was_made = try_once(others)) {
            return *was_made;
        }
    }
    throw DbError(
        DbErrorKind::busy,
        fmt::format(
            "the index was not made: a transaction of another program is open for long; `jobstrand "
            "doctor` may say whose. Try again later, or remove what is left of it: DROP INDEX {} "
            "IF EXISTS {}",
            concurrently,
            index.index.name
        )
    );
}

}  // namespace

bool has_index(Connection& connection, const OptionalIndex& index) {
    const LiveSchema live = read_live_schema(connection);
    const auto table = live.find(index.table);
    return table != live.end() && table->second.indexes.contains(index.index.name);
}

bool create_index(
    Connection& connection,
    const OptionalIndex& index,
    const TablePatience& patience
) {
    if (!connection.dialect().tables.concurrently.empty()) {
        return with_upgrade_rights(connection, [&] {
            return make_concurrently(connection, index, patience);
        });
    }
    const std::string create = create_index(index.table, index.index, connection.dialect());
    return make(connection, index, true, create, patience);
}

bool drop_index(Connection& connection, const OptionalIndex& index, const TablePatience& patience) {
    const std::string drop = drop_index(index, connection.dialect());
    return make(connection, index, false, drop, patience);
}

void require_index(Connection& connection, const OptionalIndex& index, std::string_view purpose) {
    if (!has_index(connection, index)) {
        throw DbError(
            DbErrorKind::schema_missing,
            fmt::format(
                "{} needs the index {}, which is not there: run `jobstrand schema index {} "
                "--create`",
                purpose,
                index.index.name,
                index.name
            )
        );
    }
}

namespace {

/// Empty: the table has no times.
std::string statement_for(const schema::Table& table, const Dialect& lasting) {
    std::vector<std::string> clauses;
    for (const schema::Column& column : table.columns) {
        if (column.kind == schema::ColumnKind::timestamp) {
            clauses.push_back(
                column_change(lasting.tables.catalog.changes.set_type, column, lasting)
            );
        }
    }
    return clauses.empty() ? std::string()
                           : fmt::format("ALTER TABLE {} {}", table.name, fmt::join(clauses, ", "));
}

}  // namespace

bool have_times_an_early_end(const Connection& connection) {
    return connection.dialect().tables.lasting_times != nullptr;
}

bool make_times_last(Connection& connection) {
    const Dialect* const lasting = connection.dialect().tables.lasting_times;
    if (lasting == nullptr) {
        return false;
    }
    const auto lock = connection.dialect().tables.lock(connection);
    const LiveSchema live = read_live_schema(connection);
    // The first table, by which connections tell what there is, comes when the others are done.
    for (const schema::Table& table : schema::tables() | std::views::reverse) {
        const std::string statement = statement_for(table, *lasting);
        if (!statement.empty() && live.contains(table.name)) {
            connection.run_script(statement);
        }
    }
    lock->keep_changes();
    return true;
}

}  // namespace jobstrand::persistence
