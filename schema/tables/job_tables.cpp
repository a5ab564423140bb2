#include "schema/job_fields.hpp"
#include "schema/job_place.hpp"
#include "schema/tables/table_groups.hpp"

#include <utility>

namespace jobstrand::schema {
namespace {

constexpr Index kDueTimers{
    "JS_IDX_TIMER_DUE",
    "DUEDATE_",
    "the timers that are due, earliest first",
};

constexpr Index kTimersOfInstance{
    "JS_IDX_TIMER_INSTANCE",
    "PROCESS_INSTANCE_ID_",
    "the timers of an instance that is being suspended",
};

constexpr Index kSuspendedOfInstance{
    "JS_IDX_SUSPENDED_INSTANCE",
    "PROCESS_INSTANCE_ID_",
    "the jobs of an instance that is being activated",
};

constexpr Index kNewestDead{
    "JS_IDX_DEAD_FAILED",
    "FAILED_TIME_",
    "the dead letters of a time, the latest first",
};

Table job_table(JobPlace place, std::vector<Index> indexes = {}) {
    std::vector<Column> columns;
    for (const JobField& field : job_fields()) {
        if (field.is_in(place)) {
            columns.push_back(field.column);
        }
    }
    return {table_of(place), std::move(columns), "ID_", std::move(indexes)};
}

Table history_table() {
    return {
        table_of(JobPlace::history),
        {
            kId,
            {"REV_", ColumnKind::integer, "1"},
            {"LOCK_EXP_TIME_", ColumnKind::timestamp},
            {"LOCK_OWNER_", ColumnKind::name},
            {"RETRIES_", ColumnKind::integer},
            {"EXCEPTION_STACK_ID_", ColumnKind::id},
            {"EXCEPTION_MSG_", ColumnKind::message},
            {"HANDLER_TYPE_", ColumnKind::name},
            {"HANDLER_CFG_", ColumnKind::message},
            {"CUSTOM_VALUES_ID_", ColumnKind::id},
            {"ADV_HANDLER_CFG_ID_", ColumnKind::id},
            {"CREATE_TIME_", ColumnKind::timestamp, "now"},
            {"SCOPE_TYPE_", ColumnKind::name},
            {"TENANT_ID_", ColumnKind::name, "''"},
        },
        "ID_",
        {}};
}

Table byte_array_table() {
    return {
        "ACT_GE_BYTEARRAY",
        {
            kId,
            {"REV_", ColumnKind::integer, "1"},
            {"NAME_", ColumnKind::name},
            {"DEPLOYMENT_ID_", ColumnKind::id},
            {"BYTES_", ColumnKind::bytes},
            {"GENERATED_", ColumnKind::boolean},
        },
        "ID_",
        {}};
}

Table property_table() {
    return {
        "ACT_GE_PROPERTY",
        {
            {"NAME_", ColumnKind::id, "", true},
            {"VALUE_", ColumnKind::value},
            {"REV_", ColumnKind::integer, "1"},
        },
        "NAME_",
        {}};
}

}  // namespace

std::vector<Table> job_tables() {
    return {
        // No index but the key: acquisition claims in key order, and every claim and delete would
        // have to write the others too. See also optional_indexes().
        job_table(JobPlace::executable),
        job_table(JobPlace::timer, {kDueTimers, kTimersOfInstance}),
        job_table(JobPlace::suspended, {kSuspendedOfInstance}),
        job_table(JobPlace::dead_letter, {kNewestDead}),
        job_table(JobPlace::external_worker),
        history_table(),
        byte_array_table(),
        property_table(),
    };
}

}  // namespace jobstrand::schema
