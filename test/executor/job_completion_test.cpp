#include "executor/job_completion.hpp"

#include "executor/held_locks.hpp"
#include "executor/pool/held_jobs.hpp"
#include "persistence/sql/db_error.hpp"
#include "schema/clock.hpp"
#include "test/fixtures/job_builder.hpp"
#include "test/fixtures/mock_stores.hpp"
#include "test/fixtures/recording_log.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace jobstrand::executor {

namespace {

using persistence::DbError;
using persistence::DbErrorKind;
using persistence::Fence;
using persistence::Outcome;
using persistence::OutcomeAnswer;
using test::a_job;
using testing::_;
using testing::ElementsAre;
using testing::Field;
using testing::InSequence;
using testing::SizeIs;
using testing::Throw;
using namespace std::chrono_literals;
using Outcomes = std::span<const Outcome>;

class JobCompletionTest : public testing::Test {
protected:
    void add(const std::string& id) {
        const schema::Job job = a_job(id);
        (void)held.add({job}, schema::SteadyPoint::max());
        add_outcome(job, schema::completed(job));
    }

    void add_in_order(const std::string& id, const std::string& instance = {}) {
        schema::Job job = a_job(id);
        job.process_instance_id = instance;
        (void)held.add({job}, schema::SteadyPoint::max());
        completion.add_in_order(
            {.job = std::make_shared<const schema::Job>(job), .transition = schema::completed(job)}
        );
    }

    void add_many(int count) {
        for (int i = 0; i < count; ++i) {
            add("job-" + std::to_string(i));
        }
    }

    void add_outcome(const schema::Job& job, schema::Transition transition) {
        completion.add(
            {.job = std::make_shared<const schema::Job>(job), .transition = std::move(transition)}
        );
    }

    auto& expect_batch(std::size_t size) {
        return EXPECT_CALL(
            store, apply(std::string_view("node-1"), testing::Matcher<Outcomes>(SizeIs(size)))
        );
    }

