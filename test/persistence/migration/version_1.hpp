#pragma once

#include "persistence/sql/connection.hpp"
#include "persistence/sql/dialect.hpp"
#include "schema/job_place.hpp"

#include <fmt/format.h>

#include <string>

namespace jobstrand::test {

/// Takes away what the versions since have brought.
inline void make_version_1(persistence::Connection& connection) {
    for (const schema::JobPlace place : schema::kJobPlaces) {
        const std::string table(schema::table_of(place));
        connection.run_script("ALTER TABLE " + table + " DROP COLUMN SERIES_");
    }
    connection.run_script("ALTER TABLE ACT_RU_JOB DROP COLUMN NEEDS_");
    connection.run_script("ALTER TABLE ACT_RU_JOB DROP COLUMN LOST_STARTS_");
    connection.run_script(fmt::format(
        fmt::runtime(connection.dialect().tables.drop_index),
        "JS_IDX_DEAD_FAILED",
        "ACT_RU_DEADLETTER_JOB"
    ));
    connection.run_script("ALTER TABLE ACT_RU_DEADLETTER_JOB DROP COLUMN FAILED_TIME_");
    connection.run_script("DROP TABLE JS_SERVED");
    connection.run_script("DROP TABLE JS_EXCLUSIVE");
    connection.run_script("DROP TABLE JS_WAITING");
    connection.run_script("DROP TABLE JS_SERIES");
    connection.run_script("DROP TABLE JS_CALENDAR");
    connection.run_script(
        "UPDATE ACT_GE_PROPERTY SET VALUE_ = '1' WHERE NAME_ = 'jobstrand.schema.version'"
    );
}

}  // namespace jobstrand::test
