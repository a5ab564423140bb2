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

}  // namespace

std::vector<Table> journal_tables() {
    return {audit_table(), request_table()};
}

}  // namespace jobstrand::schema