    testing::StrictMock<test::MockExecutorStore> store;
    HeldJobs held;
    test::RecordingLog log;
    WakeUps wake_ups;
    schema::ManualClock clock;
    std::vector<std::set<std::string>> refused_types;
    JobCompletion completion{
        {store,
         held,
         wake_ups,
         clock,
         log,
         [this](std::set<std::string> types) { refused_types.push_back(std::move(types)); }},
        "node-1"};
};

TEST_F(JobCompletionTest, All_outcomes_that_have_gathered_are_written_together) {
    add("a");
    add("b");
    add("c");
    expect_batch(3).WillOnce(testing::Return(std::vector(3, OutcomeAnswer::done)));
    EXPECT_EQ(completion.run_once(), kUntilWoken);
    EXPECT_TRUE(completion.is_empty());
    EXPECT_EQ(held.size(), 0U);
    EXPECT_EQ(completion.report().times.total(), 1U) << "one transaction";
}

TEST_F(JobCompletionTest, Tells_the_earliest_due_date_of_the_retries_that_it_stored) {
    std::vector<schema::TimePoint> told;
    wake_ups.sleepers.timer_mover = [&](schema::TimePoint due) { told.push_back(due); };
    const schema::TimePoint now{std::chrono::hours(1)};
    add("a");
    for (const auto wait : {std::chrono::seconds(9), std::chrono::seconds(3)}) {
        const schema::Job job = a_job("b");
        add_outcome(job, schema::interrupted(job, wait, now));
    }
    expect_batch(3).WillOnce(testing::Return(std::vector(3, OutcomeAnswer::done)));
    (void)completion.run_once();
    EXPECT_THAT(told, testing::ElementsAre(now + std::chrono::seconds(3)));
}

TEST_F(JobCompletionTest, Only_the_first_outcome_in_an_empty_mailbox_wakes_the_loop) {
    int wakes = 0;
    wake_ups.sleepers.completion = [&] { ++wakes; };
    add("a");
    add("b");
    EXPECT_EQ(wakes, 1);
}

TEST_F(JobCompletionTest, A_lost_lock_is_an_answer_and_no_error) {
    add("a");
    EXPECT_CALL(store, uncount_starts(ElementsAre("a")));
    expect_batch(1).WillOnce(testing::Return(std::vector{OutcomeAnswer::lost_lock}));
    EXPECT_EQ(completion.run_once(), kUntilWoken);
    EXPECT_EQ(held.size(), 0U);
    EXPECT_EQ(log.count(schema::LogLevel::info, "lock was lost"), 1);
    EXPECT_EQ(log.count(schema::LogLevel::warn, ""), 0);
}

TEST_F(JobCompletionTest, Starts_that_ended_after_their_lock_was_lost_do_not_count_as_lost) {
    schema::Job waited = a_job("waited");
    waited.lost_starts = 2;
    schema::Job ran = a_job("ran");
    ran.lost_starts = 2;
    add("new");
    add_outcome(waited, schema::released(waited));
    add_outcome(ran, schema::completed(ran));
    expect_batch(3).WillOnce(testing::Return(std::vector(3, OutcomeAnswer::lost_lock)));
    EXPECT_CALL(store, uncount_starts(ElementsAre("new", "ran")))
        .WillOnce(testing::Throw(DbError(DbErrorKind::unreachable, "gone")));
    EXPECT_EQ(completion.run_once(), kUntilWoken);
    EXPECT_EQ(log.count(schema::LogLevel::warn, "still count as lost"), 1);
    EXPECT_TRUE(completion.is_empty());
}

TEST_F(JobCompletionTest, A_failure_is_told_when_it_is_stored) {
    const schema::Job job = a_job("a");
    const schema::TimePoint now{std::chrono::hours(1)};
    add_outcome(job, schema::failed(job, {.message = "no ink"}, {}, now));
    expect_batch(1)
        .WillOnce(testing::Throw(DbError(DbErrorKind::unreachable, "gone")))
        .WillOnce(testing::Return(std::vector{OutcomeAnswer::done}));
    EXPECT_THROW((void)completion.run_once(), DbError);
    EXPECT_EQ(log.count(schema::LogLevel::warn, "failed"), 0);
    (void)completion.run_once();
    EXPECT_EQ(log.count(schema::LogLevel::warn, "a job failed; it is tried again"), 1);
}

TEST_F(JobCompletionTest, After_a_storm_it_comes_back_to_say_how_many_failures_there_were) {
    const schema::Job job = a_job("a");
    for (int i = 0; i < 100; ++i) {
        add_outcome(job, schema::failed(job, {.message = "no ink"}, {}, clock.now()));
    }
    expect_batch(100).WillOnce(testing::Return(std::vector(100, OutcomeAnswer::done)));
    EXPECT_EQ(completion.run_once(), std::chrono::seconds(1));
    clock.tick(std::chrono::seconds(1));
    EXPECT_EQ(completion.run_once(), kUntilWoken);
    EXPECT_EQ(log.count(schema::LogLevel::warn, "more jobs failed"), 1);
}

TEST_F(JobCompletionTest, Jobs_that_this_node_cannot_serve_are_told_of) {
    int told = 0;
    wake_ups.sleepers.unserved = [&] { ++told; };
    const schema::Job job = a_job("a");
    add_outcome(job, schema::released(job));
    expect_batch(1).WillRepeatedly(testing::Return(std::vector{OutcomeAnswer::done}));
    (void)completion.run_once();
    EXPECT_EQ(told, 0);
    add_outcome(job, schema::not_served(job, "[commands.x]"));
    (void)completion.run_once();
    EXPECT_EQ(told, 1);
}

TEST_F(JobCompletionTest, Outcomes_stay_until_a_database_that_was_away_takes_them) {
    add("a");
    expect_batch(1).WillOnce(testing::Throw(DbError(DbErrorKind::connection_lost, "gone")));
    EXPECT_THROW((void)completion.run_once(), DbError);
    EXPECT_FALSE(completion.is_empty());
    EXPECT_EQ(held.size(), 1U);

    add("b");
    expect_batch(2).WillOnce(testing::Return(std::vector(2, OutcomeAnswer::done)));
    EXPECT_EQ(completion.run_once(), kUntilWoken);
    EXPECT_TRUE(completion.is_empty());
}

/// The database refuses one outcome, whatever comes with it.
class RefusedOutcome : public JobCompletionTest {
protected:
    RefusedOutcome() {
        EXPECT_CALL(store, apply(_, testing::Matcher<Outcomes>(_)))
            .WillRepeatedly([this](std::string_view, Outcomes outcomes) {
                for (const Outcome& outcome : outcomes) {
                    if (is_refused && outcome.job->id == "bad") {
                        throw DbError(kind, "a trigger");
                    }
                    if (outcome.job->id == broken_at && outcomes.size() == 1) {
                        broken_at.clear();
                        throw std::runtime_error("no memory");
                    }
                    if (outcome.job->id == away_at) {
                        away_at.clear();
                        throw DbError(DbErrorKind::unreachable, "gone");
                    }
                }
                for (const Outcome& outcome : outcomes) {
                    written.push_back(outcome.job->id);
                }
                return std::vector<OutcomeAnswer>(outcomes.size(), OutcomeAnswer::done);
            });
    }

