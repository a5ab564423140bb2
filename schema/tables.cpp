#include "schema/tables.hpp"

#include "schema/job.hpp"
#include "schema/job_fields.hpp"
#include "schema/table_groups.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

namespace jobstrand::schema {
namespace {

constexpr std::array kOptionalIndexes{
    kPriorityIndex,
    kDueIndex,
    kPriorityDueIndex,
    kTenantIndex,
    kInstanceIndex};

std::vector<Table> all_tables() {
    std::vector<Table> all;
    for (auto* const group :
         {job_tables,
          series_tables,
          node_tables,
          group_tables,
          journal_tables,
          history_tables,
          definition_tables}) {
        std::ranges::move(group(), std::back_inserter(all));
    }
    return all;
}

}  // namespace

std::span<const OptionalIndex> optional_indexes() {
    return kOptionalIndexes;
}

std::span<const Table> tables() {
    static const std::vector<Table> all = all_tables();
    return all;
}

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
        kHistoryTable,
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

namespace {

constexpr Index kSeriesOfGroup{
    "JS_IDX_SERIES_GROUP",
    "GROUP_",
    "the series of a group that is being paused, resumed or listed",
};

Table suspension_table() {
    return {
        "JS_SUSPENSION",
        {
            {"SCOPE_", ColumnKind::name, "", true},
            kAppId,
            {"SINCE_", ColumnKind::timestamp, "now", true},
        },
        "SCOPE_, ID_",
        {}};
}

Table series_table() {
    return {
        "JS_SERIES",
        {
            kId,
            {"REV_", ColumnKind::integer, "1", true},
            {"GROUP_", ColumnKind::id, "'DEFAULT'", true},
            {"DESCRIPTION_", ColumnKind::name},
            {"HANDLER_TYPE_", ColumnKind::name},
            {"REPEAT_", ColumnKind::name},
            {"ZONE_", ColumnKind::name, "'UTC'", true},
            {"DST_RULE_", ColumnKind::name, "'quartz'", true},
            {"CALENDAR_", ColumnKind::id},
            {"MISFIRE_", ColumnKind::name},
            {"MISFIRE_THRESHOLD_", ColumnKind::big_integer},
            {"START_", ColumnKind::timestamp},
            {"END_", ColumnKind::timestamp},
            {"OVERLAP_", ColumnKind::boolean, "true", true},
            {"KEEP_DATA_", ColumnKind::boolean, "false", true},
            {"RECOVERY_", ColumnKind::boolean, "true", true},
            {"STOP_ON_DEAD_LETTER_", ColumnKind::boolean, "false", true},
            {"RETRIES_", ColumnKind::integer, "3", true},
            {"TOTAL_TURNS_", ColumnKind::big_integer},
            {"TURNS_TAKEN_", ColumnKind::big_integer, "0", true},
            {"FIRE_COUNT_", ColumnKind::big_integer, "0", true},
            {"PREVIOUS_FIRE_", ColumnKind::timestamp},
            {"NEXT_FIRE_", ColumnKind::timestamp},
            {"STATE_", ColumnKind::name, "'waiting'", true},
            {"TURN_ID_", ColumnKind::id},
            {"CREATE_TIME_", ColumnKind::timestamp},
            {"PRIORITY_", ColumnKind::big_integer, "0", true},
            {"RETRY_CYCLE_", ColumnKind::name},
            {"ROOT_PROC_INST_ID_", ColumnKind::app_id},
        },
        "ID_",
        {kSeriesOfGroup}};
}

Table calendar_table() {
    return {
        "JS_CALENDAR",
        {
            kId,
            {"REV_", ColumnKind::integer, "1", true},
            {"TEXT_", ColumnKind::message},
        },
        "ID_",
        {}};
}

}  // namespace

std::vector<Table> series_tables() {
    return {suspension_table(), series_table(), calendar_table()};
}

namespace {

// Who may run exclusive jobs of an instance.
Table exclusive_table() {
    return {
        "JS_EXCLUSIVE",
        {
            kAppId,
            {"REV_", ColumnKind::integer, "1", true},
            {"LOCK_OWNER_", ColumnKind::name, "''", true},
            {"LOCK_EXP_TIME_", ColumnKind::timestamp, "now", true},
            {"BEGAN_", ColumnKind::timestamp, "now", true},
            {"CLAIMED_", ColumnKind::big_integer, "0", true},
        },
        "ID_",
        {}};
}

// Jobs that wait for the holder of their group.
Table waiting_table() {
    return {
        "JS_WAITING",
        {
            {"GROUP_", ColumnKind::app_id, "", true},
            kId,
            {"REV_", ColumnKind::integer, "1", true},
        },
        "GROUP_, ID_",
        {}};
}

// Who has which unique key. A table of its own, so that jobs without a key pay nothing, and the key
// is checked where no claim writes.
Table unique_table() {
    return {
        "JS_UNIQUE",
        {
            {"KEY_", ColumnKind::name, "", true},
            {"REV_", ColumnKind::integer, "1", true},
            {"JOB_ID_", ColumnKind::id, "''", true},
            {"UNTIL_", ColumnKind::timestamp},
        },
        "KEY_",
        {}};
}

// How many jobs may run at the same time, and how often they may start.
Table limit_table() {
    return {
        "JS_LIMIT",
        {
            {"GROUP_", ColumnKind::app_id, "", true},
            {"REV_", ColumnKind::integer, "1", true},
            {"KIND_", ColumnKind::id, "'type'", true},
            {"VALUE_", ColumnKind::name, "'*'", true},
            {"CONCURRENT_", ColumnKind::integer},
            {"PER_NODE_", ColumnKind::integer},
            {"STARTS_", ColumnKind::integer},
            {"PERIOD_MS_", ColumnKind::integer},
        },
        "GROUP_",
        {}};
}

// Groups of which jobs run that a limit meets: who decides about one locks its row. Up to when its
// starts have used its rate up stands there in microseconds since 1970.
Table limited_table() {
    return {
        "JS_LIMITED",
        {
            {"GROUP_", ColumnKind::app_id, "", true},
            {"REV_", ColumnKind::integer, "1", true},
            {"USED_UNTIL_", ColumnKind::big_integer},
        },
        "GROUP_",
        {}};
}

// One row for each job that has started in a group, of meaning while its owner holds the job.
Table slot_table() {
    return {
        "JS_SLOT",
        {
            {"GROUP_", ColumnKind::app_id, "", true},
            kId,
            {"REV_", ColumnKind::integer, "1", true},
            {"OWNER_", ColumnKind::name, "''", true},
        },
        "GROUP_, ID_",
        {}};
}

// Jobs that wait until a limit has room for them.
Table limit_waiting_table() {
    return {
        "JS_LIMIT_WAITING",
        {
            {"GROUP_", ColumnKind::app_id, "", true},
            kId,
            {"REV_", ColumnKind::integer, "1", true},
        },
        "GROUP_, ID_",
        {}};
}

constexpr Index kLocksThatAreOver{
    "JS_IDX_LOCK_END",
    "LOCK_EXP_TIME_",
    "locks of an app that ended long ago, to forget them",
};

// Locks of an app's own, by their names.
Table named_lock_table() {
    return {
        "JS_LOCK",
        {
            {"NAME_", ColumnKind::app_id, "", true},
            {"REV_", ColumnKind::integer, "1", true},
            {"OWNER_", ColumnKind::name, "''", true},
            {"SINCE_", ColumnKind::timestamp, "now", true},
            {"LOCK_EXP_TIME_", ColumnKind::timestamp, "now", true},
            {"TOKEN_", ColumnKind::big_integer, "0", true},
        },
        "NAME_",
        {kLocksThatAreOver}};
}

}  // namespace

std::vector<Table> group_tables() {
    return {
        exclusive_table(),
        waiting_table(),
        unique_table(),
        limit_table(),
        limited_table(),
        slot_table(),
        limit_waiting_table(),
        named_lock_table(),
    };
}

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
