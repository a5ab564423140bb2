#include "persistence/migration/schema_check.hpp"

#include "persistence/migration/check_columns.hpp"
#include "persistence/migration/check_indexes.hpp"
#include "persistence/migration/check_mixture.hpp"
#include "persistence/migration/ddl.hpp"
#include "persistence/migration/lasting_times.hpp"
#include "persistence/migration/live_schema.hpp"
#include "persistence/migration/schema_migration.hpp"
#include "persistence/migration/table_report.hpp"
#include "persistence/sql/dialect.hpp"
#include "schema/job_place.hpp"
#include "schema/text/iso8601.hpp"

#include <fmt/format.h>

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
