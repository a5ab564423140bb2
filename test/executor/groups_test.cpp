#include "executor/job_passing.hpp"
#include "executor/pool/group_order.hpp"
#include "schema/clock.hpp"
#include "test/fixtures/job_builder.hpp"
#include "test/fixtures/mock_stores.hpp"
#include "test/fixtures/recording_intake.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

namespace jobstrand::test {

namespace {

using executor::GroupOrder;
using executor::GroupPassing;
using executor::HeldJob;
using executor::HeldJobPtr;
using executor::LimitedRuns;
using executor::LimitPassing;
using persistence::GroupEnd;
using persistence::GroupsPassedOn;
using persistence::LimitedJobs;
using persistence::ServedJobs;
using schema::ExclusiveOver;
using testing::_;
using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;
using testing::NiceMock;
using testing::Not;
using testing::Return;
using testing::SizeIs;
using namespace std::chrono_literals;

class GroupOrderTest : public testing::Test {
protected:
    [[nodiscard]] HeldJobPtr of(const std::string& instance, std::string id) const {
        schema::Job job = a_job(std::move(id)).of_instance(instance);
        job.lock_expiration = clock.now() + 30s;
        return std::make_shared<HeldJob>(std::move(job), clock.steady_now() + 30s, instance);
    }

    static std::vector<std::string> ids(const std::vector<HeldJobPtr>& jobs) {
        std::vector<std::string> names;
        for (const HeldJobPtr& held : jobs) {
            names.push_back(held->job.id);
        }
        return names;
    }

    std::vector<std::string> admit(std::vector<HeldJobPtr> jobs) {
        return ids(order.admit(std::move(jobs)));
    }

    std::vector<std::string> ended(const HeldJobPtr& held) {
        const schema::Job* const job = &held->job;
        return ids(order.ended(std::span(&job, 1)));
    }

    [[nodiscard]] GroupEnd end_of(std::string group, std::int64_t claimed) const {
        return {.group = std::move(group), .claimed = claimed, .began = clock.now() + 30s};
    }

