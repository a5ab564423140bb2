#include "schema/tables.hpp"

#include "schema/job.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

namespace jobstrand::schema {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;

using Names = std::vector<std::string>;

// R104: Flowable's columns in Flowable's order.
const Names kFlowableJobColumns{
    "ID_",
    "REV_",
    "CATEGORY_",
    "TYPE_",
    "LOCK_EXP_TIME_",
    "LOCK_OWNER_",
    "EXCLUSIVE_",
    "EXECUTION_ID_",
    "PROCESS_INSTANCE_ID_",
    "PROC_DEF_ID_",
    "ELEMENT_ID_",
    "ELEMENT_NAME_",
    "SCOPE_ID_",
    "SUB_SCOPE_ID_",
    "SCOPE_TYPE_",
    "SCOPE_DEFINITION_ID_",
    "CORRELATION_ID_",
    "RETRIES_",
    "EXCEPTION_STACK_ID_",
    "EXCEPTION_MSG_",
    "DUEDATE_",
    "REPEAT_",
    "HANDLER_TYPE_",
    "HANDLER_CFG_",
    "CUSTOM_VALUES_ID_",
    "CREATE_TIME_",
    "TENANT_ID_",
};

const Names kOurJobColumns{
    "PRIORITY_",
    "ROOT_PROC_INST_ID_",
    "DEPLOYMENT_ID_",
    "JOB_DEF_ID_",
    "RETRY_CYCLE_",
    "ATTEMPTS_",
    "SERIES_",
};

const Table& table_named(std::string_view name) {
    const auto found = std::ranges::find(tables(), name, &Table::name);
    EXPECT_NE(found, tables().end()) << name;
    return *found;
}

Names columns_of(std::string_view table) {
    Names names;
    for (const Column& column : table_named(table).columns) {
        names.emplace_back(column.name);
    }
    return names;
}

const Column& column_of(std::string_view table, std::string_view name) {
    const auto found = std::ranges::find(table_named(table).columns, name, &Column::name);
    EXPECT_NE(found, table_named(table).columns.end()) << table << '.' << name;
    return *found;
}

Names without(Names names, const std::set<std::string>& absent) {
    std::erase_if(names, [&absent](const std::string& name) { return absent.contains(name); });
    return names;
}

Names joined(Names first, const Names& second) {
    first.insert(first.end(), second.begin(), second.end());
    return first;
}

const Names kCandidates{"CANDIDATE_USERS_", "CANDIDATE_GROUPS_"};

TEST(Tables, Executable_timer_and_external_jobs_have_flowables_27_columns_then_ours) {
    ASSERT_EQ(kFlowableJobColumns.size(), 27U);
    const Names expected = joined(kFlowableJobColumns, kOurJobColumns);
    for (const auto* table : {"ACT_RU_TIMER_JOB", "ACT_RU_EXTERNAL_JOB"}) {
        EXPECT_THAT(
            columns_of(table),
            ElementsAreArray(joined(
                joined(expected, {"UNIQUE_KEY_", "TRACE_PARENT_", "CALLING_INSTANCES_"}),
                kCandidates
            ))
        ) << table;
    }
    EXPECT_THAT(
        columns_of("ACT_RU_JOB"),
        ElementsAreArray(joined(
            expected,
            {"NEEDS_", "LOST_STARTS_", "UNIQUE_KEY_", "TRACE_PARENT_", "CALLING_INSTANCES_"}
        ))
    );
}

TEST(Tables, Suspended_jobs_have_no_lock_and_say_where_they_came_from) {
    const Names flowables = without(kFlowableJobColumns, {"LOCK_EXP_TIME_", "LOCK_OWNER_"});
    ASSERT_EQ(flowables.size(), 25U);
    EXPECT_THAT(
        columns_of("ACT_RU_SUSPENDED_JOB"),
        ElementsAreArray(joined(
            joined(flowables, without(kOurJobColumns, {"SERIES_"})),
            joined(
                {"SUSPENDED_FROM_",
                 "SERIES_",
                 "UNIQUE_KEY_",
                 "TRACE_PARENT_",
                 "CALLING_INSTANCES_"},
                kCandidates
            )
        ))
    );
}

TEST(Tables, Dead_letters_have_neither_lock_nor_retries) {
    const Names flowables =
        without(kFlowableJobColumns, {"LOCK_EXP_TIME_", "LOCK_OWNER_", "RETRIES_"});
    ASSERT_EQ(flowables.size(), 24U);
    EXPECT_THAT(
        columns_of("ACT_RU_DEADLETTER_JOB"),
        ElementsAreArray(joined(
            joined(flowables, kOurJobColumns),
            joined(
                {"FAILED_TIME_", "UNIQUE_KEY_", "TRACE_PARENT_", "CALLING_INSTANCES_"}, kCandidates
            )
        ))
    );
}

TEST(Tables, The_other_tables_of_flowable_have_its_columns_and_no_more) {
    EXPECT_THAT(
        columns_of("ACT_RU_HISTORY_JOB"),
        ElementsAre(
            "ID_",
            "REV_",
            "LOCK_EXP_TIME_",
            "LOCK_OWNER_",
            "RETRIES_",
            "EXCEPTION_STACK_ID_",
            "EXCEPTION_MSG_",
            "HANDLER_TYPE_",
            "HANDLER_CFG_",
            "CUSTOM_VALUES_ID_",
            "ADV_HANDLER_CFG_ID_",
            "CREATE_TIME_",
            "SCOPE_TYPE_",
            "TENANT_ID_"
        )
    );
    EXPECT_THAT(
        columns_of("ACT_GE_BYTEARRAY"),
        ElementsAre("ID_", "REV_", "NAME_", "DEPLOYMENT_ID_", "BYTES_", "GENERATED_")
    );
    EXPECT_THAT(columns_of("ACT_GE_PROPERTY"), ElementsAre("NAME_", "VALUE_", "REV_"));
}

TEST(Tables, A_suspension_is_one_row_per_scope_and_id) {
    EXPECT_THAT(columns_of("JS_SUSPENSION"), ElementsAre("SCOPE_", "ID_", "SINCE_"));
    EXPECT_EQ(table_named("JS_SUSPENSION").primary_key, "SCOPE_, ID_");
}

TEST(Tables, Every_place_has_its_table) {
    for (const JobPlace place : kJobPlaces) {
        EXPECT_EQ(table_named(table_of(place)).primary_key, "ID_") << name_of(place);
    }
    EXPECT_EQ(table_named(kHistoryTable).primary_key, "ID_");
}

// A producer's plain INSERT names id, handler type and payload.
TEST(Tables, Columns_that_a_plain_insert_leaves_out_get_their_defaults) {
    struct Row {
        std::string_view column;
        std::string_view default_value;
    };
    const std::vector<Row> rows{
        {"REV_", "1"},
        {"TYPE_", "'message'"},
        {"EXCLUSIVE_", "true"},
        {"RETRIES_", "3"},
        {"CREATE_TIME_", "now"},
        {"TENANT_ID_", "''"},
        {"PRIORITY_", "0"},
        {"ATTEMPTS_", "0"},
        {"LOST_STARTS_", "0"},
    };
    for (const Row& row : rows) {
        EXPECT_EQ(column_of("ACT_RU_JOB", row.column).default_value, row.default_value)
            << row.column;
    }
}

TEST(Tables, Only_the_key_of_a_job_must_be_given) {
    for (const Table& table : tables()) {
        for (const Column& column : table.columns) {
            const bool in_key = table.primary_key.find(column.name) != std::string_view::npos;
            if (column.required && !in_key) {
                EXPECT_FALSE(column.default_value.empty()) << table.name << '.' << column.name;
            }
            if (in_key) {
                EXPECT_TRUE(column.required) << table.name << '.' << column.name;
            }
        }
    }
}

TEST(Tables, The_table_that_acquisition_reads_has_no_index_but_its_key) {
    EXPECT_TRUE(table_named("ACT_RU_JOB").indexes.empty());
}

TEST(Tables, Every_index_says_which_query_it_serves_and_has_a_name_of_its_own) {
    std::set<std::string_view> names;
    for (const Table& table : tables()) {
        for (const Index& index : table.indexes) {
            EXPECT_TRUE(names.insert(index.name).second) << index.name;
            EXPECT_TRUE(index.name.starts_with("JS_IDX_")) << index.name;
            EXPECT_FALSE(index.serves.empty()) << index.name;
            const std::string_view first = index.columns.substr(0, index.columns.find(','));
            EXPECT_FALSE(column_of(table.name, first).name.empty()) << index.name;
        }
    }
}

}  // namespace
}  // namespace jobstrand::schema
