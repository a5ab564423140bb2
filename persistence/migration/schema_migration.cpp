#include "persistence/migration/schema_migration.hpp"

#include "persistence/migration/ddl.hpp"
#include "persistence/migration/live_schema.hpp"
#include "persistence/migration/table_changes.hpp"
#include "persistence/sql/connection.hpp"
#include "persistence/sql/db_error.hpp"
#include "persistence/sql/dialect.hpp"
#include "schema/tables.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::persistence {

namespace {

using schema::kSchemaVersion;
using schema::kSchemaVersionProperty;

/// Where each change is final, a step that was interrupted has been done in part, or another server
/// of a cluster does it at the same time: what exists already is no error there.
void run_unless_done(Connection& connection, std::string_view statement) {
    // Defended catch: only an error tells that something exists already.
    try {
        connection.run_script(statement);
    } catch (const DbError& error) {
        const bool was_done = !connection.dialect().tables.is_transactional &&
                              error.kind() == DbErrorKind::duplicate_key;
        if (!was_done) {
            throw;
        }
    }
}

void add_columns(Connection& connection, const schema::Table& table, const LiveTable& live) {
    for (const schema::Column& column : table.columns) {
        if (!live.columns.contains(column.name)) {
            run_unless_done(connection, add_column(table, column, connection.dialect()));
        }
    }
}

/// One statement for all clauses, if there are any.
void alter_columns(
    Connection& connection,
    const schema::Table& table,
    const std::vector<std::string>& clauses
) {
    if (!clauses.empty()) {
        connection.run_script(fmt::format("ALTER TABLE {} {}", table.name, fmt::join(clauses, ", "))
        );
    }
}

bool lacks_default(const schema::Column& column, const LiveTable& live, const Dialect& dialect) {
    const auto found = live.columns.find(column.name);
    return found != live.columns.end() && !column_default(column, dialect).empty() &&
           !has_expected_default(column, found->second, dialect);
}

/// No row is written anew.
void set_defaults(Connection& connection, const schema::Table& table, const LiveTable& live) {
    const Dialect& dialect = connection.dialect();
    const std::string_view clause = dialect.tables.catalog.changes.set_default;
    std::vector<std::string> clauses;
    for (const schema::Column& column : table.columns) {
        if (!clause.empty() && lacks_default(column, live, dialect)) {
            clauses.push_back(column_change(clause, column, dialect));
        }
    }
    alter_columns(connection, table, clauses);
}

/// Gives tables of Flowable, or of an older version, the columns that they do not have, and the
/// defaults that an INSERT of ours, or of an app, goes by: REV_ above all, because one row without
/// a revision keeps an engine from acquiring any. What an engine writes names all its columns, so
/// that no default touches it. Throws DbError.
void complete_tables(Connection& connection, const LiveSchema& live) {
    for (const schema::Table& table : schema::tables()) {
        if (const auto found = live.find(table.name); found != live.end()) {
            add_columns(connection, table, found->second);
            set_defaults(connection, table, found->second);
        }
    }
}

bool is_narrow(const LiveTable& table, const schema::Column& column, std::string_view earlier) {
    const auto found = table.columns.find(column.name);
    return column.kind == schema::ColumnKind::app_id && found != table.columns.end() &&
           found->second.collation == earlier;
}

/// Lets the ids of apps hold any text where an earlier version has made their columns narrower.
/// Columns of others stay as they are: Flowable's have foreign keys, which allow no change of one
/// side, and `schema check` tells what they cannot hold. Rewrites the tables. Throws DbError.
void widen_app_ids(Connection& connection, const LiveSchema& live) {
    const Dialect& dialect = connection.dialect();
    const std::string_view set_type = dialect.tables.catalog.changes.set_type;
    if (dialect.tables.earlier_app_ids.empty()) {
        return;
    }
    for (const schema::Table& table : schema::tables()) {
        const auto found = live.find(table.name);
        if (found == live.end()) {
            continue;
        }
        std::vector<std::string> clauses;
        for (const schema::Column& column : table.columns) {
            if (is_narrow(found->second, column, dialect.tables.earlier_app_ids)) {
                clauses.push_back(column_change(set_type, column, dialect));
            }
        }
        alter_columns(connection, table, clauses);
    }
}

/// More than there are steps, at each of which another server may be faster.
constexpr int kTries = 20;

constexpr std::string_view kPropertyTable = "ACT_GE_PROPERTY";

DbError newer_schema(int version) {
    return DbError(
        DbErrorKind::other,
        fmt::format(
            "the database has schema version {}, newer than {} of this program: use a newer "
            "jobstrand",
            version,
            kSchemaVersion
        )
    );
}

int version_number(std::string_view text) {
    int version = 0;
    const char* const end = text.data() + text.size();
    const auto [last, error] = std::from_chars(text.data(), end, version);
    if (error != std::errc{} || last != end || version < 1) {
        throw DbError(
            DbErrorKind::other,
            fmt::format(
                "the property {} of {} is \"{}\", which is not a version",
                kSchemaVersionProperty,
                kPropertyTable,
                text
            )
        );
    }
    return version;
}

std::optional<int> version_in(Connection& connection, const LiveSchema& live) {
    const auto recorded =
        live.contains(kPropertyTable) ? recorded_version(connection) : std::nullopt;
    return recorded ? std::optional(version_number(*recorded)) : std::nullopt;
}

/// The first table under one of our names that lacks one of our columns; nullptr: there is none.
const schema::Table* others_table(const LiveSchema& live) {
    for (const schema::Table& table : schema::tables()) {
        const auto found = live.find(table.name);
        const bool is_others =
            found != live.end() &&
            !std::ranges::all_of(table.columns, [&found](const schema::Column& column) {
                return found->second.columns.contains(column.name);
            });
        if (is_others) {
            return &table;
        }
    }
    return nullptr;
}

/// Camunda has a table of this name too, without this column.
bool is_flowables(const LiveSchema& live) {
    const auto jobs = live.find("ACT_RU_JOB");
    return jobs != live.end() && jobs->second.columns.contains("SCOPE_TYPE_");
}

DbError no_schema(const LiveSchema& live) {
    const schema::Table* const others = others_table(live);
    std::string message = "the database has no tables of Jobstrand: run `jobstrand schema create`";
    if (others != nullptr && is_flowables(live)) {
        message =
            "the tables are Flowable's, without Jobstrand's columns, which do not disturb it: run "
            "`jobstrand schema upgrade`";
    } else if (others != nullptr) {
        message = fmt::format(
            "there is a table {} that is not Jobstrand's: name another database, or let `jobstrand "
            "schema upgrade` add what it lacks",
            others->name
        );
    }
    return DbError(DbErrorKind::schema_missing, message);
}

void record_version(Connection& connection, int version) {
    const std::string number = std::to_string(version);
    const Value parameters[] = {std::string_view(number), kSchemaVersionProperty};
    const auto updated = connection.execute(
        "UPDATE ACT_GE_PROPERTY SET VALUE_ = ?, REV_ = REV_ + 1 WHERE NAME_ = ?", parameters
    );
    if (updated == 0) {
        connection.execute(
            "INSERT INTO ACT_GE_PROPERTY (VALUE_, NAME_, REV_) VALUES (?, ?, 1)", parameters
        );
    }
}

void run_steps_after(Connection& connection, int version) {
    for (const Migration& step : migrations(connection.dialect())) {
        if (step.version <= version) {
            continue;
        }
        for (const std::string& statement : step.statements) {
            run_unless_done(connection, statement);
        }
        record_version(connection, step.version);
    }
}

/// Under the lock of the schema.
UpgradeResult upgrade_locked(Connection& connection, OthersTables others) {
    const LiveSchema live = read_live_schema(connection);
    const int version = version_in(connection, live).value_or(0);
    if (version > kSchemaVersion) {
        throw newer_schema(version);
    }
    // Where each change is final, tables without a version may be those of an interrupted upgrade;
    // they have all of our columns.
    if (version == 0 && others == OthersTables::refuse && others_table(live) != nullptr) {
        throw no_schema(live);
    }
    if (version < kSchemaVersion) {
        // First of all, because our indexes may need the columns.
        complete_tables(connection, live);
        widen_app_ids(connection, live);
    }
    run_steps_after(connection, version);
    return {.from = version, .to = kSchemaVersion};
}

}  // namespace

