#include "schema/unique_key.hpp"

#include "schema/limits.hpp"
#include "schema/text/time_text.hpp"

#include <gtest/gtest.h>

namespace jobstrand::schema {

namespace {

using namespace std::chrono_literals;
using enum OnDuplicate;
using enum HolderState;

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