    bool is_refused = true;
    std::string away_at;    ///< The database goes away once, at this job.
    std::string broken_at;  ///< Something else goes wrong once, when this one is written alone.
    DbErrorKind kind = DbErrorKind::other;
    std::vector<std::string> written;
};

TEST_F(RefusedOutcome, Does_not_hold_up_the_others_and_stays_held) {
    add("good");
    add("bad");
    add("fine");
    (void)completion.run_once();
    EXPECT_EQ(held.size(), 1U) << "its lock is renewed, and nobody runs it again";
    EXPECT_EQ(log.count(schema::LogLevel::error, "refuses what became of a job"), 1);
    EXPECT_THAT(refused_types, ElementsAre(std::set<std::string>{"noop"}));
}

TEST_F(RefusedOutcome, Is_tried_again_ever_more_rarely_until_it_is_taken) {
    add("bad");
    EXPECT_EQ(completion.run_once(), 1s);
    clock.tick(1s);
    EXPECT_EQ(completion.run_once(), 2s);
    EXPECT_EQ(log.count(schema::LogLevel::error, "refuses what became of a job"), 1);
    is_refused = false;
    clock.tick(1s);
    EXPECT_EQ(completion.run_once(), 1s) << "not yet";
    clock.tick(1s);
    (void)completion.run_once();
    EXPECT_EQ(held.size(), 0U);
    EXPECT_TRUE(completion.is_empty());
    EXPECT_THAT(refused_types, ElementsAre(std::set<std::string>{"noop"}, std::set<std::string>{}));
}

TEST_F(RefusedOutcome, Is_written_before_those_of_its_instance_and_holds_up_no_other) {
    add_in_order("bad", "instance");
    add_in_order("second", "instance");
    add_in_order("other", "another instance");
    (void)completion.run_once();
    add_in_order("third", "instance");
    add_in_order("alone");
    (void)completion.run_once();
    clock.tick(1s);
    (void)completion.run_once();
    EXPECT_THAT(written, ElementsAre("other", "alone"));
    EXPECT_EQ(held.size(), 3U);
    is_refused = false;
    clock.tick(2s);
    EXPECT_EQ(completion.run_once(), kUntilWoken);
    EXPECT_THAT(written, ElementsAre("other", "alone", "bad", "second", "third"));
    EXPECT_EQ(held.size(), 0U);
    EXPECT_TRUE(completion.is_empty());
}

TEST_F(RefusedOutcome, Keeps_its_order_also_when_the_database_goes_away_meanwhile) {
    add_in_order("bad", "instance");
    add_in_order("second", "instance");
    add_in_order("other", "another instance");
    away_at = "other";
    EXPECT_THROW((void)completion.run_once(), DbError);
    (void)completion.run_once();
    EXPECT_THAT(written, ElementsAre("other"));
    is_refused = false;
    clock.tick(1s);
    (void)completion.run_once();
    EXPECT_THAT(written, ElementsAre("other", "bad", "second"));
    EXPECT_TRUE(completion.is_empty());
}

TEST_F(RefusedOutcome, Keeps_no_job_of_its_instance_that_has_not_run) {
    add_in_order("bad", "instance");
    schema::Job waits = a_job("waits");
    waits.process_instance_id = "instance";
    add_outcome(waits, schema::released(waits));
    (void)completion.run_once();
    EXPECT_THAT(written, ElementsAre("waits"));
}

TEST_F(RefusedOutcome, Is_tried_once_more_at_a_stop_however_long_it_would_wait_yet) {
    add_in_order("bad", "instance");
    add_in_order("second", "instance");
    (void)completion.run_once();
    is_refused = false;
    completion.write_the_rest(10s);
    EXPECT_THAT(written, ElementsAre("bad", "second"));
    EXPECT_TRUE(completion.is_empty());
}

TEST_F(RefusedOutcome, Loses_no_other_whatever_goes_wrong_while_they_are_written_one_by_one) {
    add("bad");
    add("second");
    add("third");
    broken_at = "second";
    EXPECT_THROW((void)completion.run_once(), std::runtime_error);
    is_refused = false;
    (void)completion.run_once();
    clock.tick(1s);
    (void)completion.run_once();
    EXPECT_THAT(written, testing::UnorderedElementsAre("bad", "second", "third"));
    EXPECT_TRUE(completion.is_empty());
}

TEST_F(RefusedOutcome, For_want_of_a_right_is_kept_too) {
    kind = DbErrorKind::access_denied;
    add("bad");
    (void)completion.run_once();
    EXPECT_EQ(held.size(), 1U);
}

TEST_F(RefusedOutcome, Does_not_keep_a_node_from_stopping) {
    add("bad");
    completion.write_the_rest(10s);
    EXPECT_EQ(log.count(schema::LogLevel::error, "these jobs will run again"), 1);
}

TEST_F(JobCompletionTest, What_a_stop_finds_in_the_mailbox_is_written_when_the_database_is_back) {
    add("a");
    expect_batch(1)
        .WillOnce(testing::Throw(DbError(DbErrorKind::unreachable, "gone")))
        .WillOnce(testing::Return(std::vector{OutcomeAnswer::done}));
    completion.write_the_rest(std::chrono::minutes(1));
    EXPECT_TRUE(completion.is_empty());
}

TEST_F(JobCompletionTest, A_stop_gives_up_what_the_database_does_not_take_within_the_limit) {
    add("a");
    expect_batch(1).WillOnce(testing::Throw(DbError(DbErrorKind::unreachable, "gone")));
    completion.write_the_rest(schema::Duration{0});
    EXPECT_FALSE(completion.is_empty());
    EXPECT_EQ(log.count(schema::LogLevel::error, "could not be written"), 1);
}

TEST_F(JobCompletionTest, A_huge_backlog_is_written_in_bounded_transactions) {
    add_many(1001);
    expect_batch(1000).WillOnce(testing::Return(std::vector(1000, OutcomeAnswer::done)));
    EXPECT_EQ(completion.run_once(), schema::Duration{0});
    expect_batch(1).WillOnce(testing::Return(std::vector{OutcomeAnswer::done}));
    EXPECT_EQ(completion.run_once(), kUntilWoken);
}

TEST_F(JobCompletionTest, Outcomes_that_fill_a_transaction_are_written_beside_the_one_before) {
    int wakes = 0;
    wake_ups.sleepers.completion_beside = [&] { ++wakes; };
    add("first");
    expect_batch(1).WillOnce([&](auto, auto) {
        add_many(1002);
        EXPECT_EQ(wakes, 1) << "once, when a transaction is full";
        EXPECT_EQ(completion.beside().run_once(), schema::Duration{0});
        EXPECT_EQ(completion.beside().run_once(), kUntilWoken) << "two are left for the first";
        return std::vector{OutcomeAnswer::done};
    });
    expect_batch(1000).WillOnce(testing::Return(std::vector(1000, OutcomeAnswer::done)));
    EXPECT_EQ(completion.run_once(), schema::Duration{0});
    expect_batch(2).WillOnce(testing::Return(std::vector(2, OutcomeAnswer::done)));
    EXPECT_EQ(completion.run_once(), kUntilWoken);
    EXPECT_TRUE(completion.is_empty());
    EXPECT_EQ(held.size(), 0U);
}

// The second loop would write it while the first one still writes what is in front of it.
TEST_F(JobCompletionTest, What_has_its_order_is_written_by_the_first_loop_alone) {
    add_in_order("a");
    add_many(999);
    add_in_order("b");
    std::vector<std::string> firsts;
    const auto note_first = [&](auto, Outcomes outcomes) {
        firsts.push_back(outcomes[0].job->id);
        return std::vector(outcomes.size(), OutcomeAnswer::done);
    };
    EXPECT_CALL(store, apply(_, testing::Matcher<Outcomes>(_)))
        .WillOnce([&](auto, Outcomes outcomes) {
            EXPECT_EQ(outcomes[1].job->id, "b");
            add_in_order("c");
            add_many(999);
            EXPECT_EQ(completion.beside().run_once(), 0ms);
            firsts.push_back(outcomes[0].job->id);
            return std::vector(outcomes.size(), OutcomeAnswer::done);
        })
        .WillRepeatedly(note_first);
    EXPECT_EQ(completion.run_once(), 0ms);
    EXPECT_EQ(completion.run_once(), kUntilWoken);
    EXPECT_THAT(firsts, ElementsAre("job-998", "a", "c"));
    EXPECT_TRUE(completion.is_empty());
}

TEST_F(JobCompletionTest, What_the_second_loop_could_not_write_is_written_by_the_stop) {
    add_many(1000);
    expect_batch(1000)
        .WillOnce(testing::Throw(DbError(DbErrorKind::unreachable, "gone")))
        .WillOnce(testing::Return(std::vector(1000, OutcomeAnswer::done)));
    EXPECT_THROW((void)completion.beside().run_once(), DbError);
    EXPECT_FALSE(completion.is_empty());
    completion.write_the_rest(std::chrono::minutes(1));
    EXPECT_TRUE(completion.is_empty());
}

const schema::SteadyPoint kStart{};

TEST(HeldJobs, Only_locks_that_end_before_the_deadline_are_up_for_renewal) {
    HeldJobs held;
    (void)held.add({a_job("soon")}, kStart + 10s);
    (void)held.add({a_job("later")}, kStart + 30s);
    const auto fences = held.expiring_before(kStart + 20s);
    ASSERT_EQ(fences.size(), 1U);
    EXPECT_EQ(fences[0].id, "soon");
    held.extended(fences, kStart + 40s);
    EXPECT_TRUE(held.expiring_before(kStart + 20s).empty());
}

TEST(HeldJobs, The_renewal_of_a_lost_lock_does_not_prolong_the_newer_one_of_the_same_job) {
    HeldJobs held;
    const schema::Job first = a_job("a");
    schema::Job again = first;
    again.revision = 3;
    (void)held.add({first}, kStart + 10s);
    const auto fences = held.expiring_before(kStart + 20s);
    (void)held.add({again}, kStart + 30s);
    held.extended(fences, kStart + 40s);
    EXPECT_EQ(held.expired(kStart + 30s), std::vector<std::string>{"a"});
}

TEST(HeldJobs, A_lost_job_is_told_to_stop_and_no_longer_renewed) {
    HeldJobs held;
    const HeldJobPtr job = held.add({a_job("a")}, kStart + 10s).front();
    held.lost(std::vector<std::string>{"a", "unknown"});
    EXPECT_TRUE(job->stop.stop_requested());
    EXPECT_TRUE(held.expiring_before(kStart + 20s).empty());
}

TEST(HeldJobs, A_lock_is_expired_from_its_last_instant_on) {
    HeldJobs held;
    (void)held.add({a_job("a")}, kStart + 10s);
    EXPECT_TRUE(held.expired(kStart + 10s - 1ms).empty());
    EXPECT_EQ(held.expired(kStart + 10s), std::vector<std::string>{"a"});
}

TEST(HeldJobs, The_end_of_a_lost_run_does_not_forget_the_newer_acquisition_of_the_same_job) {
    HeldJobs held;
    const schema::Job first = a_job("a");
    schema::Job again = first;
    again.revision = 3;
    (void)held.add({first}, kStart + 10s);
    (void)held.add({again}, kStart + 20s);
    held.remove(first);
    EXPECT_EQ(held.size(), 1U);
    held.remove(again);
    EXPECT_EQ(held.size(), 0U);
}

// I8
TEST(HeldJobs, The_bytes_of_payloads_have_a_bound) {
    HeldJobs held(10);
    EXPECT_EQ(held.bytes_left(), 10U);
    (void)held.add({a_job("a").with_payload("1234"), a_job("b").with_payload("56")}, kStart);
    EXPECT_EQ(held.bytes_left(), 4U);
    (void)held.add({a_job("large").with_payload("a job of its own")}, kStart);
    EXPECT_EQ(held.bytes_left(), 0U);
    held.remove(a_job("large").with_payload("a job of its own"));
    EXPECT_EQ(held.bytes_left(), 4U);
}

TEST(HeldJobs, A_job_that_comes_again_is_counted_once) {
    HeldJobs held(10);
    schema::Job again = a_job("a").with_payload("1234");
    (void)held.add({again}, kStart);
    again.revision = 5;
    (void)held.add({again}, kStart);
    EXPECT_EQ(held.bytes_left(), 6U);
}

TEST(HeldJobs, Who_found_no_room_for_bytes_is_told_once_when_there_is) {
    HeldJobs held(4);
    EXPECT_FALSE(held.is_room_awaited());
    const schema::Job job = a_job("a").with_payload("1234");
    (void)held.add({job}, kStart);
    EXPECT_FALSE(held.is_room_awaited()) << "nobody has asked";
    ASSERT_EQ(held.bytes_left(), 0U);
    EXPECT_FALSE(held.is_room_awaited());
    held.remove(job);
    EXPECT_EQ(held.bytes_left(), 4U) << "whoever finds some says nothing about who has not";
    EXPECT_TRUE(held.is_room_awaited());
    EXPECT_FALSE(held.is_room_awaited());
}

TEST(HeldJobs, Who_waits_for_the_end_of_a_job_is_told_when_it_is_forgotten) {
    HeldJobs held;
    const schema::Job job = a_job("a");
    held.wait_until_gone(job, 1h);
    (void)held.add({job}, kStart);
    held.wait_until_gone(job, 1ms);
    EXPECT_EQ(held.size(), 1U) << "the time was over";
    std::thread ending([&] { held.remove(job); });
    held.wait_until_gone(job, 1h);
    ending.join();
    EXPECT_EQ(held.size(), 0U);
}

TEST(HeldJobs, Those_whose_handlers_have_not_returned_can_be_named) {
    HeldJobs held;
    const auto jobs = held.add({a_job("a"), a_job("b")}, kStart);
    EXPECT_TRUE(held.running().empty());
    jobs[1]->is_running = true;
    ASSERT_EQ(held.running().size(), 1U);
    EXPECT_EQ(held.running()[0]->job.id, "b");
}

/// Jobs that this node holds and does not start after all.
class HeldReleaseTest : public testing::Test {
protected:
    HeldReleaseTest() {
        release.when_left([this] { ++wakes; });
    }

