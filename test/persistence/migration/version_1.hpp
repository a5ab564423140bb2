#pragma once

#include "persistence/sql/connection.hpp"
#include "persistence/sql/dialect.hpp"
#include "schema/job.hpp"

#include <fmt/format.h>

#include <string>

namespace jobstrand::test {

/// On MySQL and MariaDB the ids of apps were ASCII.
inline void make_app_ids_narrow(persistence::Connection& connection) {
    const std::string_view earlier = connection.dialect().tables.earlier_app_ids;
    const std::string type = fmt::format("varchar(64) CHARACTER SET ascii COLLATE {}", earlier);
    if (earlier.empty()) {
        return;
    }
    for (const schema::JobPlace place : schema::kJobPlaces) {
        for (const std::string_view column :
             {"EXECUTION_ID_", "PROCESS_INSTANCE_ID_", "PROC_DEF_ID_", "ROOT_PROC_INST_ID_"}) {
            connection.run_script(fmt::format(
                "ALTER TABLE {} MODIFY COLUMN {} {}", schema::table_of(place), column, type
            ));
        }
    }
    connection.run_script("ALTER TABLE JS_SUSPENSION MODIFY COLUMN ID_ " + type + " NOT NULL");
}

/// Takes away what the versions since have brought.
inline void make_version_1(persistence::Connection& connection) {
    for (const schema::JobPlace place : schema::kJobPlaces) {
        const std::string table(schema::table_of(place));
        connection.run_script("ALTER TABLE " + table + " DROP COLUMN SERIES_");
        connection.run_script("ALTER TABLE " + table + " DROP COLUMN UNIQUE_KEY_");
    }
    make_app_ids_narrow(connection);
    connection.run_script("ALTER TABLE ACT_RU_JOB DROP COLUMN NEEDS_");
    connection.run_script("ALTER TABLE ACT_RU_JOB DROP COLUMN LOST_STARTS_");
    connection.run_script(fmt::format(
        fmt::runtime(connection.dialect().tables.drop_index),
        "JS_IDX_DEAD_FAILED",
        "ACT_RU_DEADLETTER_JOB"
    ));
    connection.run_script("ALTER TABLE ACT_RU_DEADLETTER_JOB DROP COLUMN FAILED_TIME_");
    connection.run_script("DROP TABLE JS_NODE");
    connection.run_script("DROP TABLE JS_CLAIM");
    connection.run_script("DROP TABLE JS_SERVED");
    connection.run_script("DROP TABLE JS_SCOPE");
    connection.run_script("DROP TABLE JS_RUN");
    connection.run_script("DROP TABLE JS_RATE");
    connection.run_script("DROP TABLE JS_ASKED");
    connection.run_script("DROP TABLE JS_THROUGHPUT");
    connection.run_script("DROP TABLE JS_RUN_NEWS");
    connection.run_script("DROP TABLE JS_ENDED_RUN");
    connection.run_script("DROP TABLE JS_EXCLUSIVE");
    connection.run_script("DROP TABLE JS_WAITING");
    connection.run_script("DROP TABLE JS_UNIQUE");
    for (const std::string table : {"JS_LIMIT", "JS_LIMITED", "JS_SLOT", "JS_LIMIT_WAITING"}) {
        connection.run_script("DROP TABLE " + table);
    }
    connection.run_script("DROP TABLE ACT_RU_JOBDEF");
    connection.run_script("DROP TABLE JS_SERIES");
    connection.run_script("DROP TABLE JS_CALENDAR");
    connection.run_script(
        "UPDATE ACT_GE_PROPERTY SET VALUE_ = '1' WHERE NAME_ = 'jobstrand.schema.version'"
    );
}

}  // namespace jobstrand::test
