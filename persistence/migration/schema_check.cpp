#include "persistence/migration/schema_check.hpp"

#include "persistence/migration/live_schema.hpp"
#include "persistence/migration/schema_migration.hpp"
#include "persistence/migration/table_check.hpp"

#include <fmt/format.h>

namespace jobstrand::persistence {

namespace {

constexpr std::string_view kVersionTable = "ACT_GE_PROPERTY";

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

}  // namespace

SchemaReport check_schema(Connection& connection) {
    const LiveSchema live = read_live_schema(connection);
    SchemaReport report;
    for (const schema::Table& table : schema::tables()) {
        TableCheck check(table, connection.dialect(), report);
        const auto found = live.find(table.name);
        if (found == live.end()) {
            check.missing();
        } else {
            check.compare(found->second);
        }
    }
    if (live.contains(kVersionTable)) {
        compare_version(recorded_version(connection), report);
    }
    return report;
}

}  // namespace jobstrand::persistence
