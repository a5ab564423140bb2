#include "persistence/migration/start_checks.hpp"

#include "persistence/sql/db_error.hpp"
#include "persistence/sql/dialect.hpp"
#include "schema/job_place.hpp"
#include "schema/tables.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <vector>

namespace jobstrand::persistence {

namespace {

/// A right, and a statement that needs it and finds no row: {0} is the table, {1} its key, {2} a
/// column of that.
struct Right {
    std::string_view name;
    std::string_view trial;
};

constexpr std::array kRights{
    Right{"SELECT", "SELECT {1} FROM {0} WHERE 1 = 0"},
    Right{"INSERT", "INSERT INTO {0} ({1}) SELECT {1} FROM {0} WHERE 1 = 0"},
    Right{"UPDATE", "UPDATE {0} SET {2} = {2} WHERE 1 = 0"},
    Right{"DELETE", "DELETE FROM {0} WHERE 1 = 0"},
};

/// History jobs are reserved, and the version is written by whoever upgrades.
bool is_written_by_nodes(const schema::Table& table) {
    return table.name != schema::table_of(schema::JobPlace::history) &&
           table.name != "ACT_GE_PROPERTY";
}

bool is_allowed(Connection& connection, const schema::Table& table, const Right& right) {
    const std::string_view key = table.primary_key;
    // Defended catch: a right that is missing is what is looked for.
    try {
        connection.run_script(
            fmt::format(fmt::runtime(right.trial), table.name, key, key.substr(0, key.find(',')))
        );
        return true;
    } catch (const DbError& error) {
        if (error.kind() != DbErrorKind::access_denied && error.kind() != DbErrorKind::other) {
            throw;
        }
        // A database that does not know the statement says nothing about rights.
        return error.kind() == DbErrorKind::other;
    }
}

std::string text_of(Connection& connection, std::string_view sql) {
    std::string text;
    connection.query({.sql = sql, .columns = 1}, {}, [&text](const Row& row) {
        text = row.text(0);
    });
    return text;
}

}  // namespace

void require_write_rights(Connection& connection) {
    const std::string_view target = connection.dialect().tables.catalog.grant_target;
    if (target.empty()) {
        return;
    }
    std::vector<std::string_view> rights;
    std::vector<std::string_view> tables;
    for (const schema::Table& table : schema::tables()) {
        for (const Right& right : kRights) {
            if (!is_written_by_nodes(table) || is_allowed(connection, table, right)) {
                continue;
            }
            if (std::ranges::find(rights, right.name) == rights.end()) {
                rights.push_back(right.name);
            }
            if (std::ranges::find(tables, table.name) == tables.end()) {
                tables.push_back(table.name);
            }
        }
    }
    if (!rights.empty()) {
        const std::string missing = fmt::format("{}", fmt::join(rights, ", "));
        throw DbError(
            DbErrorKind::access_denied,
            fmt::format(
                "this user lacks {} on {}: GRANT {} {}",
                missing,
                fmt::join(tables, ", "),
                missing,
                text_of(connection, target)
            )
        );
    }
}

void require_claimable(const Connection& connection) {
    const Dialect& dialect = connection.dialect();
    if (dialect.for_update.empty()) {
        throw std::invalid_argument(
            "lockGranularity page is of no use on SQLite, where one process writes at a time: "
            "leave it at row"
        );
    }
    if (dialect.has_engine) {
        throw std::invalid_argument(
            "lockGranularity page cannot be used on tables that a Flowable engine shares, which "
            "would not see these locks: leave it at row"
        );
    }
}

}  // namespace jobstrand::persistence
