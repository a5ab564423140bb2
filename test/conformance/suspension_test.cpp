#include "test/conformance/store_test.hpp"

#include <fmt/format.h>

namespace jobstrand::test {

namespace {

using persistence::JobCopy;
using persistence::Suspension;

class Suspensions : public StoreTest {
protected:
    using StoreTest::activate;
    using StoreTest::suspend;

    std::int64_t suspend(std::string_view instance) {
        return suspend(SuspensionScope::instance, instance);
    }
    std::int64_t activate(std::string_view instance) {
        return activate(SuspensionScope::instance, instance);
    }
    std::int64_t suspend_definition(std::string_view definition) {
        return suspend(SuspensionScope::definition, definition);
    }
    std::int64_t activate_definition(std::string_view definition) {
        return activate(SuspensionScope::definition, definition);
    }

    FaultPlan no_faults_;

    /// One job of the instance "i" in each place that can be suspended: "e", "t", "x".
    void insert_three() {
        store_.enqueuer().insert(
            {{JobPlace::executable, a_job("e").of_instance("i")},
             {JobPlace::timer, a_job("t").of_instance("i").due_at(clock_.now() + 1h)},
             {JobPlace::external_worker,
              a_job("x").of_instance("i").of_kind(schema::kExternalWorkerType)}}
        );
    }
};

ON_EVERY_DATABASE(Suspensions);

// R034, R106
TEST_P(Suspensions, The_free_jobs_of_an_instance_move_to_the_suspended_place) {
    insert_three();
    insert(a_job("other").of_instance("i2"));
    EXPECT_EQ(suspend("i"), 3);
    EXPECT_EQ(job("e").suspended_from, "executable");
    EXPECT_EQ(job("t").suspended_from, "timer");
    EXPECT_EQ(job("x").suspended_from, "external");
    EXPECT_EQ(count_rows("ACT_RU_SUSPENDED_JOB"), 3);
    EXPECT_THAT(ids_of(acquire()), ElementsAre("other"));
}

TEST_P(Suspensions, A_long_one_tells_how_far_it_is_and_can_be_stopped) {
    std::vector<PlacedJob> jobs;
    for (int i = 0; i < 2'500; ++i) {
        jobs.push_back(
            {JobPlace::executable, a_job(fmt::format("{:04}", i)).of_definition("shipping:3")}
        );
    }
    store_.enqueuer().insert(jobs);
    std::vector<std::int64_t> told;
    const auto stop_at = [&told](std::int64_t most) {
        return [&told, most](std::int64_t moved) {
            told.push_back(moved);
            return moved < most;
        };
    };
    const auto scope = SuspensionScope::definition;
    EXPECT_EQ(store_.jobs().suspend(scope, "shipping:3", clock_.now(), stop_at(2'000)), 2'000);
    EXPECT_THAT(told, ElementsAre(1'000, 2'000));
    EXPECT_THAT(acquire(), IsEmpty()) << "those that are left are suspended too";
    suspend_definition("shipping:3");
    EXPECT_EQ(count_rows("ACT_RU_SUSPENDED_JOB"), 2'500);
    told.clear();
    EXPECT_EQ(store_.jobs().activate(scope, "shipping:3", clock_.now(), stop_at(1'000)), 1'000);
    EXPECT_THAT(told, ElementsAre(1'000));
}

TEST_P(Suspensions, A_single_job_that_runs_is_not_disturbed_and_its_retry_waits_suspended) {
    const Job held = insert_and_acquire(a_job("a"));
    EXPECT_EQ(suspend(SuspensionScope::job, "a"), 0);
    EXPECT_EQ(place_of("a"), "executable");
    expect_done(failed_outcome(held));
    EXPECT_EQ(place_of("a"), "suspended");
    EXPECT_EQ(job("a").suspended_from, "timer");
    EXPECT_EQ(activate(SuspensionScope::job, "a"), 1);
    EXPECT_EQ(place_of("a"), "timer");
}

TEST_P(Suspensions, Of_a_job_that_was_suspended_while_it_ran_nothing_stays_for_ever) {
    const Job done = insert_and_acquire(a_job("a"));
    const Job runs = insert_and_acquire(a_job("b"));
    suspend(SuspensionScope::job, "a");
    suspend(SuspensionScope::job, "b");
    expect_done(completed_outcome(done));
    EXPECT_EQ(count_rows("JS_SUSPENSION"), 2);
    suspend(SuspensionScope::job, "c");
    EXPECT_EQ(count_rows("JS_SUSPENSION"), 2);
    apply({failed_outcome(runs)});
    EXPECT_EQ(place_of("b"), "suspended");
}

TEST_P(Suspensions, Activated_jobs_go_back_where_they_came_from_with_their_waits) {
    insert_three();
    const schema::TimePoint due = clock_.now() + 1h;
    suspend("i");
    EXPECT_EQ(activate("i"), 3);
    EXPECT_THAT(places_of({"e", "t", "x"}), ElementsAre("executable", "timer", "external"));
    EXPECT_EQ(job("t").due_date, due);
    EXPECT_EQ(job("t").suspended_from, "");
}

// Whoever asks how long they have waited is not told of the time of the suspension.
TEST_P(Suspensions, An_activated_job_is_due_from_the_moment_when_it_could_run) {
    insert_three();
    suspend("i");
    clock_.tick(10min);
    EXPECT_EQ(activate("i"), 3);
    EXPECT_EQ(job("e").due_date, clock_.now());
    EXPECT_EQ(job("x").due_date, clock_.now());
}

TEST_P(Suspensions, An_activated_timer_whose_date_has_passed_is_due_from_that_moment) {
    insert_three();
    suspend("i");
    clock_.tick(2h);
    EXPECT_EQ(activate("i"), 3);
    EXPECT_EQ(place_of("t"), "timer");
    EXPECT_EQ(job("t").due_date, clock_.now());
}

TEST_P(Suspensions, A_dead_letter_stays_where_it_is) {
    insert(JobPlace::dead_letter, a_job("d").of_instance("i"));
    EXPECT_EQ(suspend("i"), 0);
    EXPECT_EQ(place_of("d"), "dead");
}

TEST_P(Suspensions, Suspending_twice_moves_nothing_and_activating_once_ends_it) {
    insert_three();
    suspend("i");
    EXPECT_EQ(suspend("i"), 0);
    EXPECT_EQ(activate("i"), 3);
    EXPECT_EQ(activate("i"), 0);
    EXPECT_THAT(store_.jobs().suspensions(SuspensionScope::instance), IsEmpty());
}

TEST_P(Suspensions, Suspensions_are_listed_with_the_time_of_the_first_call) {
    const schema::TimePoint first = clock_.now();
    suspend("i2");
    clock_.tick(1s);
    suspend("i2");
    suspend("i1");
    suspend_definition("d");
    const std::vector<Suspension> listed = store_.jobs().suspensions(SuspensionScope::instance);
    ASSERT_EQ(listed.size(), 2U);
    EXPECT_EQ(listed[0].id, "i1");
    EXPECT_EQ(listed[1].id, "i2");
    EXPECT_EQ(listed[1].since, first);
    EXPECT_EQ(store_.jobs().suspensions(SuspensionScope::definition).at(0).id, "d");
}

// R159
TEST_P(Suspensions, A_definition_is_suspended_like_an_instance) {
    insert(a_job("a").of_instance("i").of_definition("d"));
    EXPECT_EQ(suspend_definition("d"), 1);
    EXPECT_EQ(place_of("a"), "suspended");
    EXPECT_EQ(activate_definition("d"), 1);
    EXPECT_EQ(place_of("a"), "executable");
}

TEST_P(Suspensions, A_job_whose_instance_and_definition_are_suspended_waits_for_both) {
    insert(a_job("a").of_instance("i").of_definition("d"));
    suspend("i");
    suspend_definition("d");
    EXPECT_EQ(activate("i"), 0);
    EXPECT_EQ(place_of("a"), "suspended");
    EXPECT_EQ(activate_definition("d"), 1);
    EXPECT_EQ(place_of("a"), "executable");
}

TEST_P(Suspensions, New_jobs_of_a_suspended_instance_are_stored_suspended) {
    suspend("i");
    const auto stored = store_.enqueuer().insert(
        {{JobPlace::executable, a_job("a").of_instance("i").locked_by("node-1", clock_.now() + 1h)},
         {JobPlace::timer, a_job("t").of_instance("i").due_at(clock_.now())},
         {JobPlace::dead_letter, a_job("d").of_instance("i")},
         {JobPlace::executable, a_job("b").of_instance("i2")}}
    );
    EXPECT_EQ(stored[0].place, JobPlace::suspended);
    EXPECT_EQ(stored[0].job, job("a"));
    EXPECT_THAT(places_of({"t", "d", "b"}), ElementsAre("suspended", "dead", "executable"));
    EXPECT_EQ(activate("i"), 2);
    EXPECT_EQ(place_of("a"), "executable");
    EXPECT_TRUE(job("a").lock_owner.empty());
    EXPECT_EQ(place_of("t"), "timer");
}

TEST_P(Suspensions, A_running_job_may_finish) {
    const Job held = insert_and_acquire(a_job("a").of_instance("i"));
    EXPECT_EQ(suspend("i"), 0);
    EXPECT_EQ(job("a"), held);
    expect_done(completed_outcome(held));
}

TEST_P(Suspensions, A_running_job_that_fails_waits_suspended_for_its_next_attempt) {
    const Job held = insert_and_acquire(a_job("a").of_instance("i"));
    suspend("i");
    expect_done(failed_outcome(held));
    ASSERT_EQ(place_of("a"), "suspended");
    EXPECT_EQ(job("a").suspended_from, "timer");
    EXPECT_EQ(job("a").due_date, clock_.now() + 10s);
    activate("i");
    EXPECT_EQ(place_of("a"), "timer");
}

TEST_P(Suspensions, A_running_job_that_fails_for_the_last_time_is_a_dead_letter) {
    const Job held = insert_and_acquire(a_job("a").of_instance("i").with_retries(1));
    suspend("i");
    apply({failed_outcome(held)});
    EXPECT_EQ(place_of("a"), "dead");
}

TEST_P(Suspensions, A_job_that_was_running_and_is_released_is_caught_by_the_next_acquisition) {
    const Job held = insert_and_acquire(a_job("a").of_instance("i"));
    insert(a_job("b"));
    suspend("i");
    store_.executor().release("node-1", fences_of({held}));
    EXPECT_THAT(ids_of(acquire(1)), ElementsAre("b"));
    ASSERT_EQ(place_of("a"), "suspended");
    EXPECT_EQ(job("a").suspended_from, "executable");
}

TEST_P(Suspensions, A_job_with_an_expired_lock_is_free) {
    insert_and_acquire(a_job("a").of_instance("i"));
    clock_.tick(1h);
    EXPECT_EQ(suspend("i"), 1);
    EXPECT_EQ(place_of("a"), "suspended");
}

TEST_P(Suspensions, A_due_timer_of_a_suspended_instance_does_not_arrive_locked) {
    insert(
        JobPlace::timer,
        a_job("t").of_instance("i").due_at(clock_.now()).locked_by("flowable", clock_.now() + 1s)
    );
    EXPECT_EQ(suspend("i"), 0);
    clock_.tick(2s);
    EXPECT_EQ(reset_locks(JobPlace::timer), 1);
    const auto due = move_due(10);
    EXPECT_EQ(due.moved, 1U);
    EXPECT_THAT(due.locked, IsEmpty());
    EXPECT_EQ(place_of("t"), "suspended");
}

TEST_P(Suspensions, A_requeued_dead_letter_of_a_suspended_instance_waits_suspended) {
    insert(JobPlace::dead_letter, a_job("d").of_instance("i"));
    suspend("i");
    requeue({"d"}, 2);
    ASSERT_EQ(place_of("d"), "suspended");
    activate("i");
    EXPECT_EQ(place_of("d"), "executable");
    EXPECT_EQ(job("d").retries, 2);
}

TEST_P(Suspensions, Many_jobs_move_page_by_page) {
    insert(many_jobs("j", 2300, a_job("").of_instance("i")));
    EXPECT_EQ(suspend("i"), 2300);
    EXPECT_EQ(count_rows("ACT_RU_JOB"), 0);
    EXPECT_EQ(activate("i"), 2300);
    EXPECT_EQ(count_rows("ACT_RU_SUSPENDED_JOB"), 0);
}

// A row that Flowable suspended does not say where it came from.
TEST_P(Suspensions, A_job_without_its_origin_goes_back_by_its_type) {
    const auto suspended_by_flowable = [this](std::string id, std::string_view type) {
        insert(JobPlace::suspended, a_job(std::move(id)).of_instance("i").of_kind(type));
    };
    suspended_by_flowable("m", schema::kMessageType);
    suspended_by_flowable("t", schema::kTimerType);
    suspended_by_flowable("x", schema::kExternalWorkerType);
    EXPECT_EQ(activate("i"), 3);
    EXPECT_THAT(places_of({"m", "t", "x"}), ElementsAre("executable", "timer", "external"));
}

// What an operator moves after another has lifted the suspension would never come back.
TEST_P(Suspensions, A_suspension_that_is_lifted_while_its_jobs_move_leaves_none_behind) {
    insert_three();
    Node other(*database_, no_faults_);
    faults_.interleave(FaultPoint::begin, 1, [&] {
        other.store().jobs().activate(SuspensionScope::instance, "i", clock_.now());
    });
    EXPECT_EQ(suspend("i"), 0);
    EXPECT_THAT(store_.jobs().suspensions(SuspensionScope::instance), IsEmpty());
    EXPECT_THAT(places_of({"e", "t"}), ElementsAre("executable", "timer"));
}

TEST_P(Suspensions, An_activation_that_is_taken_back_while_its_jobs_move_moves_none) {
    insert_three();
    suspend("i");
    Node other(*database_, no_faults_);
    faults_.interleave(FaultPoint::begin, 1, [&] {
        other.store().jobs().suspend(SuspensionScope::instance, "i", clock_.now());
    });
    EXPECT_EQ(activate("i"), 0);
    EXPECT_EQ(count_rows("ACT_RU_SUSPENDED_JOB"), 3);
}

/// Suspended jobs that come from another database.
class SuspendedCopiesTest : public StoreTest {
protected:
    [[nodiscard]] static JobCopy copy_of(Job job) {
        return {.job = std::move(job), .details = "at line 7"};
    }

    [[nodiscard]] std::vector<bool> restore(const std::vector<JobCopy>& copies) {
        return store_.jobs().restore(JobPlace::suspended, copies);
    }

    void suspend(std::string_view instance) {
        (void)store_.jobs().suspend(SuspensionScope::instance, instance, clock_.now());
    }
    void activate(std::string_view instance) {
        (void)store_.jobs().activate(SuspensionScope::instance, instance, clock_.now());
    }
};

ON_EVERY_DATABASE(SuspendedCopiesTest);

TEST_P(SuspendedCopiesTest, Each_field_comes_back_with_the_long_texts) {
    suspend("p");
    JobCopy copy = copy_of(full_job("a"));
    copy.job.process_instance_id = "p";
    copy.job.unique_key = "k";
    copy.job.due_date = clock_.now();
    copy.job.create_time = clock_.now();
    copy.job.payload = std::string(5000, 'p');
    EXPECT_THAT(restore({copy}), ElementsAre(true));
    EXPECT_EQ(place_of("a"), "suspended");
    Job back = job("a");
    EXPECT_EQ(store_.jobs().exception_details(back), "at line 7");
    back.exception_stack_id = copy.job.exception_stack_id;
    back.custom_values_id = copy.job.custom_values_id;
    Job wanted = copy.job;
    wanted.revision = 1;
    for (const schema::JobField& field : schema::job_fields()) {
        if (field.is_in(JobPlace::suspended)) {
            std::visit(
                [&](const auto member) { EXPECT_EQ(back.*member, wanted.*member) << field.name; },
                field.member
            );
        }
    }
}

TEST_P(SuspendedCopiesTest, They_go_on_with_what_they_belong_to) {
    suspend("p");
    const Job timer =
        a_job("b").of_instance("p").of_kind(schema::kTimerType).due_at(clock_.now() + 1h);
    EXPECT_THAT(
        restore({copy_of(a_job("a").of_instance("p")), copy_of(timer)}), ElementsAre(true, true)
    );
    activate("p");
    EXPECT_THAT(places_of({"a", "b"}), ElementsAre("executable", "timer"));
}

// It would wait for ever.
TEST_P(SuspendedCopiesTest, One_of_which_nothing_is_suspended_is_left_out) {
    suspend("p");
    EXPECT_THAT(
        restore({copy_of(a_job("a").of_instance("q")), copy_of(a_job("b").of_instance("p"))}),
        ElementsAre(false, true)
    );
    EXPECT_EQ(place_of("a"), "nowhere");
    EXPECT_EQ(count_rows("ACT_GE_BYTEARRAY"), 1);
}

TEST_P(SuspendedCopiesTest, They_have_their_unique_keys_and_one_whose_key_is_held_is_left_out) {
    suspend("p");
    ASSERT_THAT(
        restore({copy_of(a_job("holder").of_instance("p").with_key("taken"))}), ElementsAre(true)
    );
    EXPECT_THAT(
        restore(
            {copy_of(a_job("a").of_instance("p").with_key("taken")),
             copy_of(a_job("b").of_instance("p").with_key("free"))}
        ),
        ElementsAre(false, true)
    );
    EXPECT_EQ(store_.jobs().key_owner("taken").value().job, "holder");
    EXPECT_EQ(store_.jobs().key_owner("free").value().job, "b");
}

// I1: one place.
TEST_P(SuspendedCopiesTest, One_whose_id_a_job_has_is_left_out) {
    suspend("p");
    insert(JobPlace::dead_letter, a_job("a").of_instance("p").of_type("other"));
    EXPECT_THAT(restore({copy_of(a_job("a").of_instance("p"))}), ElementsAre(false));
    EXPECT_EQ(job("a").handler_type, "other");
}

TEST_P(SuspendedCopiesTest, What_has_been_changed_since_it_was_read_is_not_removed) {
    suspend("p");
    insert({a_job("a").of_instance("p"), a_job("b").of_instance("p")});
    const std::vector<Job> as_read{job("a"), job("b"), a_job("gone")};
    ASSERT_EQ(place_of("a"), "suspended");
    EXPECT_EQ(
        change(JobPlace::suspended, "b", {schema::set_to(&Job::priority, 7)}), JobAnswer::done
    );
    EXPECT_THAT(
        store_.jobs().remove_as_read(JobPlace::suspended, as_read, clock_.now()),
        ElementsAre(JobAnswer::done, JobAnswer::not_found, JobAnswer::not_found)
    );
    EXPECT_THAT(places_of({"a", "b"}), ElementsAre("nowhere", "suspended"));
}

// I9.
TEST_P(SuspendedCopiesTest, A_commit_in_doubt_that_was_done_is_not_done_twice) {
    suspend("p");
    faults_.add({.point = FaultPoint::after_commit, .kind = DbErrorKind::in_doubt});
    EXPECT_THAT(restore({copy_of(a_job("a").of_instance("p"))}), ElementsAre(true));
    faults_.add({.point = FaultPoint::after_commit, .kind = DbErrorKind::in_doubt});
    const std::vector<Job> as_read{job("a")};
    EXPECT_THAT(
        store_.jobs().remove_as_read(JobPlace::suspended, as_read, clock_.now()),
        ElementsAre(JobAnswer::done)
    );
    EXPECT_EQ(place_of("a"), "nowhere");
}

}  // namespace

}  // namespace jobstrand::test
