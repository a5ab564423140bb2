#include "executor/node_presence.hpp"

#include "executor/expired_lock_reset.hpp"
#include "executor/held_locks.hpp"
#include "executor/loop/clock_comparison.hpp"
#include "persistence/sql/db_error.hpp"
#include "schema/acquisition.hpp"
#include "schema/clock.hpp"
#include "test/fixtures/job_builder.hpp"
#include "test/fixtures/mock_stores.hpp"
#include "test/fixtures/recording_intake.hpp"
#include "test/fixtures/recording_log.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <thread>

namespace jobstrand::executor {

namespace {

using persistence::LeaseAnswer;
using persistence::LockSearch;
using persistence::NodeState;
using persistence::ServedJobs;
using schema::LogLevel;
using testing::_;
using testing::AtLeast;
using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;
using testing::NiceMock;
using testing::Return;
using namespace std::chrono_literals;

constexpr schema::Duration kLease = 9s;
const LeaseAnswer kHeld{.is_held = true};
const LeaseAnswer kGone{};

class NodePresenceTest : public testing::Test {
protected:
    void lease_is(LeaseAnswer answer) {
        ON_CALL(nodes, renew_lease(_, _, _)).WillByDefault(Return(answer));
    }

    /// Registers; from then on its lease is held.
    void register_node() {
        (void)presence.run_once();
        lease_is(kHeld);
    }

    /// All that was expected must have come. The lease is held.
    void expect_anew() {
        testing::Mock::VerifyAndClearExpectations(&nodes);
        lease_is(kHeld);
    }

    /// Passes until `span` is over, of which every third of the lease one renews it.
    void live_for(schema::Duration span) {
        for (schema::Duration wait{0}; span > 0ms; span -= wait) {
            wait = presence.run_once();
            EXPECT_EQ(dead.run_once(), kUntilWoken);
            clock.tick(wait);
        }
    }

    bool takes_jobs() const { return lease.takes_jobs(clock.steady_now()); }

