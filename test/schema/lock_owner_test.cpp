#include "schema/acquisition.hpp"
#include "schema/limits.hpp"
#include "schema/uuid7.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace jobstrand::schema {

namespace {

using namespace std::chrono_literals;

constexpr TimePoint kFirstTick = std::chrono::sys_days{std::chrono::year{2026} / 11 / 20};

TEST(Uuid7, It_has_the_form_of_rfc_9562) {
    constexpr std::string_view kForm =
        "[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}";
    Uuid7Source ids(1);
    for (int i = 0; i < 1000; ++i) {
        ASSERT_THAT(ids.next(kFirstTick + Duration{i}), testing::MatchesRegex(kForm));
    }
}

// The example of RFC 9562, A.6: 2022-02-22T19:22:22Z.
TEST(Uuid7, It_begins_with_the_milliseconds_since_1970) {
    Uuid7Source ids(1);
    EXPECT_EQ(ids.next(TimePoint{Duration{0x017F22E279B0}}).substr(0, 14), "017f22e2-79b0-");
}

TEST(Uuid7, It_tells_when_it_was_made) {
    Uuid7Source ids(1);
    EXPECT_EQ(time_of_uuid7(ids.next(kFirstTick)), kFirstTick);
    EXPECT_EQ(time_of_uuid7(first_uuid7(kFirstTick)), std::nullopt) << "that is no id";
}

TEST(Uuid7, Other_ids_tell_no_time) {
    for (const char* const id :
         {"",
          "order-17",
          "017f22e2-79b0-4cc3-98c4-dc0c0c07398f",
          "017F22E2-79B0-7CC3-98C4-DC0C0C07398F",
          "017f22e2 79b0-7cc3-98c4-dc0c0c07398f",
          "017f22e2-79b0-7cc3-98c4-dc0c0c07398f0"}) {
        EXPECT_EQ(time_of_uuid7(id), std::nullopt) << id;
    }
}

TEST(Uuid7, Ids_ascend_over_milliseconds) {
    Uuid7Source ids(1);
    std::string last = ids.next(kFirstTick);
    for (int i = 1; i < 10'000; ++i) {
        std::string id = ids.next(kFirstTick + Duration{i});
        ASSERT_LT(last, id);
        last = std::move(id);
    }
}

TEST(Uuid7, Ids_ascend_within_a_millisecond) {
    Uuid7Source ids(1);
    std::string last = ids.next(kFirstTick);
    for (int i = 1; i < 100'000; ++i) {
        std::string id = ids.next(kFirstTick);
        ASSERT_LT(last, id);
        last = std::move(id);
    }
}

/// The 12 bits behind the version and the 14 behind the variant.
unsigned long counter_of(const std::string& id) {
    const unsigned long high = std::stoul(id.substr(15, 3), nullptr, 16);
    const unsigned long low = std::stoul(id.substr(19, 4), nullptr, 16) & 0x3FFF;
    return high << 14 | low;
}

TEST(Uuid7, The_counter_of_a_millisecond_ascends_by_one) {
    Uuid7Source ids(1);
    const unsigned long first = counter_of(ids.next(kFirstTick));
    for (unsigned long i = 1; i < 40'000; ++i) {
        ASSERT_EQ(counter_of(ids.next(kFirstTick)), first + i);
    }
}

TEST(Uuid7, Ids_ascend_when_the_clock_steps_back) {
    Uuid7Source ids(1);
    const std::string before = ids.next(kFirstTick);
    const std::string after_step = ids.next(kFirstTick - 1h);
    EXPECT_LT(before, after_step);
    EXPECT_LT(after_step, ids.next(kFirstTick - 59min));
}

TEST(Uuid7, The_first_text_of_a_time_stands_before_its_ids_and_behind_all_earlier_ones) {
    Uuid7Source ids(1);
    const std::string earlier = ids.next(kFirstTick - 1ms);
    const std::string first = first_uuid7(kFirstTick);
    EXPECT_LT(earlier, first);
    EXPECT_LT(first, ids.next(kFirstTick));
    EXPECT_EQ(first.size(), earlier.size());
    EXPECT_EQ(first_uuid7(TimePoint(-1h)), first_uuid7(TimePoint{}));
}

TEST(Uuid7, A_source_that_is_kept_to_some_makes_no_others_and_goes_on_ascending) {
    FreshIds ids;
    ids.keep_to([](std::string_view id) { return id.back() == '7'; });
    std::string last;
    for (int i = 0; i < 50; ++i) {
        const std::string id = ids.next(kFirstTick);
        EXPECT_EQ(id.back(), '7');
        EXPECT_LT(last, id);
        last = id;
    }
}

TEST(Uuid7, Ids_of_two_sources_differ) {
    Uuid7Source one;
    Uuid7Source other;
    EXPECT_NE(one.next(kFirstTick), other.next(kFirstTick));
}

TEST(LockOwner, Tells_host_and_process) {
    EXPECT_EQ(
        lock_owner_of({.host = "web-1", .process = 4711}, {0xab, 0xcd}),
        "web-1:4711:00000000000000ab00000000000000cd"
    );
    EXPECT_EQ(
        node_of("web-1.example.org:4711:000000000000000000000000000000ab"),
        (NodeAddress{.host = "web-1.example.org", .process = 4711})
    );
}

TEST(LockOwner, Of_any_host_can_be_stored_and_read_back) {
    const std::string odd = lock_owner_of({.host = "a:b c\xc3\xb8", .process = 1}, {1, 2});
    EXPECT_EQ(node_of(odd), (NodeAddress{.host = "a-b-c--", .process = 1}));
    const NodeAddress longest{.host = std::string(300, 'x'), .process = 4'194'304};
    const std::string owner = lock_owner_of(longest, {~std::uint64_t{0}, ~std::uint64_t{0}});
    EXPECT_EQ(owner.size(), 64U + 1U + 7U + 1U + 32U);
    EXPECT_LE(owner.size(), limits::kNameLength);
    EXPECT_EQ(node_of(owner)->process, 4'194'304);
}

TEST(LockOwner, Of_another_form_tells_no_node) {
    for (const std::string_view other :
         {"",
          "node-1",
          "a:1",
          "a:1:2",
          "a:1:00000000000000ab",
          ":1:000000000000000000000000000000ab",
          "a:x:000000000000000000000000000000ab",
          "a:1:000000000000000000000000000000aX",
          "a::000000000000000000000000000000ab",
          "a:1:2:000000000000000000000000000000ab",
          "01a1f7a8-83d2-7002-9bf7-3ae1d0961449",
          "waiting for an exclusive job"}) {
        EXPECT_EQ(node_of(other), std::nullopt) << other;
    }
}

}  // namespace

}  // namespace jobstrand::schema
