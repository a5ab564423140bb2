#include "schema/tables/table_groups.hpp"

namespace jobstrand::schema {
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

}  // namespace jobstrand::schema
