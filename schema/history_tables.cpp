#include "schema/table_groups.hpp"

#include <utility>

namespace jobstrand::schema {
namespace {

constexpr Index kLogOfJob{
    "JS_IDX_JOB_LOG_JOB",
    "JOB_ID_, ID_",
    "what happened to a job, the latest first",
};

constexpr Index kRunsOfType{
    "JS_IDX_ENDED_RUN_TYPE",
    "HANDLER_TYPE_, ID_",
    "the last runs of a handler type, the latest first",
};

constexpr Index kRunsOfJob{
    "JS_IDX_ENDED_RUN_JOB",
    "JOB_ID_, ID_",
    "the runs of a job, the latest first",
};

constexpr Index kIncidentsOfJob{
    "JS_IDX_INCIDENT_JOB",
    "CONFIGURATION_, ID_",
    "the resolved incidents of a job, the latest first",
};

// What happened to jobs, one line each; the first columns are Camunda's. Ids ascend with the time,
// so that lines are added at one end of the table and removed at the other.
Table job_log_table() {
    return {
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
        {kLogOfJob}};
}

// A run that ended, of the last ones of its handler type. Ids ascend with the time.
Table ended_run_table() {
    return {
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
        {kRunsOfType, kRunsOfJob}};
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

// Dead letters that have to be looked at, by the ids of their jobs; the columns are Camunda's, and
// the last ones ours.
Table open_incident_table() {
    return {"ACT_RU_INCIDENT", incident_columns(), "CONFIGURATION_", {}};
}

Table resolved_incident_table() {
    std::vector<Column> columns = incident_columns();
    columns.push_back({"END_TIME_", ColumnKind::timestamp});
    columns.push_back({"INCIDENT_STATE_", ColumnKind::integer, "1", true});
    columns.push_back({"RESOLUTION_", ColumnKind::name});
    return {"ACT_HI_INCIDENT", std::move(columns), "ID_", {kIncidentsOfJob}};
}

}  // namespace

std::vector<Table> history_tables() {
    return {job_log_table(), ended_run_table(), open_incident_table(), resolved_incident_table()};
}

namespace {

constexpr Index kForgettableRequests{
    "JS_IDX_REQUEST_UNTIL",
    "UNTIL_",
    "the requests that need not be remembered any longer",
};

// What people have changed. A row without a result is of an action that is under way, or whose
// process died before it ended.
Table audit_table() {
    return {
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
        {}};
}

// Requests that may come again, under the keys that their senders gave them, and what they were
// answered.
Table request_table() {
    return {
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
        {kForgettableRequests}};
}

// Bulk operations, and how far each has come: CURSOR_ moves in the transaction that changes the
// jobs.
Table batch_table() {
    return {
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
        {}};
}

}  // namespace

std::vector<Table> journal_tables() {
    return {audit_table(), request_table(), batch_table()};
}

}  // namespace jobstrand::schema