std::optional<int> schema_version(Connection& connection) {
    return version_in(connection, read_live_schema(connection));
}

std::optional<std::string> recorded_version(Connection& connection) {
    return one_row(
        connection,
        {.sql = "SELECT VALUE_ FROM ACT_GE_PROPERTY WHERE NAME_ = ?", .columns = 1},
        {kSchemaVersionProperty},
        [](const Row& row) { return std::string(row.text(0)); }
    );
}

bool has_others_tables(Connection& connection) {
    return others_table(read_live_schema(connection)) != nullptr;
}

UpgradeResult
upgrade_schema(Connection& connection, OthersTables others, const TablePatience& patience) {
    // On a Galera cluster nothing keeps the others from being at the same steps. Who loses one to
    // them begins again, and finds it done.
    for (int tries = 1;; ++tries) {
        try {
            return change_tables(connection, patience, [&] {
                return upgrade_locked(connection, others);
            });
        } catch (const DbError& error) {
            const bool lost_to_another =
                error.kind() == DbErrorKind::conflict || error.kind() == DbErrorKind::duplicate_key;
            if (!lost_to_another || tries == kTries) {
                throw with_upgrade_grant(connection, error);
            }
        }
    }
}

void require_current_schema(Connection& connection) {
    const LiveSchema live = read_live_schema(connection);
    const auto version = version_in(connection, live);
    if (!version) {
        throw no_schema(live);
    }
    if (*version < kSchemaVersion) {
        throw DbError(
            DbErrorKind::schema_missing,
            fmt::format(
                "the database has schema version {}, this program needs {}: run `jobstrand schema "
                "upgrade`",
                *version,
                kSchemaVersion
            )
        );
    }
    if (*version > kSchemaVersion) {
        throw newer_schema(*version);
    }
}

}  // namespace jobstrand::persistence
