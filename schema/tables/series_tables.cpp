#include "schema/tables/table_groups.hpp"

namespace jobstrand::schema {
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

}  // namespace jobstrand::schema
