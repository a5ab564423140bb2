#include "schema/tables.hpp"

#include "schema/acquisition.hpp"
#include "schema/job.hpp"
#include "schema/paging.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace jobstrand::schema {

namespace {

using testing::ElementsAre;
using namespace std::chrono_literals;
using Names = std::vector<std::string>;

/// The words of a text.
Names words_of(const std::string& text) {
    std::istringstream words(text);
    return {std::istream_iterator<std::string>(words), {}};
}

// R104: Flowable's columns in Flowable's order.
const Names kFlowableJobColumns = words_of(
    "ID_ REV_ CATEGORY_ TYPE_ LOCK_EXP_TIME_ LOCK_OWNER_ EXCLUSIVE_ EXECUTION_ID_ "
    "PROCESS_INSTANCE_ID_ PROC_DEF_ID_ ELEMENT_ID_ ELEMENT_NAME_ SCOPE_ID_ SUB_SCOPE_ID_ "
    "SCOPE_TYPE_ SCOPE_DEFINITION_ID_ CORRELATION_ID_ RETRIES_ EXCEPTION_STACK_ID_ "
    "EXCEPTION_MSG_ DUEDATE_ REPEAT_ HANDLER_TYPE_ HANDLER_CFG_ CUSTOM_VALUES_ID_ "
    "CREATE_TIME_ TENANT_ID_"
);

const Names kOurJobColumns = words_of(
    "PRIORITY_ ROOT_PROC_INST_ID_ DEPLOYMENT_ID_ JOB_DEF_ID_ RETRY_CYCLE_ ATTEMPTS_ SERIES_"
);

const Names kOfEveryJob = words_of("UNIQUE_KEY_ TRACE_PARENT_ CALLING_INSTANCES_");
const Names kCandidates = words_of("CANDIDATE_USERS_ CANDIDATE_GROUPS_");

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

Names joined(const std::vector<Names>& parts) {
    Names all;
    for (const Names& part : parts) {
        all.insert(all.end(), part.begin(), part.end());
    }
    return all;
}

TEST(Tables, Executable_timer_and_external_jobs_have_flowables_27_columns_then_ours) {
    ASSERT_EQ(kFlowableJobColumns.size(), 27U);
    const Names expected = joined({kFlowableJobColumns, kOurJobColumns});
    for (const auto* table : {"ACT_RU_TIMER_JOB", "ACT_RU_EXTERNAL_JOB"}) {
        EXPECT_EQ(columns_of(table), joined({expected, kOfEveryJob, kCandidates})) << table;
    }
    EXPECT_EQ(
        columns_of("ACT_RU_JOB"), joined({expected, {"NEEDS_", "LOST_STARTS_"}, kOfEveryJob})
    );
}

TEST(Tables, Suspended_jobs_have_no_lock_and_say_where_they_came_from) {
    const Names flowables = without(kFlowableJobColumns, {"LOCK_EXP_TIME_", "LOCK_OWNER_"});
    ASSERT_EQ(flowables.size(), 25U);
    const Names ours = without(kOurJobColumns, {"SERIES_"});
    EXPECT_EQ(
        columns_of("ACT_RU_SUSPENDED_JOB"),
        joined({flowables, ours, {"SUSPENDED_FROM_", "SERIES_"}, kOfEveryJob, kCandidates})
    );
}

TEST(Tables, Dead_letters_have_neither_lock_nor_retries) {
    const Names flowables =
        without(kFlowableJobColumns, {"LOCK_EXP_TIME_", "LOCK_OWNER_", "RETRIES_"});
    ASSERT_EQ(flowables.size(), 24U);
    EXPECT_EQ(
        columns_of("ACT_RU_DEADLETTER_JOB"),
        joined({flowables, kOurJobColumns, {"FAILED_TIME_"}, kOfEveryJob, kCandidates})
    );
}

TEST(Tables, The_other_tables_of_flowable_have_its_columns_and_no_more) {
    EXPECT_EQ(
        columns_of("ACT_RU_HISTORY_JOB"),
        words_of("ID_ REV_ LOCK_EXP_TIME_ LOCK_OWNER_ RETRIES_ EXCEPTION_STACK_ID_ EXCEPTION_MSG_ "
                 "HANDLER_TYPE_ HANDLER_CFG_ CUSTOM_VALUES_ID_ ADV_HANDLER_CFG_ID_ CREATE_TIME_ "
                 "SCOPE_TYPE_ TENANT_ID_")
    );
    EXPECT_EQ(
        columns_of("ACT_GE_BYTEARRAY"), words_of("ID_ REV_ NAME_ DEPLOYMENT_ID_ BYTES_ GENERATED_")
    );
    EXPECT_EQ(columns_of("ACT_GE_PROPERTY"), words_of("NAME_ VALUE_ REV_"));
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
    const std::pair<std::string_view, std::string_view> rows[]{
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
    for (const auto& [column, default_value] : rows) {
        EXPECT_EQ(column_of("ACT_RU_JOB", column).default_value, default_value) << column;
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

constexpr TimePoint kBegin{std::chrono::sys_days{std::chrono::year{2026} / 1 / 1}};

Job a_job(std::int64_t priority, Duration created, std::optional<Duration> due = {}) {
    Job job;
    job.priority = priority;
    job.create_time = kBegin + created;
    if (due) {
        job.due_date = kBegin + *due;
    }
    return job;
}

bool comes_before(const AcquisitionOrder& order, const Job& one, const Job& other) {
    return order_key(order, one) < order_key(order, other);
}

TEST(AcquisitionOrder, None_makes_no_difference_between_jobs) {
    EXPECT_EQ(order_key({}, a_job(1, 0s)), order_key({}, a_job(9, 5s, 7s)));
}

// R045 R012
TEST(AcquisitionOrder, By_priority_the_highest_comes_first_over_the_whole_range) {
    using Limits = std::numeric_limits<std::int64_t>;
    constexpr AcquisitionOrder kOrder{.by_priority = true};
    EXPECT_TRUE(comes_before(kOrder, a_job(Limits::max(), 9s), a_job(1, 0s)));
    EXPECT_TRUE(comes_before(kOrder, a_job(-1, 9s), a_job(Limits::min(), 0s)));
    EXPECT_EQ(order_key(kOrder, a_job(3, 0s)), order_key(kOrder, a_job(3, 9s)));
}

// R048 R050
TEST(AcquisitionOrder, The_priority_goes_before_timers_and_these_before_the_due_date) {
    constexpr AcquisitionOrder kAll{.by_priority = true, .timers_first = true, .by_due_date = true};
    EXPECT_TRUE(comes_before(kAll, a_job(2, 9s), a_job(1, 0s, 0s)));
    EXPECT_TRUE(comes_before(kAll, a_job(1, 0s, 9s), a_job(1, 0s)));
    EXPECT_TRUE(comes_before(kAll, a_job(1, 9s, 1s), a_job(1, 0s, 2s)));
    EXPECT_TRUE(comes_before(kAll, a_job(1, 1s), a_job(1, 2s)));
}

// B6
TEST(AcquisitionOrder, With_aging_a_step_of_priority_is_worth_so_long_a_wait) {
    constexpr AcquisitionOrder kAging{.by_priority = true, .aging = 1min};
    EXPECT_EQ(order_key(kAging, a_job(0, 0s)), order_key(kAging, a_job(5, 5min)));
    EXPECT_TRUE(comes_before(kAging, a_job(0, 0s), a_job(5, 5min + 1ms)));
    EXPECT_TRUE(comes_before(kAging, a_job(5, 5min - 1ms), a_job(0, 0s)));
}

// B6
TEST(AcquisitionOrder, Aging_never_overflows) {
    using Limits = std::numeric_limits<std::int64_t>;
    constexpr AcquisitionOrder kAging{.by_priority = true, .aging = 365 * 24h};
    Job last = a_job(Limits::min(), 0s, 0s);
    last.due_date = kLatestInstant;
    Job first = a_job(Limits::max(), 0s, 0s);
    first.due_date = kEarliestInstant;
    EXPECT_TRUE(comes_before(kAging, first, a_job(0, 0s)));
    EXPECT_TRUE(comes_before(kAging, a_job(0, 0s), last));
}

// R051
TEST(AcquisitionOrder, Each_has_an_index_whose_columns_are_its_levels) {
    EXPECT_EQ(index_of({.by_priority = true}).name, "priority");
    EXPECT_EQ(index_of({.timers_first = true}).name, "due");
    EXPECT_EQ(index_of({.by_due_date = true}).name, "due");
    EXPECT_EQ(index_of({.by_priority = true, .by_due_date = true}).name, "priority-due");
    EXPECT_EQ(index_of({.by_priority = true, .aging = 1ms}).name, "priority-due");
    EXPECT_EQ(index_of({.tenants_in_turn = true}).name, "tenant");
}

/// What a store would read: names behind a key, and how often it was asked.
class NameList {
public:
    explicit NameList(Names names) : names_(std::move(names)) {}

    Names read(const std::string& after, std::size_t limit) {
        ++reads_;
        const auto from = std::ranges::upper_bound(names_, after);
        const auto left = static_cast<std::size_t>(names_.end() - from);
        return {from, from + static_cast<std::ptrdiff_t>(std::min(limit, left))};
    }

    /// The pages of a walk, at most `most` of them.
    std::vector<Names> walk(PageWalk walk, std::size_t most = 100) {
        std::vector<Names> pages;
        for_each_page(
            std::move(walk),
            [this](const std::string& after, std::size_t limit) { return read(after, limit); },
            std::identity{},
            [&](Names page) {
                pages.push_back(std::move(page));
                return pages.size() < most;
            }
        );
        return pages;
    }

    [[nodiscard]] int reads() const { return reads_; }

private:
    const Names names_;
    int reads_ = 0;
};

TEST(Paging, A_walk_sees_everything_once_in_order) {
    NameList list({"a", "b", "c", "d", "e"});
    EXPECT_EQ(list.walk({.size = 2}), (std::vector<Names>{{"a", "b"}, {"c", "d"}, {"e"}}));
    EXPECT_EQ(list.walk({.after = "c", .size = 2}), (std::vector<Names>{{"d", "e"}}));
    EXPECT_EQ(NameList({}).walk({.size = 2}), std::vector<Names>{});
}

TEST(Paging, A_page_that_is_not_full_is_the_last_one) {
    NameList list({"a", "b", "c"});
    EXPECT_EQ(list.walk({.size = 2}).size(), 2U);
    EXPECT_EQ(list.reads(), 2);
}

TEST(Paging, A_walk_stops_where_its_user_says) {
    NameList list({"a", "b", "c"});
    EXPECT_EQ(list.walk({.size = 1}, 2), (std::vector<Names>{{"a"}, {"b"}}));
    EXPECT_EQ(list.reads(), 2);
}

TEST(Paging, The_first_page_knows_whether_there_is_more) {
    NameList list({"a", "b", "c"});
    const auto read = [&](std::size_t limit) { return list.read("", limit); };
    const auto two = first_page(2, read);
    EXPECT_EQ(two.items, (Names{"a", "b"}));
    EXPECT_TRUE(two.has_more);
    const auto three = first_page(3, read);
    EXPECT_EQ(three.items, (Names{"a", "b", "c"}));
    EXPECT_FALSE(three.has_more);
}

}  // namespace

}  // namespace jobstrand::schema
