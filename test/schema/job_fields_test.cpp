#include "schema/job_fields.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace jobstrand::schema {
namespace {

using testing::ElementsAre;

template <typename Value>
concept IsOfAField = requires(Value Job::*member) {
    JobMember(member);
};

/// Becomes a member of any type that fields have.
struct AnyValue {
    template <IsOfAField Value>
    operator Value() const;  // NOLINT(google-explicit-constructor): this is what it is for.
};

template <std::size_t>
using AnyValueAt = AnyValue;

template <std::size_t... Index>
constexpr bool has_members(std::index_sequence<Index...>) {
    return requires {
        Job{AnyValueAt<Index>{}...};
    };
}

/// How many members Job has.
template <std::size_t Count = 1>
constexpr std::size_t members_of_job() {
    if constexpr (has_members(std::make_index_sequence<Count + 1>{})) {
        return members_of_job<Count + 1>();
    } else {
        return Count;
    }
}

/// Whether a column of this kind holds what a member holds.
struct Fits {
    ColumnKind kind;

    bool operator()(std::string Job::*) const {
        return kind == ColumnKind::id || kind == ColumnKind::app_id || kind == ColumnKind::name ||
               kind == ColumnKind::value || kind == ColumnKind::message ||
               kind == ColumnKind::names;
    }
    bool operator()(int Job::*) const { return kind == ColumnKind::integer; }
    bool operator()(std::int64_t Job::*) const { return kind == ColumnKind::big_integer; }
    bool operator()(bool Job::*) const { return kind == ColumnKind::boolean; }
    bool operator()(std::optional<TimePoint> Job::*) const { return kind == ColumnKind::timestamp; }
};

/// The default of a column as SQL says it, when a job that nobody changed has its value.
struct DefaultOf {
    const Job job = {};

