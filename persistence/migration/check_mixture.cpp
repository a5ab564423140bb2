#include "persistence/migration/check_mixture.hpp"

#include <string>
#include <string_view>

namespace jobstrand::persistence {

namespace {

constexpr std::string_view kEngineProperties = "ACT_GE_PROPERTY";

constexpr std::string_view kEngineVersion = R"sql(
    SELECT 1
    FROM ACT_GE_PROPERTY
    WHERE NAME_ IN ('common.schema.version', 'schema.version'))sql";

bool has_engine_version(Connection& connection, const LiveSchema& live) {
    bool has_version = false;
    if (live.contains(kEngineProperties)) {
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

}  // namespace

void check_mixture(Connection& connection, const LiveSchema& live, SchemaReport& report) {
    const bool has_version = has_engine_version(connection, live);
    const bool has_tables = has_engine_tables(live);
    if (has_version == has_tables || (!has_version && !live.contains("ACT_RU_EXECUTION"))) {
        return;
    }
    report.differences.push_back(
        {std::string(kEngineProperties),
         has_version ? "a Flowable engine has begun to make its tables where Jobstrand's were "
                       "already, and cannot end that: give it an empty database, let it make its "
                       "tables there first, and then run `jobstrand schema upgrade` on them"
                     : "there are tables of a Flowable engine, and no version of them: its set-up "
                       "has not come to its end, or they are not Flowable's",
         {}}
    );
}

}  // namespace jobstrand::persistence
