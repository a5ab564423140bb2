#include "persistence/migration/schema_check.hpp"

#include "persistence/migration/check_tables.hpp"
#include "persistence/migration/ddl.hpp"
#include "persistence/migration/lasting_times.hpp"
#include "persistence/migration/live_schema.hpp"
#include "persistence/migration/schema_migration.hpp"
#include "persistence/sql/connection.hpp"
#include "persistence/sql/dialect.hpp"
#include "schema/job_place.hpp"
#include "schema/text/iso8601.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>

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
    bool has_version = false;
    if (live.contains(kVersionTable)) {
        connection.query({.sql = kEngineVersion, .columns = 1}, {}, [&](const Row&) {
            has_version = true;
        });
    }
    return has_version;
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

}  // namespace jobstrand::persistence