    schema::ManualClock clock;
    GroupOrder order{clock, ExclusiveOver::instance, 30s};
};

TEST_F(GroupOrderTest, Jobs_without_a_group_start_at_once_and_end_without_a_word) {
    const auto a = of("", "a");
    EXPECT_THAT(admit({a, of("", "b")}), ElementsAre("a", "b"));
    EXPECT_THAT(ended(a), IsEmpty());
    EXPECT_FALSE(order.has_ended_groups());
}

// R087
TEST_F(GroupOrderTest, Jobs_of_a_group_start_one_after_the_other_in_their_order) {
    const auto a = of("i", "a");
    const auto b = of("i", "b");
    const auto c = of("i", "c");
    EXPECT_THAT(admit({a, b, of("k", "other")}), ElementsAre("a", "other"));
    EXPECT_THAT(admit({c}), IsEmpty());
    EXPECT_THAT(ended(a), ElementsAre("b"));
    EXPECT_FALSE(order.has_ended_groups());
    EXPECT_THAT(ended(b), ElementsAre("c"));
    EXPECT_THAT(ended(c), IsEmpty());
    EXPECT_THAT(order.take_ended(10), ElementsAre(end_of("i", 3)));
    EXPECT_THAT(order.take_ended(10), IsEmpty());
}

TEST_F(GroupOrderTest, Those_that_wait_are_counted) {
    const auto a = of("i", "a");
    const auto c = of("i", "c");
    (void)admit({a, of("i", "b"), c, of("i", "d"), of("k", "e"), of("", "f")});
    EXPECT_EQ(order.waiting(), 3U);
    (void)ended(c);
    EXPECT_EQ(order.waiting(), 2U) << "it was given back before its turn";
    (void)ended(a);
    EXPECT_EQ(order.waiting(), 1U);
    (void)order.take_all();
    EXPECT_EQ(order.waiting(), 0U);
}

TEST_F(GroupOrderTest, A_job_that_is_given_back_before_its_turn_starts_nothing) {
    const auto a = of("i", "a");
    const auto b = of("i", "b");
    const auto c = of("i", "c");
    (void)admit({a, b, c});
    EXPECT_THAT(ended(b), IsEmpty());
    EXPECT_THAT(ended(a), ElementsAre("c"));
    EXPECT_THAT(ended(c), IsEmpty());
    EXPECT_THAT(order.take_ended(10), ElementsAre(end_of("i", 3)));
}

TEST_F(GroupOrderTest, Those_behind_a_job_go_with_it) {
    const auto a = of("i", "a");
    (void)admit({a, of("i", "b"), of("k", "c"), of("k", "d")});
    const std::vector<HeldJobPtr> given_back{a};
    EXPECT_THAT(ids(order.take_behind(given_back)), ElementsAre("b"));
    EXPECT_THAT(ended(a), IsEmpty());
    EXPECT_THAT(ids(order.take_all()), ElementsAre("d"));
}

TEST_F(GroupOrderTest, What_is_put_back_is_counted_when_the_group_ends_again) {
    const auto a = of("i", "a");
    const auto b = of("i", "b");
    (void)admit({a});
    (void)ended(a);
    const std::vector<GroupEnd> busy = order.take_ended(10);
    order.put_back(busy);
    EXPECT_FALSE(order.has_ended_groups()) << "it waits for the job that is under way";
    EXPECT_THAT(admit({b}), ElementsAre("b"));
    (void)ended(b);
    EXPECT_THAT(order.take_ended(10), ElementsAre(end_of("i", 2)));
}

TEST_F(GroupOrderTest, What_is_put_back_may_come_after_the_end_that_it_waited_for) {
    const auto a = of("i", "a");
    const auto b = of("i", "b");
    (void)admit({a});
    (void)ended(a);
    const std::vector<GroupEnd> busy = order.take_ended(10);
    (void)admit({b});
    (void)ended(b);
    order.put_back(busy);
    EXPECT_THAT(order.take_ended(10), ElementsAre(end_of("i", 2)));
}

TEST_F(GroupOrderTest, A_group_that_was_not_looked_at_ends_again_at_once) {
    const auto a = of("i", "a");
    (void)admit({a});
    (void)ended(a);
    const std::vector<GroupEnd> rest = order.take_ended(10);
    order.end_again(rest);
    EXPECT_EQ(order.take_ended(10), rest);
    (void)admit({of("i", "b")});
    order.end_again(rest);
    EXPECT_FALSE(order.has_ended_groups());
}

TEST_F(GroupOrderTest, A_count_is_forgotten_when_the_locks_have_ended_that_it_is_about) {
    const std::vector<GroupEnd> busy{end_of("i", 5)};
    order.put_back(busy);
    clock.tick(30s);
    const auto a = of("i", "a");
    (void)admit({a});
    (void)ended(a);
    EXPECT_THAT(order.take_ended(10), ElementsAre(end_of("i", 1)));
}

class GroupChain : public GroupOrderTest {
protected:
    void SetUp() override { (void)admit({a, b, c}); }

    [[nodiscard]] HeldJobPtr after(const HeldJobPtr& former, bool is_suited = true) {
        return order.next_in_chain(former, [&](const schema::Job&) { return is_suited; });
    }