    std::vector<HeldJobPtr> hold(std::vector<schema::Job> jobs) {
        return held.add(std::move(jobs), clock.steady_now() + 30s);
    }

    auto& expect_release(const std::string& first) {
        return EXPECT_CALL(store, release("node-1", ElementsAre(Field(&Fence::id, first))));
    }

    testing::StrictMock<test::MockExecutorStore> store;
    schema::ManualClock clock;
    test::RecordingLog log;
    WakeUps wake_ups;
    HeldJobs held;
    GroupOrder order{clock, schema::ExclusiveOver::instance, 30s};
    int wakes = 0;
    HeldRelease release{{store, held, order, wake_ups, clock, log}, "node-1", false};
};

TEST_F(HeldReleaseTest, They_are_held_no_more_when_they_are_free) {
    expect_release("a");
    release.free(hold({a_job("a")}));
    EXPECT_EQ(held.size(), 0);
    EXPECT_EQ(wakes, 0);
    EXPECT_EQ(release.run_once(), kUntilWoken);
}

// They would wait for the end of their locks: a failover took 21 s instead of one.
TEST_F(HeldReleaseTest, In_an_outage_they_stay_held_and_are_freed_when_it_is_over) {
    const InSequence in_order;
    expect_release("a").Times(2).WillRepeatedly(Throw(DbError(DbErrorKind::unreachable, "gone")));
    expect_release("a");
    release.free(hold({a_job("a")}));
    EXPECT_EQ(wakes, 1);
    EXPECT_THROW((void)release.run_once(), DbError);
    EXPECT_EQ(held.expiring_before(clock.steady_now() + 31s).size(), 1)
        << "their locks are renewed";
    EXPECT_EQ(release.run_once(), 0s);
    EXPECT_EQ(held.size(), 0);
    EXPECT_EQ(release.run_once(), kUntilWoken);
}

TEST_F(HeldReleaseTest, What_is_left_meanwhile_is_freed_too) {
    const InSequence in_order;
    expect_release("a").WillOnce(Throw(DbError(DbErrorKind::unreachable, "gone")));
    expect_release("b").WillOnce(Throw(DbError(DbErrorKind::unreachable, "gone")));
    EXPECT_CALL(
        store, release("node-1", ElementsAre(Field(&Fence::id, "a"), Field(&Fence::id, "b")))
    );
    release.free(hold({a_job("a")}));
    release.free(hold({a_job("b")}));
    EXPECT_EQ(release.run_once(), 0s);
    EXPECT_EQ(held.size(), 0);
}

}  // namespace

}  // namespace jobstrand::executor
