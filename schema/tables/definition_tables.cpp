#include "schema/tables/table_groups.hpp"

namespace jobstrand::schema {
namespace {

// What is known of the jobs of a definition, an element or a type. The name of the table and the
// columns up to JOB_PRIORITY_, which is the override, are Camunda's.
Table job_definition_table() {
    return {
        "ACT_RU_JOBDEF",
        {
            kAppId,
            {"REV_", ColumnKind::integer, "1", true},
            {"PROC_DEF_ID_", ColumnKind::app_id, "''", true},
            {"ACT_ID_", ColumnKind::name, "''", true},
            {"JOB_TYPE_", ColumnKind::name, "''", true},
            {"JOB_PRIORITY_", ColumnKind::big_integer},
            {"PRIORITY_", ColumnKind::value},
            {"RETRY_CYCLE_", ColumnKind::value},
            {"EXCLUSIVE_", ColumnKind::boolean},
            {"CATEGORY_", ColumnKind::value},
        },
        "ID_",
        {}};
}

}  // namespace

std::vector<Table> definition_tables() {
    return {job_definition_table()};
}

}  // namespace jobstrand::schema