    const HeldJobPtr a = of("i", "a");
    const HeldJobPtr b = of("i", "b");
    const HeldJobPtr c = of("i", "c");
};

TEST_F(GroupChain, Goes_on_before_the_former_outcome_is_written) {
    EXPECT_EQ(after(a), b);
    EXPECT_EQ(after(b), c);
    EXPECT_EQ(after(c), nullptr) << "nothing waits";
    EXPECT_EQ(order.waiting(), 0U);
}

TEST_F(GroupChain, Ends_the_group_when_all_of_it_is_written_in_whatever_order) {
    (void)after(a);
    EXPECT_THAT(ended(b), IsEmpty()) << "a is not written yet";
    EXPECT_THAT(admit({of("i", "d")}), IsEmpty());
    EXPECT_THAT(ended(a), ElementsAre("c"));
    (void)ended(c);
    EXPECT_FALSE(order.has_ended_groups()) << "d has its turn";
}

TEST_F(GroupChain, Starts_nothing_that_is_not_suited_or_not_its_turn) {
    EXPECT_EQ(after(a, false), nullptr);
    EXPECT_EQ(after(b), nullptr) << "it is a that runs";
    EXPECT_EQ(after(of("", "plain")), nullptr);
    EXPECT_THAT(ended(a), ElementsAre("b"));
}

TEST_F(GroupChain, Ends_with_a_lock_and_the_group_is_not_passed_on) {
    (void)after(a);
    a->is_lost = true;
    b->is_lost = true;
    EXPECT_EQ(after(b), nullptr);
    (void)order.take_all();
    (void)ended(a);
    (void)ended(b);
    EXPECT_FALSE(order.has_ended_groups());
}

// Others may hold it by now.
TEST_F(GroupOrderTest, A_group_of_which_a_lock_was_lost_is_not_passed_on) {
    const auto lost = of("i", "a");
    (void)admit({lost});
    lost->is_lost = true;
    (void)ended(lost);
    const auto expired = of("k", "b");
    (void)admit({expired});
    clock.tick(30s);
    (void)ended(expired);
    EXPECT_FALSE(order.has_ended_groups());
}

TEST_F(GroupOrderTest, No_more_groups_are_taken_than_were_asked_for) {
    for (const std::string instance : {"i", "j", "k"}) {
        const auto a = of(instance, "of-" + instance);
        (void)admit({a});
        (void)ended(a);
    }
    EXPECT_EQ(order.take_ended(2).size(), 2U);
    EXPECT_EQ(order.take_ended(2).size(), 1U);
}

/// What this node does with groups of which its last job has ended.
class GroupPasses : public testing::Test {
protected:
    void end_jobs_of(const std::vector<std::string>& instances) {
        for (const std::string& instance : instances) {
            schema::Job job = a_job("of " + instance).of_instance(instance);
            job.lock_expiration = clock_.now() + 30s;
            const auto held =
                std::make_shared<HeldJob>(std::move(job), clock_.steady_now() + 30s, instance);
            (void)order_.admit({held});
            const schema::Job* const ended = &held->job;
            (void)order_.ended(std::span(&ended, 1));
        }
    }

    static auto served_types(const auto& matcher) { return Field(&ServedJobs::types, matcher); }

    NiceMock<MockExecutorStore> store_;
    RecordingIntake intake_;
    schema::ManualClock clock_;
    GroupOrder order_{clock_, schema::ExclusiveOver::instance, 30s};
    GroupPassing passing_{{store_, order_, intake_, clock_}, {}};
};

TEST_F(GroupPasses, Sleep_until_a_group_has_ended) {
    EXPECT_CALL(store_, pass_on).Times(0);
    EXPECT_EQ(passing_.run_once(), executor::kUntilWoken);
}

TEST_F(GroupPasses, Take_what_waits_while_there_is_room) {
    intake_.free_places = 2;
    end_jobs_of({"a", "b", "c"});
    EXPECT_CALL(store_, pass_on(_, served_types(Not(IsEmpty())), _, SizeIs(2)))
        .WillOnce(Return(GroupsPassedOn{.jobs = {a_job("next of a")}, .busy = {}, .rest = {}}));
    EXPECT_EQ(passing_.run_once(), 0s) << "there is one more";
    EXPECT_THAT(intake_.ids(), ElementsAre("next of a"));
}

TEST_F(GroupPasses, Look_again_at_once_when_nothing_was_claimed) {
    intake_.free_places = 3;
    end_jobs_of({"a", "b"});
    EXPECT_CALL(store_, pass_on(_, _, _, SizeIs(2)))
        .WillOnce(testing::Throw(persistence::NothingClaimed{}))
        .WillOnce(Return(GroupsPassedOn{}));
    EXPECT_EQ(passing_.run_once(), 0s);
    EXPECT_EQ(passing_.run_once(), executor::kUntilWoken);
}

TEST_F(GroupPasses, Free_what_waits_for_others_when_there_is_no_room) {
    intake_.free_places = 0;
    end_jobs_of({"a", "b", "c"});
    EXPECT_CALL(store_, pass_on(_, served_types(IsEmpty()), _, SizeIs(3)))
        .WillOnce(Return(GroupsPassedOn{}));
    EXPECT_EQ(passing_.run_once(), executor::kUntilWoken);
}

/// A pass takes what waits for limits and now has room.
class LimitPasses : public testing::Test {
protected:
    LimitPasses() {
        intake_.free_places = 3;
        ON_CALL(store_, refresh_limits).WillByDefault(Return(true));
    }

