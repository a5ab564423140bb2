#include "schema/job.hpp"

#include "schema/job_events.hpp"
#include "schema/job_fields.hpp"
#include "schema/job_validation.hpp"
#include "schema/limits.hpp"
#include "schema/text/column_text.hpp"
#include "schema/text/time_text.hpp"
#include "test/fixtures/job_builder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace jobstrand::schema {

namespace {

using test::a_job;
using testing::ElementsAre;
using testing::IsEmpty;
using namespace std::chrono_literals;
using namespace std::string_literals;

constexpr TimePoint kToday = std::chrono::sys_days{std::chrono::year{2026} / 11 / 20};

// R002, R007, R035, R150: an empty due date is due.
TEST(Job, A_new_job_goes_where_its_due_date_and_type_say) {
    struct Row {
        std::string_view type;
        std::optional<TimePoint> due;
        JobPlace place;
    };
    const std::vector<Row> rows{
        {kMessageType, std::nullopt, JobPlace::executable},
        {kMessageType, kToday, JobPlace::executable},
        {kMessageType, kToday + 1ms, JobPlace::timer},
        {kTimerType, kToday - 1ms, JobPlace::executable},
        {kTimerType, kToday + 1ms, JobPlace::timer},
        {kExternalWorkerType, std::nullopt, JobPlace::external_worker},
        {kExternalWorkerType, kToday + 1ms, JobPlace::timer},
    };
    for (const Row& row : rows) {
        Job job = a_job("a").of_kind(row.type);
        job.due_date = row.due;
        EXPECT_EQ(place_of_new(job, kToday), row.place) << row.type;
    }
}

TEST(JobPlace, Words_and_places_belong_together) {
    for (const JobPlace place : kJobPlaces) {
        EXPECT_EQ(place_named(name_of(place)), place);
    }
    EXPECT_EQ(name_of(JobPlace::dead_letter), "dead");
    EXPECT_EQ(place_named("history"), std::nullopt);
    EXPECT_EQ(place_named(""), std::nullopt);
}

TEST(JobPlace, Suspended_jobs_and_dead_letters_cannot_be_locked) {
    std::set<JobPlace> with_lock;
    for (const JobPlace place : kJobPlaces) {
        if (has_lock(place)) {
            with_lock.insert(place);
        }
    }
    EXPECT_EQ(
        with_lock, (std::set{JobPlace::executable, JobPlace::timer, JobPlace::external_worker})
    );
}

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

TEST(JobValidation, A_plain_job_is_fine) {
    EXPECT_THAT(problems_of(a_job("a")), IsEmpty());
}

// R012: priorities have 64 bits.
TEST(JobValidation, A_job_at_every_bound_is_fine) {
    Job job = a_job(std::string(limits::kIdLength, '~'));
    job.handler_type = std::string(limits::kNameLength, 'h');
    for (std::size_t i = 0; i < limits::kNameLength; ++i) {
        job.element_name += "€";
    }
    job.payload = std::string(limits::kPayloadBytes, 'p');
    job.retries = limits::kRetryAttempts;
    job.priority = std::numeric_limits<std::int64_t>::min();
    job.retry_cycle = "PT10M,PT17M,PT20M";
    job.due_date = kLatestInstant;
    job.type = kExternalWorkerType;
    job.process_instance_id = "order 12/7";
    job.process_definition_id = "ørder-注文";
    job.unique_key = std::string(limits::kNameLength, '\t');
    EXPECT_THAT(problems_of(job), IsEmpty());
}

TEST(JobValidation, Each_mistake_is_one_sentence_that_names_field_and_bound) {
    struct Row {
        std::function<void(Job&)> spoil;
        std::string problem;
    };
    const std::string id_characters =
        " may only hold printable ASCII characters, with no space at its end";
    const std::string app_id_characters =
        " may hold no control characters, and no space at its end";
    const std::vector<Row> rows{
        {[](Job& job) { job.id = std::string(65, 'i'); }, "id is longer than 64 characters"},
        {[](Job& job) { job.id = "ä"; }, "id" + id_characters},
        {[](Job& job) { job.process_instance_id = "a\n"; },
         "processInstanceId" + app_id_characters},
        {[](Job& job) { job.process_definition_id = "a "; },
         "processDefinitionId" + app_id_characters},
        {[](Job& job) { job.root_process_instance_id = "\x7F"; },
         "rootProcessInstanceId" + app_id_characters},
        {[](Job& job) { job.execution_id = "\xff"; }, "executionId is not UTF-8 text without NUL"},
        {[](Job& job) { job.process_instance_id = std::string(65, 'i'); },
         "processInstanceId is longer than 64 characters"},
        {[](Job& job) { job.deployment_id = "a\0b"s; }, "deploymentId" + id_characters},
        {[](Job& job) { job.category = std::string(256, 'c'); },
         "category is longer than 255 characters"},
        {[](Job& job) { job.tenant_id = "\xFF"; }, "tenantId is not UTF-8 text without NUL"},
        {[](Job& job) { job.element_name = "a\0b"s; }, "elementName is not UTF-8 text without NUL"},
        {[](Job& job) { job.exception_message = std::string(2001, 'm'); },
         "exceptionMessage is longer than 2000 characters"},
        {[](Job& job) { job.handler_type = ""; }, "handlerType must be given"},
        {[](Job& job) { job.payload = std::string(limits::kPayloadBytes + 1, 'p'); },
         "payload is longer than 8388608 bytes"},
        {[](Job& job) { job.candidate_users = "kermit"; },
         "candidateUsers and candidateGroups go with a job of external workers"},
        {[](Job& job) {
             job.type = kExternalWorkerType;
             job.candidate_groups = "bears\n" + std::string(256, 'g');
         },
         "candidateGroups: a name is longer than 255 characters"},
        {[](Job& job) {
             job.type = kExternalWorkerType;
             job.candidate_users = joined_names(std::vector<std::string>(101, "u")).value();
         },
         "candidateUsers has more than 100 names"},
        {[](Job& job) {
             job.type = kExternalWorkerType;
             job.candidate_users =
                 joined_names(std::vector<std::string>(5, std::string(250, 'u'))).value();
         },
         "candidateUsers is longer than 1000 characters"},
        {[](Job& job) { job.calling_instances = "order"; },
         "callingInstances go with processInstanceId"},
        {[](Job& job) {
             job.process_instance_id = "card";
             job.calling_instances = "order\ncard";
         },
         "callingInstances: card cannot call itself"},
        {[](Job& job) {
             job.process_instance_id = "card";
             job.calling_instances = std::string(65, 'i');
         },
         "callingInstances: a name is longer than 64 characters"},
        {[](Job& job) { job.payload = "{\xC3}"; }, "payload is not UTF-8 text without NUL"},
        {[](Job& job) { job.type = "batch"; }, "type must be message, timer or externalWorker"},
        {[](Job& job) { job.retries = -1; }, "retries must be 0 to 100000"},
        {[](Job& job) { job.retries = 100'001; }, "retries must be 0 to 100000"},
        {[](Job& job) { job.retry_cycle = "R3/PT5"; },
         "retryCycle: expected H, M or S, each once and in this order at position 6"},
        {[](Job& job) { job.due_date = kEarliestInstant - 1ms; },
         "dueDate must be in the years 1970 to 9999"},
        {[](Job& job) { job.unique_key = "k "; }, "uniqueKey may have no space at its end"},
        {[](Job& job) { job.unique_key = "a\0b"s; }, "uniqueKey is not UTF-8 text without NUL"},
        {[](Job& job) { job.unique_key = std::string(256, 'k'); },
         "uniqueKey is longer than 255 characters"},
        {[](Job& job) {
             job.unique_key = "k";
             job.repeat = "R/PT1H";
         },
         "uniqueKey does not go with repeat: the key of the series is unique already"},
        {[](Job& job) { job.trace_parent = "00-1-2-01"; },
         "traceparent must be as W3C Trace Context says: 00-TRACE-PARENT-FLAGS, with 32, 16 and 2 "
         "lower-case hexadecimal digits"},
        {[](Job& job) { job.due_date = kLatestInstant + 1ms; },
         "dueDate must be in the years 1970 to 9999"},
    };
    for (const Row& row : rows) {
        Job job = a_job("a");
        row.spoil(job);
        EXPECT_THAT(problems_of(job), ElementsAre(row.problem));
    }
}

TEST(JobValidation, All_mistakes_are_told_at_once) {
    Job job = a_job("ä");
    job.handler_type = "";
    job.retries = -1;
    EXPECT_EQ(problems_of(job).size(), 3U);
}

TEST(JobValidation, A_list_of_names_is_one_text_with_a_name_on_each_line) {
    const std::vector<std::string> names{"kermit", "cn=a,ou=b", "müller |"};
    const auto list = joined_names(names);
    ASSERT_TRUE(list);
    EXPECT_EQ(list.value(), "kermit\ncn=a,ou=b\nmüller |");
    EXPECT_EQ(names_in(list.value()), names);
    EXPECT_EQ(joined_names(std::vector<std::string>{}).value(), "");
    EXPECT_THAT(names_in(""), IsEmpty());
    EXPECT_THAT(names_in("\na\n\nb\n"), ElementsAre("a", "b")) << "as SQL may write it";
}

TEST(JobValidation, A_list_has_no_name_that_is_empty_or_is_two) {
    const auto problem_of = [](std::vector<std::string> names) {
        return joined_names(names).error().message;
    };
    EXPECT_EQ(problem_of({"a", ""}), "has an empty name");
    EXPECT_EQ(problem_of({""}), "has an empty name");
    EXPECT_EQ(problem_of({"a\nb"}), "has a name with a line break");
    EXPECT_EQ(problem_of({"a\r"}), "has a name with a line break");
}

TEST(JobEvents, Each_level_and_event_has_a_name_that_is_read_again) {
    for (const JobEvent event : schema::kJobEvents) {
        EXPECT_EQ(schema::job_event_of(name_of(event)), event);
    }
    for (const JobLogLevel level : schema::kJobLogLevels) {
        EXPECT_EQ(schema::job_log_level_of(name_of(level)), level);
    }
    EXPECT_EQ(schema::job_event_of("lost"), std::nullopt);
    EXPECT_EQ(schema::job_log_level_of("all"), std::nullopt);
}

TEST(JobEvents, Success_costs_nothing_unless_all_is_logged) {
    for (const JobEvent event : schema::kJobEvents) {
        EXPECT_FALSE(is_logged(event, JobLogLevel::none));
        EXPECT_TRUE(is_logged(event, JobLogLevel::full));
    }
    EXPECT_FALSE(is_logged(JobEvent::succeeded, JobLogLevel::failures));
    EXPECT_FALSE(is_logged(JobEvent::created, JobLogLevel::failures));
    EXPECT_TRUE(is_logged(JobEvent::failed, JobLogLevel::failures));
}

TEST(DayWindows, Times_of_the_day_are_read_with_and_without_an_offset) {
    EXPECT_EQ(parse_time_of_day("20:15"), 20h + 15min);
    EXPECT_EQ(parse_time_of_day("00:30Z"), 30min);
    EXPECT_EQ(parse_time_of_day("01:00+0200"), 23h);
    EXPECT_EQ(parse_time_of_day("23:00-02:30"), 1h + 30min);
    for (const std::string_view text :
         {"",
          "8:00",
          "24:00",
          "20:60",
          "20:00 ",
          "20:00+2",
          "20:00+02:0",
          "20-00",
          "-1:00",
          "20:00x"}) {
        EXPECT_EQ(parse_time_of_day(text), std::nullopt) << text;
    }
}

TEST(DayWindows, One_may_go_over_midnight_and_none_is_all_day) {
    const schema::TimePoint midnight{};
    const DayWindow night = DayWindow::of("22:00", "02:00").value();
    EXPECT_FALSE(night.contains(midnight + 21h));
    EXPECT_EQ(night.wait_at(midnight + 21h), 1h);
    EXPECT_TRUE(night.contains(midnight + 22h));
    EXPECT_TRUE(night.contains(midnight + 25h));
    EXPECT_FALSE(night.contains(midnight + 26h));
    EXPECT_TRUE(DayWindow().contains(midnight + 5h));
    EXPECT_FALSE(DayWindow::of("22:00", ""));
}

}  // namespace

}  // namespace jobstrand::schema
