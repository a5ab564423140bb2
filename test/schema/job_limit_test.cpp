#include "schema/concurrency.hpp"
#include "test/fixtures/job_builder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

namespace jobstrand::test {

namespace {

using schema::JobLimit;
using schema::JobLimits;
using schema::LimitedGroup;
using schema::LimitKind;
using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;

JobLimit limit_of(std::string_view name, int concurrent) {
    JobLimit limit = schema::limit_named(name);
    limit.concurrent = concurrent;
    return limit;
}

TEST(JobLimit, Is_named_by_kind_and_value) {
    EXPECT_EQ(schema::limit_named("type:mail").kind, LimitKind::type);
    EXPECT_EQ(schema::limit_named("tenant:*").value, "*");
    EXPECT_EQ(schema::limit_named("category:a:b ").value, "a:b");
    EXPECT_EQ(schema::name_of(schema::limit_named("definition:d")), "definition:d");
}

TEST(JobLimit, Of_another_name_is_refused) {
    for (const std::string_view name : {"", "type", "type:", "type: ", "colour:red", ":x"}) {
        EXPECT_THROW((void)schema::limit_named(name), std::invalid_argument) << name;
    }
    EXPECT_THROW((void)schema::limit_named("type:" + std::string(256, 'x')), std::invalid_argument);
}

TEST(JobLimit, Needs_a_number_within_its_bounds) {
    JobLimit limit = schema::limit_named("type:x");
    EXPECT_NE(schema::mistake_in(limit), "");
    limit.per_node = 1;
    EXPECT_EQ(schema::mistake_in(limit), "");
    limit.concurrent = 10'001;
    EXPECT_EQ(schema::mistake_in(limit), "concurrent must be between 0 and 10000");
    limit.concurrent = 0;
    EXPECT_EQ(schema::mistake_in(limit), "");
    limit.per_node = -1;
    EXPECT_EQ(schema::mistake_in(limit), "perNode must be between 0 and 10000");
    limit.per_node = 1;
    limit.rate = schema::StartRate{.starts = 0};
    EXPECT_EQ(schema::mistake_in(limit), "the starts of a rate must be 1 to 1000000");
    limit.rate = schema::StartRate{.period = schema::Duration(999)};
    EXPECT_EQ(schema::mistake_in(limit), "the period of a rate must be PT1S to P1D");
    limit.rate = schema::StartRate{.starts = 100, .period = schema::kLongestRatePeriod};
    EXPECT_EQ(schema::mistake_in(limit), "");
}

TEST(JobLimits, Tell_jobs_apart_by_their_fields) {
    const std::vector<JobLimit> all{limit_of("type:noop", 1), limit_of("tenant:*", 2)};
    const JobLimits limits(all);
    schema::Job job = a_job("a");
    EXPECT_THAT(limits.groups_of(job), ElementsAre(Field(&LimitedGroup::name, "type:noop")));
    job.tenant_id = "acme";
    job.handler_type = "mail";
    const LimitedGroup acme{.name = "tenant:acme", .concurrent = 2};
    EXPECT_THAT(limits.groups_of(job), ElementsAre(acme));
    job.tenant_id = "";
    EXPECT_FALSE(limits.meets(job)) << "no tenant is not a tenant";
}

TEST(JobLimits, Of_a_value_replace_those_of_each) {
    const std::vector<JobLimit> all{limit_of("type:*", 1), limit_of("type:noop", 7)};
    EXPECT_EQ(JobLimits(all).groups_of(a_job("a")).at(0).concurrent, 7);
}

TEST(JobLimits, Say_nothing_about_groups_without_one) {
    EXPECT_EQ(JobLimits().group("type:x"), LimitedGroup{.name = "type:x"});
    EXPECT_THAT(JobLimits().groups_of(a_job("a")), IsEmpty());
}

TEST(GroupName, Ignores_blanks_behind_the_value) {
    EXPECT_EQ(schema::group_name(LimitKind::tenant, "a  "), "tenant:a");
    EXPECT_EQ(schema::group_name(LimitKind::tenant, "  "), "");
}

TEST(GroupName, Says_its_kind) {
    EXPECT_TRUE(schema::is_of_kind("tenant:a", LimitKind::tenant));
    EXPECT_FALSE(schema::is_of_kind("tenant:a", LimitKind::type));
}

TEST(GroupName, Of_a_long_value_fits_and_differs_from_others) {
    const std::string value(100, 'x');
    const std::string name = schema::group_name(LimitKind::definition, value);
    EXPECT_LE(name.size(), 64U);
    EXPECT_NE(name, schema::group_name(LimitKind::definition, value + "y"));
}

TEST(GroupName, Is_cut_between_characters) {
    std::string value = "x";
    for (int i = 0; i < 40; ++i) {
        value += "\u00e4";
    }
    const std::string name = schema::group_name(LimitKind::tenant, value);
    EXPECT_EQ(name.find('#'), std::string("tenant:x").size() + 30);
}

struct RoomCase {
    LimitedGroup group;
    schema::GroupLoad load;
    std::int64_t room;
};

TEST(RoomInAGroup, Is_the_least_that_any_number_leaves) {
    using namespace std::chrono_literals;
    const schema::TimePoint now{std::chrono::sys_days{std::chrono::year{2026} / 3 / 1}};
    const schema::StartRate once_a_minute{.starts = 1, .period = 60s};
    const std::vector<RoomCase> cases{
        {.group = {.name = "", .concurrent = 5}, .load = {.running = 2, .here = 0}, .room = 3},
        {.group = {.name = "", .concurrent = 5}, .load = {.running = 9, .here = 0}, .room = 0},
        {.group = {.name = "", .per_node = 2}, .load = {.running = 9, .here = 1}, .room = 1},
        {.group = {.name = "", .concurrent = 5, .per_node = 2}, .load = {}, .room = 2},
        {.group = {.name = "", .concurrent = 0}, .load = {}, .room = 0},
        {.group = {.name = "", .rate = once_a_minute}, .load = {}, .room = 1},
        {.group = {.name = "", .rate = once_a_minute}, .load = {.used_until = now + 1s}, .room = 0},
        {.group = {.name = "", .concurrent = 0, .rate = once_a_minute}, .load = {}, .room = 0},
    };
    for (const RoomCase& one : cases) {
        EXPECT_EQ(schema::room_in(one.group, one.load, now), one.room);
    }
    EXPECT_GT(schema::room_in({.name = ""}, {.running = 1'000'000, .here = 0}, now), 1'000'000);
}

}  // namespace

}  // namespace jobstrand::test
