#include "schema/table_groups.hpp"

namespace jobstrand::schema {
namespace {

Table node_table() {
    return {
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
        {}};
}

// Pages of jobs that a node holds: BYTES_ names them, from the first id to the last one, and LEFT_
// is how many have not ended. The row 0 is the gate.
Table claim_table() {
    return {
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
        {}};
}

// One row for each kind of job that a node serves.
Table served_table() {
    return {
        "JS_SERVED",
        {
            {"NODE_", ColumnKind::name, "", true},
            {"HANDLER_TYPE_", ColumnKind::name, "", true},
            {"NEEDS_", ColumnKind::name, "''", true},
        },
        "NODE_, HANDLER_TYPE_, NEEDS_",
        {}};
}

// What a node is particular about: one row for each value that it takes of a field.
Table scope_table() {
    return {
        "JS_SCOPE",
        {
            {"NODE_", ColumnKind::name, "", true},
            {"FIELD_", ColumnKind::id, "", true},
            {"VALUE_", ColumnKind::name, "''", true},
        },
        "NODE_, FIELD_, VALUE_",
        {}};
}

// Jobs that a node has been running for longer than a moment, and since when.
Table run_table() {
    return {
        "JS_RUN",
        {
            {"NODE_", ColumnKind::name, "", true},
            kAppId,
            {"REV_", ColumnKind::integer, "1", true},
            {"SINCE_", ColumnKind::timestamp, "now", true},
        },
        "NODE_, ID_",
        {}};
}

// How many runs of a handler type have ended on a node in the last SPAN_ milliseconds, a minute
// where the node is older than that, and how many of them have failed.
Table rate_table() {
    return {
        "JS_RATE",
        {
            {"NODE_", ColumnKind::name, "", true},
            {"HANDLER_TYPE_", ColumnKind::name, "", true},
            {"RUNS_", ColumnKind::big_integer, "0", true},
            {"FAILED_", ColumnKind::big_integer, "0", true},
            {"SPAN_", ColumnKind::big_integer, "60000", true},
        },
        "NODE_, HANDLER_TYPE_",
        {}};
}

// Which external workers have asked a node for jobs of which type lately, and when last.
Table asked_table() {
    return {
        "JS_ASKED",
        {
            {"NODE_", ColumnKind::name, "", true},
            {"HANDLER_TYPE_", ColumnKind::name, "", true},
            {"WORKER_", ColumnKind::name, "", true},
            {"LAST_", ColumnKind::timestamp, "now", true},
        },
        "NODE_, HANDLER_TYPE_, WORKER_",
        {}};
}

// What ended on a node in a span of so many seconds, which begins at AT_.
Table throughput_table() {
    return {
        "JS_THROUGHPUT",
        {
            {"SECONDS_", ColumnKind::integer, "", true},
            {"AT_", ColumnKind::timestamp, "now", true},
            {"NODE_", ColumnKind::name, "", true},
            {"DATA_", ColumnKind::bytes},
        },
        "SECONDS_, AT_, NODE_",
        {}};
}

// What runs that are under way have told of themselves: PROGRESS_ in millionths.
Table run_news_table() {
    return {
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
        {}};
}

}  // namespace

std::vector<Table> node_tables() {
    return {
        node_table(),
        claim_table(),
        served_table(),
        scope_table(),
        run_table(),
        rate_table(),
        asked_table(),
        throughput_table(),
        run_news_table()};
}

}  // namespace jobstrand::schema
