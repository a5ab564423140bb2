#include "schema/tables.hpp"

#include "schema/job.hpp"
#include "schema/job_fields.hpp"

#include <array>
#include <utility>

namespace jobstrand::schema {
namespace {

constexpr std::array kOptionalIndexes{
    kPriorityIndex,
    kDueIndex,
    kPriorityDueIndex,
    kTenantIndex,
    kInstanceIndex};

constexpr Column kId{"ID_", ColumnKind::id, "", true};
constexpr Column kAppId{"ID_", ColumnKind::app_id, "", true};

Table job_table(JobPlace place, std::vector<Index> indexes = {}) {
    std::vector<Column> columns;
    for (const JobField& field : job_fields()) {
        if (field.is_in(place)) {
            columns.push_back(field.column);
        }
    }
    return {table_of(place), std::move(columns), "ID_", std::move(indexes)};
}

std::vector<Column> incident_columns() {
    return {
        {"ID_", ColumnKind::id, "''", true},
        {"REV_", ColumnKind::integer, "1"},
        {"INCIDENT_TIMESTAMP_", ColumnKind::timestamp, "now", true},
        {"INCIDENT_MSG_", ColumnKind::message},
        {"INCIDENT_TYPE_", ColumnKind::name, "'failedJob'", true},
        {"EXECUTION_ID_", ColumnKind::app_id},
        {"ACTIVITY_ID_", ColumnKind::name},
        {"PROC_INST_ID_", ColumnKind::app_id},
        {"PROC_DEF_ID_", ColumnKind::app_id},
        {"CONFIGURATION_", ColumnKind::id, "''", true},
        {"TENANT_ID_", ColumnKind::name},
        {"JOB_DEF_ID_", ColumnKind::id},
        {"ANNOTATION_", ColumnKind::message},
        {"REASON_", ColumnKind::name},
        {"HANDLER_TYPE_", ColumnKind::name},
        {"HOSTNAME_", ColumnKind::name},
        {"ROOT_PROC_INST_ID_", ColumnKind::app_id},
        {"CALLING_INSTANCES_", ColumnKind::names},
    };
}

std::vector<Column> resolved_incident_columns() {
    std::vector<Column> columns = incident_columns();
    columns.push_back({"END_TIME_", ColumnKind::timestamp});
    columns.push_back({"INCIDENT_STATE_", ColumnKind::integer, "1", true});
    columns.push_back({"RESOLUTION_", ColumnKind::name});
    return columns;
}

std::vector<Table> all_tables() {
    return {
        // Flowable's: the places of jobs, and what belongs to them. The executable ones have no
        // index but the key: acquisition claims in key order, and every claim and delete would have
        // to write the others too. See also optional_indexes().
        job_table(JobPlace::executable),
        job_table(
            JobPlace::timer,
            {{"JS_IDX_TIMER_DUE", "DUEDATE_", "the timers that are due, earliest first"},
             {"JS_IDX_TIMER_INSTANCE",
              "PROCESS_INSTANCE_ID_",
              "the timers of an instance that is being suspended"}}
        ),
        job_table(
            JobPlace::suspended,
            {{"JS_IDX_SUSPENDED_INSTANCE",
              "PROCESS_INSTANCE_ID_",
              "the jobs of an instance that is being activated"}}
        ),
        job_table(
            JobPlace::dead_letter,
            {{"JS_IDX_DEAD_FAILED", "FAILED_TIME_", "the dead letters of a time, the latest first"}}
        ),
        job_table(JobPlace::external_worker),
        {
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
        },
        {
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
        },
        {
            "ACT_GE_PROPERTY",
            {
                {"NAME_", ColumnKind::id, "", true},
                {"VALUE_", ColumnKind::value},
                {"REV_", ColumnKind::integer, "1"},
            },
            "NAME_",
        },

        // What is suspended, series, calendars.
        {
            "JS_SUSPENSION",
            {
                {"SCOPE_", ColumnKind::name, "", true},
                kAppId,
                {"SINCE_", ColumnKind::timestamp, "now", true},
            },
            "SCOPE_, ID_",
        },
        {
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
            {{"JS_IDX_SERIES_GROUP",
              "GROUP_",
              "the series of a group that is being paused, resumed or listed"}},
        },
        {
            "JS_CALENDAR",
            {
                kId,
                {"REV_", ColumnKind::integer, "1", true},
                {"TEXT_", ColumnKind::message},
            },
            "ID_",
        },

        // Nodes, what they hold by page, and what they serve and do.
        {
            "JS_NODE",
            {
                {"NODE_", ColumnKind::name, "", true},
                {"INCARNATION_", ColumnKind::name, "''", true},
                {"HOST_", ColumnKind::name, "''", true},
                {"PROCESS_", ColumnKind::big_integer, "0", true},
                {"VERSION_", ColumnKind::name, "''", true},
                {"STATE_", ColumnKind::name, "'running'", true},
                {"WORKERS_", ColumnKind::integer, "0", true},
                {"RUNNING_", ColumnKind::integer, "0", true},
                {"HELD_", ColumnKind::integer, "0", true},
                {"STARTED_", ColumnKind::timestamp, "now", true},
                {"LEASE_EXP_TIME_", ColumnKind::timestamp, "now", true},
                {"LOCKS_", ColumnKind::name, "'row'", true},
                {"STANDSTILL_", ColumnKind::name, "''", true},
            },
            "NODE_",
        },
        // Pages of jobs that a node holds: BYTES_ names them, from the first id to the last one,
        // and LEFT_
        // is how many have not ended. The row 0 is the gate.
        {
            "JS_CLAIM",
            {
                {"ID_", ColumnKind::big_integer, "", true},
                {"OWNER_", ColumnKind::name, "''", true},
                {"LOCK_EXP_TIME_", ColumnKind::timestamp, "now", true},
                {"FIRST_", ColumnKind::id, "''", true},
                {"LAST_", ColumnKind::id, "''", true},
                {"LEFT_", ColumnKind::integer, "0", true},
                {"BYTES_", ColumnKind::bytes},
            },
            "ID_",
        },
        // One row for each kind of job that a node serves.
        {
            "JS_SERVED",
            {
                {"NODE_", ColumnKind::name, "", true},
                {"HANDLER_TYPE_", ColumnKind::name, "", true},
                {"NEEDS_", ColumnKind::name, "''", true},
            },
            "NODE_, HANDLER_TYPE_, NEEDS_",
        },
        // What a node is particular about: one row for each value that it takes of a field.
        {
            "JS_SCOPE",
            {
                {"NODE_", ColumnKind::name, "", true},
                {"FIELD_", ColumnKind::id, "", true},
                {"VALUE_", ColumnKind::name, "''", true},
            },
            "NODE_, FIELD_, VALUE_",
        },
        // Jobs that a node has been running for longer than a moment, and since when.
        {
            "JS_RUN",
            {
                {"NODE_", ColumnKind::name, "", true},
                kAppId,
                {"REV_", ColumnKind::integer, "1", true},
                {"SINCE_", ColumnKind::timestamp, "now", true},
            },
            "NODE_, ID_",
        },
        // How many runs of a handler type have ended on a node in the last SPAN_ milliseconds, a
        // minute
        // where the node is older than that, and how many of them have failed.
        {
            "JS_RATE",
            {
                {"NODE_", ColumnKind::name, "", true},
                {"HANDLER_TYPE_", ColumnKind::name, "", true},
                {"RUNS_", ColumnKind::big_integer, "0", true},
                {"FAILED_", ColumnKind::big_integer, "0", true},
                {"SPAN_", ColumnKind::big_integer, "60000", true},
            },
            "NODE_, HANDLER_TYPE_",
        },
        // Which external workers have asked a node for jobs of which type lately, and when last.
        {
            "JS_ASKED",
            {
                {"NODE_", ColumnKind::name, "", true},
                {"HANDLER_TYPE_", ColumnKind::name, "", true},
                {"WORKER_", ColumnKind::name, "", true},
                {"LAST_", ColumnKind::timestamp, "now", true},
            },
            "NODE_, HANDLER_TYPE_, WORKER_",
        },
        // What ended on a node in a span of so many seconds, which begins at AT_.
        {
            "JS_THROUGHPUT",
            {
                {"SECONDS_", ColumnKind::integer, "", true},
                {"AT_", ColumnKind::timestamp, "now", true},
                {"NODE_", ColumnKind::name, "", true},
                {"DATA_", ColumnKind::bytes},
            },
            "SECONDS_, AT_, NODE_",
        },
        // What runs that are under way have told of themselves: PROGRESS_ in millionths.
        {
            "JS_RUN_NEWS",
            {
                kAppId,
                {"REV_", ColumnKind::integer, "1", true},
                {"OWNER_", ColumnKind::name, "''", true},
                {"HANDLER_TYPE_", ColumnKind::name, "''", true},
                {"TENANT_ID_", ColumnKind::name},
                {"TOLD_", ColumnKind::timestamp, "now", true},
                {"PROGRESS_", ColumnKind::integer},
                {"NOTE_", ColumnKind::name},
                {"LINES_", ColumnKind::bytes},
            },
            "ID_",
        },

        // Jobs that regard each other: exclusive ones, unique keys, limits.

        // Who may run exclusive jobs of an instance.
        {
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
        },
        // Jobs that wait for the holder of their group.
        {
            "JS_WAITING",
            {
                {"GROUP_", ColumnKind::app_id, "", true},
                kId,
                {"REV_", ColumnKind::integer, "1", true},
            },
            "GROUP_, ID_",
        },
        // Who has which unique key. A table of its own, so that jobs without a key pay nothing, and
        // the key
        // is checked where no claim writes.
        {
            "JS_UNIQUE",
            {
                {"KEY_", ColumnKind::name, "", true},
                {"REV_", ColumnKind::integer, "1", true},
                {"JOB_ID_", ColumnKind::id, "''", true},
                {"UNTIL_", ColumnKind::timestamp},
            },
            "KEY_",
        },
        // How many jobs may run at the same time, and how often they may start.
        {
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
        },
        // Groups of which jobs run that a limit meets: who decides about one locks its row. Up to
        // when its
        // starts have used its rate up stands there in microseconds since 1970.
        {
            "JS_LIMITED",
            {
                {"GROUP_", ColumnKind::app_id, "", true},
                {"REV_", ColumnKind::integer, "1", true},
                {"USED_UNTIL_", ColumnKind::big_integer},
            },
            "GROUP_",
        },
        // One row for each job that has started in a group, of meaning while its owner holds the
        // job.
        {
            "JS_SLOT",
            {
                {"GROUP_", ColumnKind::app_id, "", true},
                kId,
                {"REV_", ColumnKind::integer, "1", true},
                {"OWNER_", ColumnKind::name, "''", true},
            },
            "GROUP_, ID_",
        },
        // Jobs that wait until a limit has room for them.
        {
            "JS_LIMIT_WAITING",
            {
                {"GROUP_", ColumnKind::app_id, "", true},
                kId,
                {"REV_", ColumnKind::integer, "1", true},
            },
            "GROUP_, ID_",
        },
        // Locks of an app's own, by their names.
        {
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
            {{"JS_IDX_LOCK_END",
              "LOCK_EXP_TIME_",
              "locks of an app that ended long ago, to forget them"}},
        },

        // What people have changed, requests that are carried out once, and bulk operations.

        // What people have changed. A row without a result is of an action that is under way, or
        // whose
        // process died before it ended.
        {
            "JS_AUDIT",
            {
                kId,
                {"REV_", ColumnKind::integer, "1", true},
                {"TIME_", ColumnKind::timestamp, "now", true},
                {"WHO_", ColumnKind::name, "''", true},
                {"VIA_", ColumnKind::id, "''", true},
                {"ACTION_", ColumnKind::name, "''", true},
                {"ARGUMENTS_", ColumnKind::message},
                {"REASON_", ColumnKind::message},
                {"RESULT_", ColumnKind::name},
                {"CHANGED_", ColumnKind::big_integer},
            },
            "ID_",
        },
        // Requests that may come again, under the keys that their senders gave them, and what they
        // were
        // answered.
        {
            "JS_REQUEST",
            {
                {"KEY_", ColumnKind::name, "", true},
                {"REV_", ColumnKind::integer, "1", true},
                {"DIGEST_", ColumnKind::id, "''", true},
                {"STATUS_", ColumnKind::integer, "0", true},
                {"BYTES_", ColumnKind::bytes},
                {"UNTIL_", ColumnKind::timestamp, "now", true},
            },
            "KEY_",
            {{"JS_IDX_REQUEST_UNTIL",
              "UNTIL_",
              "the requests that need not be remembered any longer"}},
        },
        // Bulk operations, and how far each has come: CURSOR_ moves in the transaction that changes
        // the
        // jobs.
        {
            "JS_BATCH",
            {
                kId,
                {"REV_", ColumnKind::integer, "1", true},
                {"OPERATION_", ColumnKind::id, "''", true},
                {"PLACE_", ColumnKind::id, "''", true},
                {"STATE_", ColumnKind::id, "''", true},
                {"CREATE_TIME_", ColumnKind::timestamp, "now", true},
                {"END_TIME_", ColumnKind::timestamp},
                {"SELECTION_", ColumnKind::message},
                {"CAUSE_", ColumnKind::id},
                {"RETRIES_", ColumnKind::integer},
                {"PRIORITY_", ColumnKind::big_integer},
                {"DUEDATE_", ColumnKind::timestamp},
                {"SPREAD_", ColumnKind::big_integer, "0", true},
                {"RATE_", ColumnKind::big_integer, "0", true},
                {"WHO_", ColumnKind::name},
                {"REASON_", ColumnKind::message},
                {"UNTIL_ID_", ColumnKind::app_id},
                {"UNTIL_TIME_", ColumnKind::timestamp},
                {"CURSOR_", ColumnKind::app_id},
                {"TOTAL_", ColumnKind::big_integer, "0", true},
                {"DONE_", ColumnKind::big_integer, "0", true},
                {"SKIPPED_", ColumnKind::big_integer, "0", true},
                {"REFUSED_", ColumnKind::big_integer, "0", true},
            },
            "ID_",
        },

        // The past of jobs: the log, the last runs, and incidents.

        // What happened to jobs, one line each; the first columns are Camunda's. Ids ascend with
        // the time,
        // so that lines are added at one end of the table and removed at the other.
        {
            "ACT_HI_JOB_LOG",
            {
                kId,
                {"REV_", ColumnKind::integer, "1"},
                {"TIMESTAMP_", ColumnKind::timestamp, "now", true},
                {"JOB_ID_", ColumnKind::id, "''", true},
                {"JOB_DUEDATE_", ColumnKind::timestamp},
                {"JOB_RETRIES_", ColumnKind::integer},
                {"JOB_PRIORITY_", ColumnKind::big_integer, "0", true},
                {"JOB_EXCEPTION_MSG_", ColumnKind::message},
                {"JOB_STATE_", ColumnKind::integer, "0", true},
                {"JOB_DEF_ID_", ColumnKind::id},
                {"JOB_DEF_TYPE_", ColumnKind::name},
                {"ACT_ID_", ColumnKind::name},
                {"EXECUTION_ID_", ColumnKind::app_id},
                {"ROOT_PROC_INST_ID_", ColumnKind::app_id},
                {"PROCESS_INSTANCE_ID_", ColumnKind::app_id},
                {"PROCESS_DEF_ID_", ColumnKind::app_id},
                {"TENANT_ID_", ColumnKind::name},
                {"HOSTNAME_", ColumnKind::name},
                {"REASON_", ColumnKind::name},
                {"ATTEMPT_", ColumnKind::integer},
                {"DURATION_", ColumnKind::big_integer},
                {"BYTES_", ColumnKind::bytes},
            },
            "ID_",
            {{"JS_IDX_JOB_LOG_JOB", "JOB_ID_, ID_", "what happened to a job, the latest first"}},
        },
        // A run that ended, of the last ones of its handler type. Ids ascend with the time.
        {
            "JS_ENDED_RUN",
            {
                kId,
                {"ENDED_", ColumnKind::timestamp, "now", true},
                {"JOB_ID_", ColumnKind::app_id, "''", true},
                {"HANDLER_TYPE_", ColumnKind::name, "''", true},
                {"TENANT_ID_", ColumnKind::name},
                {"PROC_INST_ID_", ColumnKind::app_id},
                {"NODE_", ColumnKind::name, "''", true},
                {"ATTEMPT_", ColumnKind::integer, "1", true},
                {"WAITED_", ColumnKind::big_integer},
                {"DURATION_", ColumnKind::big_integer},
                {"MESSAGE_", ColumnKind::message},
            },
            "ID_",
            {{"JS_IDX_ENDED_RUN_TYPE",
              "HANDLER_TYPE_, ID_",
              "the last runs of a handler type, the latest first"},
             {"JS_IDX_ENDED_RUN_JOB", "JOB_ID_, ID_", "the runs of a job, the latest first"}},
        },
        // Dead letters that have to be looked at, by the ids of their jobs; the columns are
        // Camunda's, and
        // the last ones ours.
        {"ACT_RU_INCIDENT", incident_columns(), "CONFIGURATION_"},
        {"ACT_HI_INCIDENT",
         resolved_incident_columns(),
         "ID_",
         {{"JS_IDX_INCIDENT_JOB",
           "CONFIGURATION_, ID_",
           "the resolved incidents of a job, the latest first"}}},

        // What is known of kinds of jobs.

        // What is known of the jobs of a definition, an element or a type. The name of the table
        // and the
        // columns up to JOB_PRIORITY_, which is the override, are Camunda's.
        {
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
        },
    };
}

}  // namespace

std::span<const OptionalIndex> optional_indexes() {
    return kOptionalIndexes;
}

std::span<const Table> tables() {
    static const std::vector<Table> all = all_tables();
    return all;
}

}  // namespace jobstrand::schema
