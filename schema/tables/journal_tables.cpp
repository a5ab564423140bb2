#include "schema/tables/table_groups.hpp"

namespace jobstrand::schema {
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