    NiceMock<MockExecutorStore> store_;
    RecordingIntake intake_;
    schema::ManualClock clock_;
    LimitPassing passing_{{store_, intake_, clock_}, 3s};
};

TEST_F(LimitPasses, Take_what_has_room_and_look_again_at_once) {
    EXPECT_CALL(store_, acquire_limited(_, _, persistence::PageLimit(3), std::string_view()))
        .WillOnce(Return(LimitedJobs{.jobs = {a_job("a")}, .end = {}}))
        .WillOnce(Return(LimitedJobs{}));
    EXPECT_EQ(passing_.run_once(), 0s);
    EXPECT_THAT(intake_.ids(), ElementsAre("a"));
    EXPECT_EQ(passing_.run_once(), 1s);
}

TEST_F(LimitPasses, Go_through_all_groups) {
    EXPECT_CALL(store_, acquire_limited(_, _, _, std::string_view()))
        .WillOnce(Return(LimitedJobs{.jobs = {}, .end = "tenant:m"}));
    EXPECT_CALL(store_, acquire_limited(_, _, _, std::string_view("tenant:m")))
        .WillOnce(Return(LimitedJobs{}));
    EXPECT_EQ(passing_.run_once(), 0s);
    EXPECT_EQ(passing_.run_once(), 1s);
}

TEST_F(LimitPasses, Look_again_when_a_rate_lets_more_start) {
    EXPECT_CALL(store_, acquire_limited)
        .WillOnce(Return(LimitedJobs{.jobs = {}, .end = "type:a", .until_next = 150ms}))
        .WillOnce(Return(LimitedJobs{.jobs = {}, .end = {}, .until_next = 700ms}))
        .WillOnce(Return(LimitedJobs{.jobs = {}, .end = {}, .until_next = 1ms}))
        .WillOnce(Return(LimitedJobs{.jobs = {}, .end = {}, .until_next = 1h}))
        .WillOnce(Return(LimitedJobs{}));
    EXPECT_EQ(passing_.run_once(), 0s);
    EXPECT_EQ(passing_.run_once(), 150ms);
    EXPECT_EQ(passing_.run_once(), 20ms) << "and never in a circle";
    EXPECT_EQ(passing_.run_once(), 1s) << "others make room, too";
    EXPECT_EQ(passing_.run_once(), 1s);
}

TEST_F(LimitPasses, Ask_for_nothing_without_room_here) {
    intake_.free_places = 0;
    EXPECT_CALL(store_, acquire_limited).Times(0);
    EXPECT_EQ(passing_.run_once(), 1s);
}

TEST_F(LimitPasses, Read_the_limits_anew_in_their_time_and_seldom_look_without_any) {
    EXPECT_CALL(store_, refresh_limits).Times(2).WillRepeatedly(Return(false));
    EXPECT_EQ(passing_.run_once(), 3s);
    EXPECT_EQ(passing_.run_once(), 3s);
    clock_.tick(3s);
    EXPECT_EQ(passing_.run_once(), 3s);
}

bool is_mail(const schema::Job& job) {
    return job.handler_type == "mail";
}

TEST(LimitedRunsHere, Are_no_more_than_workers) {
    NiceMock<MockExecutorStore> store;
    ON_CALL(store, meets_limit).WillByDefault(is_mail);
    LimitedRuns runs(2, store);
    schema::Job mail = a_job("mail");
    mail.handler_type = "mail";
    const schema::Job other = a_job("other");
    runs.add({mail, other});
    EXPECT_EQ(runs.room(), 1U);
    const std::array<const schema::Job*, 1> others{&other};
    EXPECT_FALSE(runs.ended(others));
    const std::array<const schema::Job*, 1> mails{&mail};
    EXPECT_TRUE(runs.ended(mails));
    EXPECT_EQ(runs.room(), 2U);
    EXPECT_FALSE(runs.ended(mails)) << "it is told once";
}

}  // namespace

}  // namespace jobstrand::test
