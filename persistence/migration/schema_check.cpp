#include "persistence/migration/schema_check.hpp"

#include "persistence/migration/ddl.hpp"
#include "persistence/migration/live_schema.hpp"
#include "persistence/migration/schema_migration.hpp"
#include "persistence/migration/table_changes.hpp"
#include "persistence/sql/connection.hpp"
#include "persistence/sql/db_error.hpp"
#include "persistence/sql/dialect.hpp"
#include "schema/job.hpp"
#include "schema/tables.hpp"
#include "schema/text/time_text.hpp"
#include "schema/text/utf8.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::persistence {

namespace {

constexpr std::string_view kVersionTable = "ACT_GE_PROPERTY";

void missing_table(TableReport& report) {
    const schema::Table& table = report.table();
    report.differs(
        fmt::format("the table {} is missing", table.name), {create_table(table, report.dialect())}
    );
    for (const schema::Index& index : table.indexes) {
        missing_index(index, report);
    }
}

void compare_version(const std::optional<std::string>& version, SchemaReport& report) {
    const std::string expected = std::to_string(schema::kSchemaVersion);
    if (version == expected) {
        return;
    }
    report.differences.push_back(
        {std::string(kVersionTable),
         fmt::format(
             "the version of the tables is {}, and not {}: `jobstrand schema upgrade` raises it, "
             "and never lowers it",
             version.value_or("unknown"),
             expected
         ),
         {}}
    );
}

void remark_end_of_times(const Connection& connection, SchemaReport& report) {
    if (have_times_an_early_end(connection)) {
        report.remarks.push_back(
            {std::string(schema::table_of(schema::JobPlace::timer)),
             fmt::format(
                 "times end at {}: `jobstrand schema upgrade --datetime` gives them a type that "
                 "lasts",
                 schema::format_instant(connection.dialect().latest_time)
             )}
        );
    }
}

constexpr std::string_view kEngineVersion = R"sql(
    SELECT 1
    FROM ACT_GE_PROPERTY
    WHERE NAME_ IN ('common.schema.version', 'schema.version'))sql";

bool has_engine_version(Connection& connection, const LiveSchema& live) {
    return live.contains(kVersionTable) && has_row(connection, kEngineVersion);
}

/// Of one of the engines that have jobs.
bool has_engine_tables(const LiveSchema& live) {
    const bool has_processes = live.contains("ACT_RU_EXECUTION") && live.contains("ACT_RE_PROCDEF");
    return has_processes || live.contains("ACT_CMMN_RU_CASE_INST");
}

/// Whether Flowable's tables here are whole. An engine that starts where our tables are already
/// takes them for those of an older Flowable, fails on the first one that it misses, and leaves
/// what it has changed so far; nothing brings the two together then. Throws DbError.
void check_mixture(Connection& connection, const LiveSchema& live, SchemaReport& report) {
    const bool has_version = has_engine_version(connection, live);
    const bool has_tables = has_engine_tables(live);
    if (has_version == has_tables || (!has_version && !live.contains("ACT_RU_EXECUTION"))) {
        return;
    }
    report.differences.push_back(
        {std::string(kVersionTable),
         has_version ? "a Flowable engine has begun to make its tables where Jobstrand's were "
                       "already, and cannot end that: give it an empty database, let it make its "
                       "tables there first, and then run `jobstrand schema upgrade` on them"
                     : "there are tables of a Flowable engine, and no version of them: its set-up "
                       "has not come to its end, or they are not Flowable's",
         {}}
    );
}

}  // namespace

SchemaReport check_schema(Connection& connection) {
    const LiveSchema live = read_live_schema(connection);
    SchemaReport report;
    for (const schema::Table& table : schema::tables()) {
        TableReport of_table(table, connection.dialect(), report);
        const auto found = live.find(table.name);
        if (found == live.end()) {
            missing_table(of_table);
        } else {
            check_columns(found->second, of_table);
            check_indexes(found->second, of_table);
        }
    }
    if (live.contains(kVersionTable)) {
        compare_version(recorded_version(connection), report);
    }
    check_mixture(connection, live, report);
    if (!live.empty()) {
        remark_end_of_times(connection, report);
    }
    return report;
}

namespace {

using schema::Column;
using schema::ColumnKind;
using schema::Table;

constexpr std::string_view kFind = R"sql(
    SELECT COUNT(*), MIN(ID_)
    FROM {table}
    WHERE {condition})sql";

constexpr std::string_view kMend =
    "UPDATE {table} SET {column} = {value} WHERE ({condition}){rest}";

/// Ids are shown to people, and may be bytes.
constexpr std::size_t kShownCharacters = 64;

/// One column of one table.
class ColumnRows final {
public:
    ColumnRows(const Table& table, const Column& column, const OddValues& odd)
        : table_(table), column_(column), odd_(odd) {}

    void check(Connection& connection, SchemaReport& report) const {
        const std::string sql = fmt::format(
            kFind, fmt::arg("table", table_.name), fmt::arg("condition", filled(odd_.condition))
        );
        connection.query({.sql = sql, .columns = 2}, {}, [&](const Row& row) {
            if (row.integer(0) > 0) {
                report.differences.push_back(
                    {std::string(table_.name), description(row.integer(0), row.text(1)), {mend()}}
                );
            }
        });
    }

private:
    [[nodiscard]] std::string filled(std::string_view sql) const {
        const std::string_view value =
            column_.default_value.empty() ? "NULL" : column_.default_value;
        return fmt::format(fmt::runtime(sql), column_.name, value);
    }

    [[nodiscard]] std::string description(std::int64_t rows, std::string_view id) const {
        return fmt::format(
            "{} has {} whose {} is {}, such as the job \"{}\"; the service makes dead letters of "
            "those that it cannot read",
            table_.name,
            rows == 1 ? "a row" : fmt::format("{} rows", rows),
            column_.name,
            odd_.what,
            schema::first_characters(id, kShownCharacters)
        );
    }

    [[nodiscard]] std::string mend() const {
        return fmt::format(
            kMend,
            fmt::arg("table", table_.name),
            fmt::arg("column", column_.name),
            fmt::arg("value", filled(odd_.mended)),
            fmt::arg("condition", filled(odd_.condition)),
            fmt::arg("rest", odd_.mendable.empty() ? "" : " AND " + filled(odd_.mendable))
        );
    }

    const Table& table_;
    const Column& column_;
    const OddValues& odd_;
};

bool can_have(const Column& column, const Table& table, const OddValues& odd) {
    const bool is_key = column.name == table.primary_key;
    return column.kind == odd.kind && (is_key || column.kind != ColumnKind::id);
}

}  // namespace

void check_rows(Connection& connection, SchemaReport& report) {
    for (const Table& table : schema::tables()) {
        if (!schema::holds_jobs(table.name)) {
            continue;
        }
        for (const Column& column : table.columns) {
            for (const OddValues& odd : connection.dialect().tables.odd_values) {
                if (can_have(column, table, odd)) {
                    ColumnRows(table, column, odd).check(connection, report);
                }
            }
        }
    }
}

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
    return table.name != schema::kHistoryTable && table.name != "ACT_GE_PROPERTY";
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
                one_text(connection, target)
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
