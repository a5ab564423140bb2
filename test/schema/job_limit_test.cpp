#include "schema/concurrency.hpp"
#include "schema/limits.hpp"
#include "schema/text/time_text.hpp"
#include "schema/unique_key.hpp"
#include "test/fixtures/job_builder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace jobstrand::schema {

namespace {

using enum HolderState;
using enum OnDuplicate;
using test::a_job;
using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;
using namespace std::chrono_literals;

struct GroupCase {
    Job job;
    std::string_view over_instance;
    std::string_view over_hierarchy;
};

// R082 R089 R092 R093
TEST(ExclusiveGroup, Is_the_instance_or_its_root) {
    const GroupCase cases[] = {
        {a_job("lone"), "", ""},
        {a_job("a").of_instance("i"), "i", "i"},
        {a_job("b").of_instance("i").under_root("r"), "i", "r"},
        {a_job("c").under_root("r"), "", "r"},
        {a_job("d").of_instance("i").under_root("r").not_exclusive(), "", ""},
        {a_job("e").of_instance("i  "), "i", "i"},
        {a_job("f").of_instance("  "), "", ""},
        {a_job("g").of_instance("i j"), "i j", "i j"},
    };
    for (const GroupCase& one : cases) {
        EXPECT_EQ(exclusive_group(one.job, ExclusiveOver::instance), one.over_instance)
            << one.job.id;
        EXPECT_EQ(exclusive_group(one.job, ExclusiveOver::hierarchy), one.over_hierarchy)
            << one.job.id;
        EXPECT_EQ(may_exclude(one.job), !one.over_instance.empty() || !one.over_hierarchy.empty())
            << one.job.id;
    }
}

TEST(ExclusiveGroup, Its_holder_claims_up_to_a_bound) {
    EXPECT_EQ(schema::may_claim_of_group(0, 7), 7);
    EXPECT_EQ(schema::may_claim_of_group(0, kMostClaimedOfGroup + 1), kMostClaimedOfGroup);
    EXPECT_EQ(schema::may_claim_of_group(kMostClaimedOfGroup - 2, 7), 2);
    EXPECT_EQ(schema::may_claim_of_group(kMostClaimedOfGroup, 7), 0);
    EXPECT_EQ(schema::may_claim_of_group(kMostClaimedOfGroup + 5, 7), 0);
}

TEST(ExclusiveGroup, A_job_waits_by_its_lock_owner) {
    Job job = a_job("a").of_instance("i");
    EXPECT_FALSE(schema::waits_for_exclusive(job));
    job.lock_owner = "a node";
    EXPECT_FALSE(schema::waits_for_exclusive(job));
    job.lock_owner = schema::kWaitingOwner;
    EXPECT_TRUE(schema::waits_for_exclusive(job));
}

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

constexpr TimePoint kStartOfRate{std::chrono::sys_days{std::chrono::year{2026} / 3 / 1}};

TEST(StartRate, Is_written_as_starts_and_period) {
    const StartRate rate{.starts = 100, .period = 60s};
    EXPECT_EQ(parse_start_rate("100/PT1M").value(), rate);
    EXPECT_EQ(schema::text_of(rate), "100/PT1M");
}

TEST(StartRate, Of_another_form_is_refused_and_told_why) {
    const char* const form = "a rate is written STARTS/PERIOD, as in 100/PT1M";
    const char* const starts = "the starts of a rate must be 1 to 1000000";
    const char* const period = "the period of a rate must be PT1S to P1D";
    const std::pair<std::string_view, std::string_view> cases[]{
        {"100", form},
        {"0/PT1M", starts},
        {"1000001/PT1M", starts},
        {"9999999999999/PT1M", starts},
        {"x/PT1M", starts},
        {"5x/PT1M", starts},
        {"5/PT0.9S", period},
        {"5/P2D", period},
    };
    for (const auto& [text, message] : cases) {
        const auto parsed = parse_start_rate(text);
        ASSERT_FALSE(parsed) << text;
        EXPECT_EQ(parsed.error().message, message) << text;
    }
    EXPECT_EQ(parse_start_rate("5/minute").error().position, 2U);
}

TEST(StartRate, Of_one_leaves_the_next_one_a_period_later) {
    const StartRate rate{.starts = 1, .period = 10s};
    EXPECT_EQ(schema::starts_left(rate, std::nullopt, kStartOfRate), 1);
    const UsedUntil used = schema::used_after(rate, std::nullopt, kStartOfRate, 1);
    EXPECT_EQ(schema::starts_left(rate, used, kStartOfRate), 0);
    EXPECT_EQ(schema::until_next_starts(rate, used, kStartOfRate), 10s);
    EXPECT_EQ(schema::starts_left(rate, used, kStartOfRate + 9'999ms), 0);
    EXPECT_EQ(schema::starts_left(rate, used, kStartOfRate + 10s), 1);
}

TEST(StartRate, Lets_a_tenth_come_at_once) {
    const StartRate rate{.starts = 100, .period = 60s};
    EXPECT_EQ(schema::starts_left(rate, std::nullopt, kStartOfRate), 10);
    EXPECT_EQ(schema::starts_left(rate, kStartOfRate - 1h, kStartOfRate), 10);
}

TEST(StartRate, Of_which_one_was_used_lets_the_others_come_at_once) {
    for (const int starts : {20, 30, 70, 90}) {
        const StartRate rate{.starts = starts, .period = 20s};
        const UsedUntil used = schema::used_after(rate, std::nullopt, kStartOfRate, 1);
        EXPECT_EQ(schema::starts_left(rate, used, kStartOfRate), starts / 10 - 1) << starts;
    }
}

TEST(StartRate, Is_not_held_up_for_long_by_a_clock_that_has_jumped_back) {
    const StartRate rate{.starts = 10, .period = 60s};
    EXPECT_EQ(schema::starts_left(rate, kStartOfRate + 1h, kStartOfRate), 1);
}

// Whoever takes all that is left at every moment, and whoever waits as he is told to.
TEST(StartRate, Is_kept_in_every_stretch_of_its_length_and_nearly_reached) {
    for (const StartRate& rate : {
             StartRate{.starts = 1, .period = 1s},
             StartRate{.starts = 3, .period = 1s},
             StartRate{.starts = 7, .period = 10s},
             StartRate{.starts = 100, .period = 10s},
             StartRate{.starts = 999, .period = 1s},
         }) {
        for (const bool waits : {false, true}) {
            std::optional<UsedUntil> used;
            std::deque<TimePoint> of_period;
            std::int64_t all = 0;
            const TimePoint end = kStartOfRate + 20 * rate.period;
            for (TimePoint now = kStartOfRate; now < end;) {
                while (!of_period.empty() && of_period.front() <= now - rate.period) {
                    of_period.pop_front();
                }
                const std::int64_t left = schema::starts_left(rate, used, now);
                if (left > 0) {
                    used = schema::used_after(rate, used, now, left);
                    of_period.insert(of_period.end(), static_cast<std::size_t>(left), now);
                    all += left;
                }
                ASSERT_LE(of_period.size(), static_cast<std::size_t>(rate.starts));
                now += waits ? std::max(schema::until_next_starts(rate, used, now), 1ms) : 1ms;
            }
            EXPECT_GE(all, 20 * rate.starts * 85 / 100) << schema::text_of(rate) << waits;
        }
    }
}

const TimePoint kAsked = parse_instant("2026-11-20T10:00:00Z").value();

struct DecisionCase {
    const char* name;
    HolderState state;
    std::optional<TimePoint> until;
    OnDuplicate on_duplicate;
    KeyDecision decision;
};

// B8
TEST(UniqueKey, What_happens_to_a_new_job_follows_from_the_holder_and_the_rule) {
    const auto later = kAsked + 1ms;
    const DecisionCase cases[] = {
        {"an open job is in the way", waiting, {}, reject, KeyDecision::refuse},
        {"a running job is in the way", busy, {}, reject, KeyDecision::refuse},
        {"an ended job is not", gone, {}, reject, KeyDecision::take},
        {"an open job is kept", waiting, {}, keep, KeyDecision::keep},
        {"a running job is kept", busy, {}, keep, KeyDecision::keep},
        {"an ended job is nothing to keep", gone, {}, keep, KeyDecision::take},
        {"a waiting job makes room", waiting, {}, replace, KeyDecision::replace},
        {"a running job does not", busy, {}, replace, KeyDecision::refuse},
        {"an ended job has no room to make", gone, {}, replace, KeyDecision::take},
        {"a period holds without its job", gone, later, reject, KeyDecision::refuse},
        {"a period keeps what has ended", gone, later, keep, KeyDecision::keep},
        {"in a period an ended job cannot be replaced", gone, later, replace, KeyDecision::refuse},
        {"in a period a waiting job can", waiting, later, replace, KeyDecision::replace},
        {"a period ends at its end", gone, kAsked, reject, KeyDecision::take},
        {"a period ends although its job waits", waiting, kAsked, reject, KeyDecision::take},
        {"a period ends although its job runs", busy, kAsked, keep, KeyDecision::take},
    };
    for (const DecisionCase& one : cases) {
        const KeyHolder holder{.job = "a", .until = one.until, .state = one.state};
        EXPECT_EQ(decide(holder, one.on_duplicate, kAsked), one.decision) << one.name;
    }
}

TEST(UniqueKey, A_refusal_names_the_key_its_holder_and_the_reason) {
    const auto until = kAsked + 1h;
    EXPECT_EQ(
        why_refused("k", {.job = "a", .state = waiting}, reject), "job a has the unique key k"
    );
    EXPECT_EQ(
        why_refused("k", {.job = "a", .until = until}, reject),
        "job a has the unique key k until 2026-11-20T11:00:00.000Z"
    );
    EXPECT_EQ(
        why_refused("k", {.job = "a", .state = busy}, replace),
        "job a has the unique key k, and is running or being changed: it cannot be replaced"
    );
    EXPECT_EQ(
        why_refused("k", {.job = "a", .until = until}, replace),
        "job a has the unique key k until 2026-11-20T11:00:00.000Z, and has ended: there is "
        "nothing "
        "to be replaced"
    );
}

TEST(UniqueKey, Rules_have_names) {
    for (const OnDuplicate rule : {reject, keep, replace}) {
        EXPECT_EQ(on_duplicate_named(name_of(rule)), rule);
    }
    EXPECT_EQ(on_duplicate_named("Reject"), std::nullopt);
    EXPECT_EQ(on_duplicate_named(""), std::nullopt);
}

TEST(UniqueKey, A_rule_goes_with_a_key_and_a_period_has_bounds) {
    EXPECT_EQ(schema::problem_of({}, ""), "");
    EXPECT_EQ(schema::problem_of({}, "k"), "");
    EXPECT_EQ(schema::problem_of({.on_duplicate = keep, .period = 1ms}, "k"), "");
    EXPECT_EQ(schema::problem_of({.period = limits::kUniquePeriod}, "k"), "");
    const char* const bounds = "uniqueFor must be 1 ms to P3660D";
    EXPECT_EQ(schema::problem_of({.period = 0ms}, "k"), bounds);
    EXPECT_EQ(schema::problem_of({.period = -1ms}, "k"), bounds);
    EXPECT_EQ(schema::problem_of({.period = limits::kUniquePeriod + 1ms}, "k"), bounds);
    const char* const no_key = "onDuplicate and uniqueFor go with uniqueKey";
    EXPECT_EQ(schema::problem_of({.on_duplicate = replace}, ""), no_key);
    EXPECT_EQ(schema::problem_of({.period = 1h}, ""), no_key);
}

}  // namespace

}  // namespace jobstrand::schema