    std::string operator()(std::string Job::*member) const {
        return (job.*member).empty() ? "" : '\'' + job.*member + '\'';
    }
    std::string operator()(int Job::*member) const { return std::to_string(job.*member); }
    std::string operator()(std::int64_t Job::*member) const { return std::to_string(job.*member); }
    std::string operator()(bool Job::*member) const { return job.*member ? "true" : "false"; }
    std::string operator()(std::optional<TimePoint> Job::*) const { return ""; }
};

bool holds_text(const JobField& field) {
    return std::holds_alternative<std::string Job::*>(field.member);
}

bool holds_time(const JobField& field) {
    return std::holds_alternative<std::optional<TimePoint> Job::*>(field.member);
}

std::vector<FieldOption JobField::*> kinds_of_options() {
    return {&JobField::add, &JobField::change, &JobField::filter};
}

TEST(JobFields, Every_member_of_a_job_has_its_field) {
    constexpr std::size_t kInNoColumn = 1;  // Job::claim
    EXPECT_EQ(job_fields().size() + kInNoColumn, members_of_job());
    for (const JobField& field : job_fields()) {
        EXPECT_EQ(&field_of(field.member), &field) << field.name;
    }
}

TEST(JobFields, No_two_fields_share_a_column_or_a_name) {
    std::set<std::string_view> columns;
    std::set<std::string_view> names;
    for (const JobField& field : job_fields()) {
        EXPECT_TRUE(columns.insert(field.column.name).second) << field.column.name;
        EXPECT_TRUE(names.insert(field.name).second) << field.name;
    }
}

TEST(JobFields, A_column_is_of_the_kind_that_its_member_needs) {
    for (const JobField& field : job_fields()) {
        EXPECT_TRUE(std::visit(Fits{field.column.kind}, field.member)) << field.name;
    }
}

// A producer may leave a column out, or say NULL: the job is the same as one that we make.
TEST(JobFields, The_default_of_a_column_is_that_of_the_member) {
    for (const JobField& field : job_fields()) {
        if (field.is_about(&Job::tenant_id) || field.is_about(&Job::create_time) ||
            field.is_about(&Job::scope_type)) {
            continue;
        }
        EXPECT_EQ(field.column.default_value, std::visit(DefaultOf{}, field.member)) << field.name;
    }
}

TEST(JobFields, Some_tables_lack_the_lock_the_retries_or_where_a_job_came_from) {
    const auto lacks = [](JobPlace place) {
        std::vector<std::string_view> names;
        for (const JobField& field : job_fields()) {
            if (!field.is_in(place)) {
                names.push_back(field.name);
            }
        }
        return names;
    };
    EXPECT_THAT(
        lacks(JobPlace::executable),
        ElementsAre("suspendedFrom", "failedTime", "candidateUsers", "candidateGroups")
    );
    for (const JobPlace place : {JobPlace::timer, JobPlace::external_worker}) {
        EXPECT_THAT(
            lacks(place), ElementsAre("suspendedFrom", "needs", "lostStarts", "failedTime")
        );
    }
    EXPECT_THAT(
        lacks(JobPlace::suspended),
        ElementsAre("lockExpirationTime", "lockOwner", "needs", "lostStarts", "failedTime")
    );
    EXPECT_THAT(
        lacks(JobPlace::dead_letter),
        ElementsAre(
            "lockExpirationTime", "lockOwner", "retries", "suspendedFrom", "needs", "lostStarts"
        )
    );
}

TEST(JobFields, What_can_be_said_of_a_new_job_is_shown_as_well) {
    for (const JobField& field : job_fields()) {
        if (field.is_settable) {
            EXPECT_GT(field.json_rank, 0) << field.name;
        }
        if (field.add.is_there() || field.must_be_given) {
            EXPECT_TRUE(field.is_settable) << field.name;
        }
    }
}

// The options of these two stand among those of a series.
TEST(JobFields, What_can_be_said_in_json_has_an_option) {
    for (const JobField& field : job_fields()) {
        const bool is_of_series = field.is_about(&Job::repeat) || field.is_about(&Job::series);
        if (field.is_settable && !is_of_series) {
            EXPECT_TRUE(field.add.is_there()) << field.name;
        }
    }
}

TEST(JobFields, Every_option_has_a_meaning_and_no_two_of_a_verb_share_a_flag) {
    for (const auto kind : kinds_of_options()) {
        std::set<std::string_view> flags;
        for (const JobField& field : job_fields()) {
            const FieldOption& option = field.*kind;
            if (!option.is_there()) {
                continue;
            }
            EXPECT_TRUE(option.flags.starts_with("--")) << field.name;
            EXPECT_FALSE(option.meaning.empty()) << field.name;
            EXPECT_TRUE(flags.insert(option.flags).second) << option.flags;
            const bool is_flag = std::holds_alternative<bool Job::*>(field.member);
            EXPECT_EQ(option.unit.empty(), is_flag) << field.name;
        }
    }
}

TEST(JobFields, No_two_fields_share_a_rank) {
    std::set<int> json_ranks;
    for (const JobField& field : job_fields()) {
        if (field.json_rank > 0 && field.json_rank < kLast) {
            EXPECT_TRUE(json_ranks.insert(field.json_rank).second) << field.name;
        }
    }
    for (const auto kind : kinds_of_options()) {
        std::set<int> ranks;
        for (const JobField& field : job_fields()) {
            const int rank = (field.*kind).rank;
            if (rank < kLast) {
                EXPECT_TRUE(ranks.insert(rank).second) << field.name;
            }
        }
    }
}

TEST(JobFields, Jobs_are_asked_for_by_texts_and_by_times_and_by_numbers) {
    for (const JobField& field : job_fields()) {
        if (field.filter.is_there()) {
            const bool is_period = field.filter_by == FieldFilter::period;
            const bool is_range = field.filter_by == FieldFilter::range;
            EXPECT_EQ(holds_time(field), is_period) << field.name;
            EXPECT_EQ(holds_text(field), !is_period && !is_range) << field.name;
        }
    }
}

TEST(JobFields, A_change_sets_its_member_and_nothing_else) {
    Job job{.id = "a"};
    Job expected = job;
    expected.priority = 7;
    const JobChange change = set_to(&Job::priority, 7);
    carry_out(change, job);
    EXPECT_EQ(job, expected);
    EXPECT_EQ(member_of(change), JobMember(&Job::priority));
}

}  // namespace
}  // namespace jobstrand::schema