    NiceMock<test::MockNodeStore> nodes;
    NiceMock<test::MockExecutorStore> jobs;
    test::RecordingIntake intake;
    schema::ManualClock clock;
    test::RecordingLog log;
    WakeUps wake_ups;
    LastView view{wake_ups};  ///< Nobody has looked, unless a test says so.
    NodeLease lease;
    DeadNodes dead{{nodes, jobs, clock, wake_ups, log}, "intake", kLease / 2};
    int checks = 0;
    persistence::NodeWork work;
    std::vector<persistence::AskedTopic> asked;
    NodePresence presence{
        {.nodes = nodes,
         .intake = intake,
         .lease = lease,
         .dead = dead,
         .wake_ups = wake_ups,
         .clock = clock,
         .log = log,
         .load = [] { return persistence::NodeLoad{.workers = 8, .running = 3, .held = 5}; },
         .work = [this] { return work; },
         .asked = [this] { return asked; },
         .check_locks = [this] { ++checks; },
         .view = &view},
        {.node = "intake", .incarnation = "first"},
        kLease};
};

TEST_F(NodePresenceTest, What_the_node_does_is_told_when_it_has_changed) {
    lease_is(kHeld);
    EXPECT_CALL(nodes, record_work(_, _)).Times(0);
    live_for(kLease);
    expect_anew();
    work = {
        .runs = {{.id = "a", .revision = 2, .since = clock.now()}},
        .last_minute = {{.handler_type = "mail", .runs = 7}},
    };
    EXPECT_CALL(nodes, record_work("intake", work)).Times(1);
    live_for(kLease);
    work.runs.front().since += 1ms;  // The clock was compared in between.
    live_for(kLease);
    expect_anew();
    work.runs.front().revision = 3;
    EXPECT_CALL(nodes, record_work("intake", work)).Times(1);
    live_for(kLease);
}

TEST_F(NodePresenceTest, What_the_node_does_is_told_within_two_seconds_though_no_lease_is_renewed) {
    register_node();
    clock.tick(2s);
    work.last_minute = {{.handler_type = "mail", .runs = 7, .failed = 2, .span = 2s}};
    EXPECT_CALL(nodes, renew_lease(_, _, _)).Times(0);
    EXPECT_CALL(nodes, record_work("intake", work)).Times(1);
    EXPECT_EQ(presence.run_once(), kLease / 3 - 2s);
    expect_anew();
    EXPECT_CALL(nodes, renew_lease(_, _, _)).Times(1);
    clock.tick(kLease / 3 - 2s);
    EXPECT_EQ(presence.run_once(), 2s);
}

TEST_F(NodePresenceTest, A_node_that_was_cut_off_sees_others_when_they_had_time_to_come_back) {
    EXPECT_FALSE(lease.sees_others(clock.steady_now()));
    (void)presence.run_once();
    EXPECT_TRUE(lease.sees_others(clock.steady_now())) << "it has just begun";
    lease_is(kHeld);
    clock.tick(kLease + 1ms);
    EXPECT_FALSE(lease.sees_others(clock.steady_now()));
    live_for(kLease);
    EXPECT_TRUE(lease.sees_others(clock.steady_now()));
    clock.tick(kLease);
    (void)presence.run_once();
    EXPECT_FALSE(lease.sees_others(clock.steady_now())) << "but its lease is held";
    EXPECT_TRUE(lease.is_held(clock.steady_now()));
}

TEST_F(NodePresenceTest, A_standstill_is_told_and_its_end) {
    register_node();
    work.standstill = "3 jobs are held, and none of them runs";
    EXPECT_CALL(nodes, record_work("intake", work)).Times(1);
    live_for(kLease);
    expect_anew();
    work.standstill.clear();
    EXPECT_CALL(nodes, record_work("intake", work)).Times(1);
    live_for(kLease);
}

TEST_F(NodePresenceTest, Workers_that_ask_are_told_when_they_are_new_and_seldom_again) {
    register_node();
    asked = {{.topic = "pay", .worker = "w", .last = clock.now()}};
    EXPECT_CALL(nodes, record_asked("intake", ElementsAre(asked.front()))).Times(1);
    live_for(kLease);
    asked.front().last += 29s;
    live_for(kLease);
    expect_anew();
    asked.front().last += 1s;
    EXPECT_CALL(nodes, record_asked("intake", ElementsAre(asked.front()))).Times(1);
    live_for(kLease);
}

TEST_F(NodePresenceTest, What_the_database_does_not_take_of_it_keeps_no_lease_from_being_renewed) {
    register_node();
    asked = {{.topic = "pay", .worker = "w", .last = clock.now()}};
    ON_CALL(nodes, record_asked(_, _))
        .WillByDefault(testing::Throw(persistence::DbError(persistence::DbErrorKind::other, "no")));
    EXPECT_CALL(nodes, renew_lease(_, _, _)).Times(3);
    for (int renewals = 0; renewals < 3; ++renewals) {
        clock.tick(kLease / 3);
        EXPECT_THROW((void)presence.run_once(), persistence::DbError);
        EXPECT_EQ(presence.run_once(), 2s) << "told again with the next renewal";
        EXPECT_TRUE(takes_jobs());
    }
}

TEST_F(NodePresenceTest, A_node_that_registers_anew_tells_again_what_it_does) {
    lease_is(kHeld);
    work.last_minute = {{.handler_type = "mail", .runs = 7}};
    live_for(kLease);
    lease_is(kGone);
    EXPECT_CALL(nodes, record_work("intake", work)).Times(1);
    (void)presence.run_once();
}

TEST_F(NodePresenceTest, Registers_with_what_the_node_serves_before_it_takes_a_job) {
    EXPECT_FALSE(takes_jobs());
    EXPECT_CALL(
        nodes,
        register_node(
            Field(&persistence::NodeIdentity::node, "intake"),
            Field(&ServedJobs::types, ElementsAre("mail")),
            clock.now(),
            clock.now() + kLease
        )
    );
    EXPECT_EQ(presence.run_once(), 2s);
    EXPECT_TRUE(takes_jobs());
}

TEST_F(NodePresenceTest, Takes_no_job_when_it_could_not_renew_its_lease_in_time) {
    (void)presence.run_once();
    clock.tick(kLease - 1ms);
    EXPECT_TRUE(takes_jobs());
    EXPECT_EQ(lease.left(clock.steady_now()), 1ms);
    clock.tick(1ms);
    EXPECT_FALSE(takes_jobs());
    EXPECT_EQ(lease.left(clock.steady_now()), 0ms);
}

TEST_F(NodePresenceTest, Looks_at_its_locks_before_it_goes_on_when_others_have_ended_its_lease) {
    (void)presence.run_once();
    checks = 0;
    clock.tick(kLease);
    lease_is(kGone);
    EXPECT_CALL(nodes, register_node(_, _, _, _));
    (void)presence.run_once();
    EXPECT_EQ(checks, 1);
    EXPECT_TRUE(takes_jobs());
    EXPECT_EQ(log.count(schema::LogLevel::warn, "lease was over"), 1);
}

// I9
TEST_F(NodePresenceTest, Looks_at_its_locks_also_when_its_registration_went_unanswered) {
    (void)presence.run_once();
    checks = 0;
    clock.tick(kLease);
    lease_is(kGone);
    EXPECT_CALL(nodes, register_node(_, _, _, _))
        .WillOnce(testing::Throw(persistence::DbError(persistence::DbErrorKind::in_doubt, "?")));
    EXPECT_THROW((void)presence.run_once(), persistence::DbError);
    lease_is(kHeld);
    EXPECT_FALSE(takes_jobs());
    (void)presence.run_once();
    EXPECT_EQ(checks, 1);
    EXPECT_TRUE(takes_jobs());
}

TEST_F(NodePresenceTest, Does_not_register_anew_when_nobody_has_ended_its_late_lease) {
    (void)presence.run_once();
    clock.tick(kLease);
    lease_is(kHeld);
    EXPECT_CALL(nodes, register_node(_, _, _, _)).Times(0);
    (void)presence.run_once();
    EXPECT_TRUE(takes_jobs());
}

TEST_F(NodePresenceTest, Looks_at_no_lock_while_its_lease_holds) {
    (void)presence.run_once();
    checks = 0;
    lease_is(kHeld);
    live_for(kLease);
    EXPECT_EQ(checks, 0);
}

TEST_F(NodePresenceTest, Takes_no_job_any_more_when_another_has_started_under_its_name) {
    (void)presence.run_once();
    lease_is({.is_taken_over = true});
    EXPECT_CALL(nodes, register_node(_, _, _, _)).Times(0);
    live_for(kLease * 2);
    EXPECT_FALSE(takes_jobs());
    EXPECT_EQ(log.count(schema::LogLevel::error, "another executor has started"), 1);
}

// R101
TEST_F(NodePresenceTest, What_the_node_serves_is_told_when_it_has_changed) {
    register_node();
    EXPECT_CALL(nodes, record_served(_, _)).Times(0);
    live_for(kLease);
    expect_anew();
    intake.served_jobs.types = {"bill", "mail"};
    EXPECT_CALL(
        nodes, record_served("intake", Field(&ServedJobs::types, ElementsAre("bill", "mail")))
    );
    live_for(kLease);
}

TEST_F(NodePresenceTest, What_could_not_be_told_of_what_is_served_is_told_again) {
    register_node();
    intake.served_jobs.scope.tenants = {"acme"};
    EXPECT_CALL(nodes, record_served(_, _))
        .WillOnce(testing::Throw(persistence::DbError(persistence::DbErrorKind::busy, "later")))
        .WillOnce(Return());
    EXPECT_THROW((void)presence.run_once(), persistence::DbError);
    live_for(kLease);
}

TEST_F(NodePresenceTest, Is_drained_and_resumed_by_an_operator) {
    (void)presence.run_once();
    lease_is({.is_held = true, .state = NodeState::draining});
    EXPECT_CALL(nodes, record_served("intake", Field(&ServedJobs::types, IsEmpty())));
    live_for(kLease);
    EXPECT_FALSE(takes_jobs());
    EXPECT_TRUE(lease.is_held(clock.steady_now())) << "what it has taken may start";

    lease_is(kHeld);
    EXPECT_CALL(nodes, record_served("intake", Field(&ServedJobs::types, ElementsAre("mail"))));
    live_for(kLease);
    EXPECT_TRUE(takes_jobs());
}

TEST_F(NodePresenceTest, Frees_the_jobs_of_dead_nodes) {
    register_node();
    live_for(kLease);
    const schema::TimePoint asked_at = clock.now();
    EXPECT_CALL(nodes, end_expired_leases(_)).Times(0);
    (void)presence.run_once();
    testing::Mock::VerifyAndClearExpectations(&nodes);

    // A node that renews its lease while this one looks has a later one than it asked about.
    clock.tick(kLease);
    EXPECT_CALL(nodes, end_expired_leases(Field(&persistence::LeaseLook::now, asked_at)))
        .WillOnce(Return(std::vector<std::string>{"dead", "gone"}));
    EXPECT_CALL(
        jobs,
        reset_expired_locks(_, Field(&persistence::LockSearch::owners, ElementsAre("dead", "gone")))
    )
        .Times(2)
        .WillRepeatedly(Return(persistence::LockReset{.freed = 3, .end = ""}));
    EXPECT_CALL(jobs, reset_expired_groups(_, ElementsAre("dead", "gone"))).WillOnce(Return(1));
    EXPECT_EQ(dead.run_once(), kUntilWoken);
    EXPECT_EQ(dead.run_once(), kUntilWoken) << "nobody has asked again";
    EXPECT_EQ(dead.found(), 2U);
    EXPECT_EQ(log.count(schema::LogLevel::warn, "have not renewed their leases"), 1);
}

TEST_F(NodePresenceTest, Looks_for_dead_nodes_when_a_lease_may_end_before_its_next_pass) {
    lease_is(kHeld);
    live_for(kLease);
    view.saw({.first_lease_end = clock.now() + kLease / 3}, clock.steady_now());
    EXPECT_CALL(nodes, end_expired_leases(_)).Times(0);
    live_for(kLease / 3);
    expect_anew();
    view.saw({.first_lease_end = clock.now() + kLease / 3 - 1ms}, clock.steady_now());
    EXPECT_CALL(nodes, end_expired_leases(_)).Times(1);
    live_for(kLease / 3);
}

// After an outage of the database everybody's lease is over, and nobody has died.
TEST_F(NodePresenceTest, Takes_nobody_for_dead_until_its_own_lease_has_held_for_long_enough) {
    lease_is(kHeld);
    EXPECT_CALL(nodes, end_expired_leases(_)).Times(0);
    live_for(kLease);
    expect_anew();
    EXPECT_CALL(nodes, end_expired_leases(_)).Times(1);
    live_for(kLease / 3);

    clock.tick(kLease);  // The database was away.
    EXPECT_CALL(nodes, end_expired_leases(_)).Times(0);
    live_for(kLease);
}

// I6
TEST_F(NodePresenceTest, Takes_nobody_for_dead_after_a_jump_of_the_clock_until_all_have_noticed) {
    lease_is(kHeld);
    live_for(kLease * 2);
    clock.set_wall(clock.now() + 1h);
    EXPECT_CALL(nodes, end_expired_leases(_)).Times(0);
    live_for(kLease + 9s);
}

TEST_F(NodePresenceTest, Serves_nothing_while_it_leaves_and_leaves_under_its_own_name) {
    (void)presence.run_once();
    EXPECT_CALL(nodes, record_served("intake", Field(&ServedJobs::types, IsEmpty())));
    presence.stop_serving();
    EXPECT_CALL(nodes, leave(Field(&persistence::NodeIdentity::incarnation, "first")));
    presence.leave();
}

TEST(FreshLockOwner, Tells_this_process_and_is_never_the_same) {
    const std::string owner = fresh_lock_owner();
    const auto node = schema::node_of(owner);
    ASSERT_TRUE(node);
    EXPECT_EQ(node->process, ::getpid());
    EXPECT_FALSE(node->host.empty());
    EXPECT_NE(owner, fresh_lock_owner());
}

TEST(IdentityOf, Is_another_incarnation_each_time_under_one_name) {
    const persistence::NodeIdentity first = identity_of("node-1");
    EXPECT_EQ(first.node, "node-1");
    EXPECT_EQ(first.process, ::getpid());
    EXPECT_FALSE(first.host.empty());
    EXPECT_NE(first.incarnation, identity_of("node-1").incarnation);
}

// Containers have such names.
TEST(FreshLockOwner, Tells_a_host_whose_name_is_as_long_as_it_may_be) {
    const std::string longest(64, 'h');
    std::string owner;
    bool is_named = false;
    std::thread([&] {  // The name is another one for this thread alone.
        is_named =
            ::unshare(CLONE_NEWUTS) == 0 && ::sethostname(longest.data(), longest.size()) == 0;
        owner = fresh_lock_owner();
    })
        .join();
    if (!is_named) {
        GTEST_SKIP() << "the name of the host cannot be changed here";
    }
    EXPECT_EQ(schema::node_of(owner)->host, longest);
}

class MockClockSource : public persistence::ClockSource {
public:
    MOCK_METHOD(std::optional<schema::TimePoint>, database_now, (), (override));
};

/// A node and a database whose clock is `ahead` of the node's.
class ClockComparisonTest : public testing::Test {
protected:
    ClockComparisonTest() {
        ON_CALL(database, database_now).WillByDefault([this] { return machine.now() + ahead; });
        EXPECT_CALL(database, database_now).Times(testing::AnyNumber());
    }

