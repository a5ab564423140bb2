#include "persistence/batches/filter_text.hpp"

#include "persistence/sql/db_error.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace jobstrand::persistence {
namespace {

using namespace std::chrono_literals;

using schema::Job;

constexpr schema::TimePoint kTime{1'767'225'600'001ms};

TEST(FilterText, Is_a_line_for_each_thing_that_is_asked) {
    const JobFilter filter{
        .fields =
            {equals(&Job::handler_type, "send-invoice"),
             is_before(&Job::failed_time, kTime),
             is_above(&Job::retries, 0)},
        .locked = false,
    };
    EXPECT_EQ(
        text_of(filter),
        "HANDLER_TYPE_ equal send-invoice\n"
        "FAILED_TIME_ before 2026-01-01T00:00:00.001Z\n"
        "RETRIES_ above 0\n"
        "locked no\n"
    );
    EXPECT_EQ(text_of({}), "");
}

TEST(FilterText, Finds_the_same_jobs_again_whatever_was_asked) {
    const std::vector<FieldCondition> asked{
        equals(&Job::handler_type, "a b"),
        equals(&Job::handler_type, ""),
        contains(&Job::exception_message, "line\nanother\\n \\ \x1f end\\"),
        starts_with(&Job::process_instance_id, " order-"),
        ends_with(&Job::process_instance_id, "-1 "),
        is_one_of(&Job::tenant_id, {"a", "", "b\x1f", "c\n"}),
        is_one_of(&Job::tenant_id, {""}),
        is_one_of(&Job::tenant_id, {}),
        is_like_one_of(&Job::handler_type, {"mail", "invoice.*"}),
        is_absent(&Job::tenant_id),
        is_absent(&Job::due_date),
        is_before(&Job::due_date, kTime),
        is_after(&Job::create_time, kTime),
        is_above(&Job::retries, -1),
        is_not_above(&Job::attempts, 7),
        {&Job::priority, FieldCondition::Match::not_below, std::int64_t{-5}},
    };
    for (const FieldCondition& condition : asked) {
        const JobFilter filter{.fields = {condition}, .locked = true, .failed = false};
        EXPECT_EQ(filter_in(text_of(filter)), filter) << text_of(filter);
    }
    const JobFilter all{.fields = asked, .only_ours = true};
    EXPECT_EQ(filter_in(text_of(all)), all);
    EXPECT_EQ(filter_in(""), JobFilter{});
}

TEST(FilterText, Terms_come_back_with_all_their_parts) {
    using Kind = JobTerm::Kind;
    const auto payload = [](FieldCondition::Match match, std::variant<std::string, double> value) {
        return JobTerm{
            .kind = Kind::payload,
            .parts = {},
            .leaf = PayloadCondition{{"a b", "\x1f", "0"}, match, std::move(value)}};
    };
    const JobTerm field{
        .kind = Kind::field, .parts = {}, .leaf = is_before(&Job::failed_time, kTime)};
    const JobFilter filter{
        .fields = {equals(&Job::handler_type, "mail")},
        .locked = true,
        .where =
            {field,
             {.kind = Kind::any,
              .parts =
                  {{.kind = Kind::negated, .parts = {field}},
                   {.kind = Kind::all},
                   {.kind = Kind::locked},
                   {.kind = Kind::failed},
                   payload(FieldCondition::Match::equal, "x\n\x1f\x1f y"),
                   payload(FieldCondition::Match::start, ""),
                   payload(FieldCondition::Match::absent, ""),
                   payload(FieldCondition::Match::not_above, 0.1),
                   payload(FieldCondition::Match::above, -1e99)}}},
    };
    EXPECT_EQ(filter_in(text_of(filter)), filter) << text_of(filter);
}

TEST(FilterText, What_it_does_not_write_is_refused_and_never_means_every_job) {
    for (const char* const text :
         {"COLOUR_ equal red",
          "HANDLER_TYPE_ like x",
          "HANDLER_TYPE_",
          "RETRIES_ above many",
          "RETRIES_ above 1 OR 1=1",
          "DUEDATE_ before tomorrow",
          "locked maybe",
          "where",
          "where\nany 2\nlocked",
          "where\nany 99999999999999999999\nlocked",
          "where\nnot",
          "where\npayload equal order 17",
          "where\npayload above order\x1f\x1fmany",
          "where\nCOLOUR_ equal red",
          "nonsense"}) {
        EXPECT_THROW((void)filter_in(text), DbError) << text;
    }
}

}  // namespace
}  // namespace jobstrand::persistence