    [[nodiscard]] std::ptrdiff_t warnings() const {
        return log.count(LogLevel::warn, "this machine's clock is not the database's");
    }

    schema::Duration ahead{0};
    testing::StrictMock<MockClockSource> database;
    testing::StrictMock<test::MockExecutorStore> store;
    schema::ManualClock machine;
    schema::DatabaseClock clock{machine};
    test::RecordingLog log;
    ClockComparison comparison{database, clock, log};
};

TEST_F(ClockComparisonTest, The_clock_follows_the_database_and_is_compared_again_and_again) {
    ahead = 10min;
    EXPECT_EQ(comparison.run_once(), kClockComparisonInterval);
    EXPECT_EQ(clock.now(), machine.now() + 10min);
    ahead = 11min;
    EXPECT_EQ(comparison.run_once(), kClockComparisonInterval);
    EXPECT_EQ(clock.now(), machine.now() + 11min);
}

TEST_F(ClockComparisonTest, A_database_without_a_clock_of_its_own_is_asked_once) {
    EXPECT_CALL(database, database_now).WillOnce(Return(std::nullopt));
    EXPECT_EQ(comparison.run_once(), kUntilWoken);
    EXPECT_EQ(clock.now(), machine.now());
}

TEST_F(ClockComparisonTest, A_skew_beyond_a_second_is_warned_of_once_per_change) {
    ahead = 999ms;
    (void)comparison.run_once();
    EXPECT_EQ(warnings(), 0);
    ahead = -10min;
    (void)comparison.run_once();
    (void)comparison.run_once();
    ahead = -10min - 1s;  // The time synchronization of one of the two is at work.
    (void)comparison.run_once();
    EXPECT_EQ(warnings(), 1);
    EXPECT_EQ(log.lines().back().fields, "skew_ms=600000 ");
    ahead = 0s;
    (void)comparison.run_once();
    (void)comparison.run_once();
    EXPECT_EQ(warnings(), 1);
    EXPECT_EQ(log.count(LogLevel::info, "agrees with the database's again"), 1);
}

// I3 I6
TEST_F(
    ClockComparisonTest,
    When_the_databases_clock_jumps_live_locks_are_renewed_before_any_is_freed
) {
    constexpr schema::Duration lock_time = 30s;
    constexpr schema::Duration interval = 10s;
    const WakeUps nobody;
    ExpiredLockReset reset(
        {store, clock, nobody, log}, {.interval = interval, .lock_time = lock_time}
    );
    EXPECT_CALL(store, back_since()).Times(testing::AnyNumber());
    EXPECT_CALL(store, reset_expired_locks(_, _)).Times(AtLeast(1));
    (void)comparison.run_once();
    (void)reset.run_once();
    machine.tick(interval);

    ahead = 1h;
    (void)comparison.run_once();
    // Nobody else notices later than a comparison's interval, and then renews within a lock time.
    for (schema::Duration waited = 0s; waited < kClockComparisonInterval + lock_time;
         waited += interval) {
        EXPECT_CALL(store, reset_expired_locks(_, _)).Times(0);
        EXPECT_EQ(reset.run_once(), interval);
        machine.tick(interval);
    }
    EXPECT_EQ(log.count(LogLevel::warn, "the clock has jumped forward"), 1);
    const auto at_the_new_time = Field(&LockSearch::now, machine.now() + 1h);
    EXPECT_CALL(store, reset_expired_locks(_, at_the_new_time)).Times(AtLeast(1));
    (void)reset.run_once();
}

TEST_F(ClockComparisonTest, A_renewal_after_a_jump_locks_by_the_new_time) {
    HeldJobs held;
    LockRenewal renewal({store, held, clock, log}, "node-1", 30s);
    (void)comparison.run_once();
    (void)held.add({test::a_job("a")}, clock.steady_now() + 30s);
    machine.tick(11s);
    ahead = -1h;
    (void)comparison.run_once();
    EXPECT_CALL(store, extend_locks(_, _)).WillOnce([&](const persistence::LockClaim& claim, auto) {
        EXPECT_EQ(claim.until, machine.now() - 1h + 30s);
        return std::vector<std::string>{};
    });
    (void)renewal.run_once();
}

}  // namespace

}  // namespace jobstrand::executor
