#include "test/conformance/store_test.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>

namespace jobstrand::test {

namespace {

using schema::set_to;

class Changes : public StoreTest {};

ON_EVERY_DATABASE(Changes);

// R030
TEST_P(Changes, Only_what_is_named_changes) {
    Job expected = insert(JobPlace::timer, full_job("a"));
    EXPECT_EQ(change(JobPlace::timer, "a", {set_to(&Job::retries, 9)}), JobAnswer::done);
    expected.retries = 9;
    expected.revision += 1;
    EXPECT_EQ(job("a"), expected);
    EXPECT_EQ(
        change(
            JobPlace::timer,
            "a",
            {set_to(&Job::priority, 8),
             set_to(&Job::payload, "[]"),
             set_to(&Job::retry_cycle, "R2/PT1S")}
        ),
        JobAnswer::done
    );
    EXPECT_EQ(job("a").priority, 8);
    EXPECT_EQ(job("a").payload, "[]");
    EXPECT_EQ(job("a").retry_cycle, "R2/PT1S");
    EXPECT_EQ(job("a").retries, 9);
}

// R008 R012
TEST_P(Changes, A_priority_has_64_bits) {
    insert(a_job("a"));
    for (const std::int64_t priority : {INT64_MIN, INT64_MAX}) {
        EXPECT_EQ(
            change(JobPlace::executable, "a", {set_to(&Job::priority, priority)}), JobAnswer::done
        );
        EXPECT_EQ(job("a").priority, priority);
    }
}

// R027
TEST_P(Changes, A_running_job_cannot_be_changed) {
    const Job held = insert_and_acquire(a_job("a"));
    EXPECT_EQ(change(JobPlace::executable, "a", {set_to(&Job::retries, 9)}), JobAnswer::locked);
    EXPECT_EQ(job("a"), held);
}

TEST_P(Changes, A_job_in_another_place_is_not_found) {
    insert(a_job("a"));
    EXPECT_EQ(change(JobPlace::timer, "a", {set_to(&Job::retries, 9)}), JobAnswer::not_found);
    EXPECT_EQ(job("a").retries, 3);
}

TEST_P(Changes, A_dead_letter_can_change_but_has_no_retries_to_set) {
    insert(JobPlace::dead_letter, a_job("a"));
    EXPECT_EQ(change(JobPlace::dead_letter, "a", {set_to(&Job::payload, "{}")}), JobAnswer::done);
    EXPECT_EQ(job("a").payload, "{}");
    EXPECT_THROW(
        change(JobPlace::dead_letter, "a", {set_to(&Job::retries, 1)}), std::invalid_argument
    );
}

// R063
TEST_P(Changes, A_job_whose_retries_are_set_to_0_is_a_dead_letter_until_somebody_requeues_it) {
    for (const JobPlace place :
         {JobPlace::executable, JobPlace::timer, JobPlace::suspended, JobPlace::external_worker}) {
        const std::string id(schema::name_of(place));
        Job before = a_job(id).after_attempts(2).due_at(clock_.now() + 1h);
        before.exception_message = "no paper";
        before.exception_stack_id = "stack";
        before = insert(place, std::move(before));
        EXPECT_EQ(
            change(place, id, {set_to(&Job::retries, 0), set_to(&Job::priority, 77)}),
            JobAnswer::done
        );
        ASSERT_EQ(place_of(id), "dead");
        const Job dead = job(id);
        EXPECT_EQ(dead.priority, 77);
        EXPECT_EQ(dead.due_date, before.due_date);
        EXPECT_EQ(dead.exception_message, before.exception_message);
        EXPECT_EQ(dead.exception_stack_id, before.exception_stack_id);
        EXPECT_EQ(dead.failed_time, clock_.now());
        EXPECT_EQ(dead.revision, before.revision + 1);
    }
    EXPECT_TRUE(acquire().empty());
}

TEST_P(Changes, A_job_that_was_given_up_may_have_got_another_payload_with_it) {
    insert(a_job("a").with_payload(std::string(5000, 'x')));
    const std::string text = '"' + std::string(6000, 'y') + '"';
    EXPECT_EQ(
        change(JobPlace::executable, "a", {set_to(&Job::retries, 0), set_to(&Job::payload, text)}),
        JobAnswer::done
    );
    EXPECT_EQ(place_of("a"), "dead");
    EXPECT_EQ(job("a").payload, text);
    EXPECT_EQ(job("a").exception_message, "its retries were set to 0");
    EXPECT_EQ(count_rows("ACT_GE_BYTEARRAY"), 1) << "the old one is gone";
}

TEST_P(Changes, A_running_job_is_not_given_up) {
    const Job held = insert_and_acquire(a_job("a"));
    EXPECT_EQ(change(JobPlace::executable, "a", {set_to(&Job::retries, 0)}), JobAnswer::locked);
    EXPECT_EQ(job("a"), held);
}

class ManyChangesAtOnce : public StoreTest {
protected:
    std::vector<JobAnswer> change_all(
        JobPlace place,
        const std::vector<std::string>& ids,
        const persistence::ManyChanges& changes
    ) {
        return store_.jobs().change_all(place, ids, changes, clock_.now());
    }
};

ON_EVERY_DATABASE(ManyChangesAtOnce);

// R078
TEST_P(ManyChangesAtOnce, Any_number_of_timers_get_retries_and_are_due_now) {
    std::vector<Job> jobs =
        many_jobs("j", 1500, a_job("").due_at(clock_.now() + 1h).with_retries(1));
    const std::vector<std::string> ids = ids_of(jobs);
    insert(JobPlace::timer, std::move(jobs));
    EXPECT_THAT(
        change_all(
            JobPlace::timer, ids, {.fields = {set_to(&Job::retries, 5)}, .due_date = clock_.now()}
        ),
        AllOf(SizeIs(1500), Each(JobAnswer::done))
    );
    EXPECT_EQ(job("j000").retries, 5);
    EXPECT_EQ(job("j1499").due_date, clock_.now());
    EXPECT_EQ(move_due_free(2000).moved, 1500U);
}

TEST_P(ManyChangesAtOnce, Each_id_is_answered_in_its_order_and_what_a_node_holds_stays) {
    insert_and_acquire(a_job("b"));
    insert({a_job("a"), a_job("c")});
    EXPECT_THAT(
        change_all(
            JobPlace::executable,
            {"c", "none", "b", "a", "c"},
            {.fields = {set_to(&Job::retries, 0)}}
        ),
        ElementsAre(
            JobAnswer::done,
            JobAnswer::not_found,
            JobAnswer::locked,
            JobAnswer::done,
            JobAnswer::done
        )
    );
    EXPECT_EQ(place_of("a") + place_of("b") + place_of("c"), "deadexecutabledead");
}

TEST_P(ManyChangesAtOnce, A_due_date_makes_timers_of_what_could_run_with_all_that_is_changed) {
    insert({a_job("a"), a_job("b")});
    const schema::TimePoint later = clock_.now() + 2h;
    EXPECT_THAT(
        change_all(
            JobPlace::executable,
            {"a", "b"},
            {.fields = {set_to(&Job::priority, 9)}, .due_date = later}
        ),
        Each(JobAnswer::done)
    );
    EXPECT_EQ(place_of("b"), "timer");
    EXPECT_EQ(job("b").priority, 9);
    EXPECT_EQ(job("b").due_date, later);
}

TEST_P(ManyChangesAtOnce, Where_jobs_wait_for_no_date_none_is_set) {
    for (const JobPlace place : {JobPlace::dead_letter, JobPlace::suspended}) {
        insert(place, a_job(std::string(schema::name_of(place))));
        EXPECT_THROW(
            (void
            )change_all(place, {std::string(schema::name_of(place))}, {.due_date = clock_.now()}),
            std::invalid_argument
        );
    }
}

class Removal : public StoreTest {};

ON_EVERY_DATABASE(Removal);

TEST_P(Removal, Each_id_is_answered_in_its_order) {
    insert({a_job("b"), a_job("c")});
    insert_and_acquire(a_job("a"));
    EXPECT_THAT(
        remove(JobPlace::executable, {"none", "b", "a", "c"}),
        ElementsAre(JobAnswer::not_found, JobAnswer::done, JobAnswer::locked, JobAnswer::done)
    );
    EXPECT_THAT(places_of({"a", "b", "c"}), ElementsAre("executable", "nowhere", "nowhere"));
}

TEST_P(Removal, A_job_is_removed_from_the_named_place_only) {
    for (const JobPlace place : schema::kJobPlaces) {
        const std::string id(schema::name_of(place));
        insert(place, a_job(id));
        const JobPlace other = place == JobPlace::timer ? JobPlace::dead_letter : JobPlace::timer;
        EXPECT_THAT(remove(other, {id}), ElementsAre(JobAnswer::not_found));
        EXPECT_THAT(remove(place, {id}), ElementsAre(JobAnswer::done));
        EXPECT_EQ(place_of(id), "nowhere");
    }
}

TEST_P(Removal, Any_number_of_jobs_can_be_removed) {
    std::vector<Job> jobs = many_jobs("j", 1500);
    std::vector<std::string> ids = ids_of(jobs);
    insert(JobPlace::dead_letter, std::move(jobs));
    EXPECT_THAT(remove(JobPlace::dead_letter, ids), AllOf(SizeIs(1500), Each(JobAnswer::done)));
    EXPECT_EQ(count_rows("ACT_RU_DEADLETTER_JOB"), 0);
}

class Requeueing : public StoreTest {};

ON_EVERY_DATABASE(Requeueing);

TEST_P(Requeueing, A_dead_letter_gets_new_attempts_and_keeps_its_history) {
    Job dead = a_job("a").after_attempts(3);
    dead.exception_message = "it broke";
    insert(JobPlace::dead_letter, dead);
    EXPECT_THAT(requeue({"a"}, 2), ElementsAre(JobAnswer::done));
    ASSERT_EQ(place_of("a"), "executable");
    EXPECT_EQ(job("a").retries, 2);
    EXPECT_EQ(job("a").attempts, 3);
    EXPECT_EQ(job("a").exception_message, "it broke");
    EXPECT_THAT(ids_of(acquire()), ElementsAre("a"));
}

TEST_P(Requeueing, A_later_due_date_makes_it_wait_as_a_timer) {
    insert(JobPlace::dead_letter, a_job("a"));
    EXPECT_THAT(requeue({"a"}, 1, clock_.now() + 1h), ElementsAre(JobAnswer::done));
    ASSERT_EQ(place_of("a"), "timer");
    EXPECT_EQ(job("a").due_date, clock_.now() + 1h);
}

TEST_P(Requeueing, An_external_worker_job_goes_back_to_its_workers) {
    insert(JobPlace::dead_letter, a_job("a").of_kind(schema::kExternalWorkerType));
    EXPECT_THAT(requeue({"a"}, 1), ElementsAre(JobAnswer::done));
    EXPECT_EQ(place_of("a"), "external");
}

TEST_P(Requeueing, A_second_call_does_nothing) {
    insert(JobPlace::dead_letter, a_job("a"));
    ASSERT_THAT(requeue({"a"}, 5), ElementsAre(JobAnswer::done));
    EXPECT_THAT(requeue({"a", "none"}, 9), ElementsAre(JobAnswer::not_found, JobAnswer::not_found));
    EXPECT_EQ(job("a").retries, 5);
}

TEST_P(Requeueing, Any_number_of_dead_letters_can_be_requeued) {
    std::vector<Job> jobs = many_jobs("j", 1500);
    std::vector<std::string> ids = ids_of(jobs);
    insert(JobPlace::dead_letter, std::move(jobs));
    EXPECT_THAT(requeue(ids, 1), AllOf(SizeIs(1500), Each(JobAnswer::done)));
    EXPECT_EQ(count_rows("ACT_RU_JOB"), 1500);
    EXPECT_EQ(count_rows("ACT_RU_DEADLETTER_JOB"), 0);
}

/// Jobs that are named, more of them than one transaction takes, are removed and requeued alike.
class NamedJobs : public StoreTest {
protected:
    using Answers = std::vector<JobAnswer>;

    Answers remove(const std::vector<std::string>& ids, JobPlace place = JobPlace::executable) {
        return StoreTest::remove(place, ids);
    }

    Answers requeue(const std::vector<std::string>& ids) { return StoreTest::requeue(ids, 3); }

    /// Those of jobs that stand in a place.
    std::vector<std::string> insert_many(JobPlace place, std::size_t count) {
        return ids_of(insert(place, many_jobs("j", count)));
    }

    static std::map<JobAnswer, int> counted(const Answers& answers) {
        std::map<JobAnswer, int> counts;
        for (const JobAnswer answer : answers) {
            ++counts[answer];
        }
        return counts;
    }
};

ON_EVERY_DATABASE(NamedJobs);

TEST_P(NamedJobs, No_ids_mean_no_jobs) {
    insert_many(JobPlace::executable, 3);
    insert(JobPlace::dead_letter, a_job("dead"));
    EXPECT_THAT(remove({}), IsEmpty());
    EXPECT_THAT(requeue({}), IsEmpty());
    EXPECT_EQ(count_rows("ACT_RU_JOB"), 3);
    EXPECT_EQ(count_rows("ACT_RU_DEADLETTER_JOB"), 1);
}

TEST_P(NamedJobs, Answers_come_in_the_order_of_the_ids_whatever_that_is) {
    insert({a_job("a"), a_job("c"), a_job("e")});
    EXPECT_THAT(
        remove({"e", "d", "a", "", "x", "c"}),
        ElementsAre(
            JobAnswer::done,
            JobAnswer::not_found,
            JobAnswer::done,
            JobAnswer::not_found,
            JobAnswer::not_found,
            JobAnswer::done
        )
    );
    insert(JobPlace::dead_letter, {a_job("a"), a_job("c")});
    EXPECT_THAT(
        requeue({"c", "b", "a"}),
        ElementsAre(JobAnswer::done, JobAnswer::not_found, JobAnswer::done)
    );
}

TEST_P(NamedJobs, An_id_that_is_named_twice_is_answered_twice_and_changed_once) {
    insert(a_job("a"));
    EXPECT_THAT(
        remove({"a", "b", "a"}), ElementsAre(JobAnswer::done, JobAnswer::not_found, JobAnswer::done)
    );
    const Job dead = insert(JobPlace::dead_letter, a_job("dead"));
    EXPECT_THAT(requeue({"dead", "dead"}), ElementsAre(JobAnswer::done, JobAnswer::done));
    EXPECT_EQ(job("dead").revision, dead.revision + 1);
}

TEST_P(NamedJobs, What_a_node_holds_stays_and_the_others_go) {
    std::vector<std::string> ids = insert_many(JobPlace::executable, 1500);
    const std::vector<Job> held = acquire(20);
    ASSERT_EQ(held.size(), 20U);
    std::ranges::reverse(ids);
    const Answers answers = remove(ids);
    EXPECT_EQ(counted(answers)[JobAnswer::locked], 20);
    EXPECT_EQ(counted(answers)[JobAnswer::done], 1480);
    for (const Job& job : held) {
        const auto index = std::ranges::find(ids, job.id) - ids.begin();
        EXPECT_EQ(answers[static_cast<std::size_t>(index)], JobAnswer::locked) << job.id;
    }
    EXPECT_EQ(count_rows("ACT_RU_JOB"), 20);
}

TEST_P(NamedJobs, Only_jobs_of_the_place_are_removed) {
    insert(a_job("a"));
    insert(JobPlace::dead_letter, a_job("b"));
    EXPECT_THAT(
        remove({"a", "b"}, JobPlace::dead_letter),
        ElementsAre(JobAnswer::not_found, JobAnswer::done)
    );
    EXPECT_EQ(place_of("a"), "executable");
}

TEST_P(NamedJobs, A_commit_in_doubt_that_came_through_is_not_done_again) {
    const std::vector<std::string> ids = insert_many(JobPlace::dead_letter, 3);
    faults_.add({.point = FaultPoint::after_commit, .kind = DbErrorKind::in_doubt});
    EXPECT_THAT(requeue(ids), Each(JobAnswer::done));
    EXPECT_EQ(job(ids.front()).revision, 2);
    faults_.add({.point = FaultPoint::after_commit, .kind = DbErrorKind::in_doubt});
    EXPECT_THAT(remove(ids), Each(JobAnswer::done));
    EXPECT_EQ(count_rows("ACT_RU_JOB"), 0);
}

/// What an operator takes away from the nodes.
class Cancelling : public StoreTest {
protected:
    std::vector<JobAnswer> cancel(JobPlace place, const std::vector<std::string>& ids) {
        return store_.jobs().cancel(place, ids, "cancelled by ada: wrong file", clock_.now());
    }

    OutcomeAnswer complete(const Job& job) {
        return apply({completed_outcome(job)}, job.lock_owner).front();
    }
};

ON_EVERY_DATABASE(Cancelling);

// I1 I3
TEST_P(Cancelling, A_running_job_is_a_dead_letter_and_what_its_run_comes_to_is_discarded) {
    const Job running = insert_and_acquire(a_job("a").build());
    EXPECT_THAT(cancel(JobPlace::executable, {"a"}), ElementsAre(JobAnswer::done));
    EXPECT_EQ(complete(running), OutcomeAnswer::lost_lock);
    ASSERT_EQ(place_of("a"), "dead");
    const Job dead = job("a");
    EXPECT_EQ(dead.exception_message, "cancelled by ada: wrong file");
    EXPECT_EQ(dead.failed_time, clock_.now());
    EXPECT_EQ(dead.attempts, 0) << "no handler has failed (I5)";
    EXPECT_THAT(acquire(), IsEmpty()) << "it never runs by itself";
}

TEST_P(Cancelling, Its_holder_sees_which_of_its_jobs_are_gone) {
    store_.enqueuer().insert(
        {{JobPlace::executable, a_job("a")},
         {JobPlace::executable, a_job("b")},
         {JobPlace::executable, a_job("c")}}
    );
    const std::vector<Fence> fences = fences_of(acquire());
    EXPECT_THAT(store_.executor().not_held("node-1", fences), IsEmpty());
    EXPECT_THAT(store_.executor().not_held("node-2", fences), ElementsAre("a", "b", "c"));
    (void)cancel(JobPlace::executable, {"b"});
    EXPECT_THAT(store_.executor().not_held("node-1", fences), ElementsAre("b"));
}

TEST_P(Cancelling, A_job_that_was_taken_again_is_not_held_by_its_first_run) {
    const Job first = insert_and_acquire(a_job("a").build());
    (void)cancel(JobPlace::executable, {"a"});
    requeue({"a"}, 3);
    const std::vector<Job> again = acquire();
    ASSERT_EQ(again.size(), 1U);
    EXPECT_THAT(store_.executor().not_held("node-1", fences_of({first})), ElementsAre("a"));
    EXPECT_THAT(store_.executor().not_held("node-1", fences_of(again)), IsEmpty());
    EXPECT_EQ(complete(first), OutcomeAnswer::lost_lock);
    EXPECT_EQ(complete(again[0]), OutcomeAnswer::done);
}

TEST_P(Cancelling, Jobs_that_wait_anywhere_are_cancelled_at_once) {
    for (const JobPlace place :
         {JobPlace::executable, JobPlace::timer, JobPlace::suspended, JobPlace::external_worker}) {
        const std::string id(schema::name_of(place));
        insert(place, a_job(id));
        EXPECT_THAT(cancel(place, {id}), ElementsAre(JobAnswer::done)) << id;
        EXPECT_EQ(place_of(id), "dead") << id;
    }
}

TEST_P(Cancelling, A_job_that_has_ended_is_not_found) {
    const Job running = insert_and_acquire(a_job("a").build());
    EXPECT_EQ(complete(running), OutcomeAnswer::done);
    EXPECT_THAT(
        cancel(JobPlace::executable, {"a", "never"}),
        ElementsAre(JobAnswer::not_found, JobAnswer::not_found)
    );
}

// I4
TEST_P(Cancelling, Of_a_cancelled_exclusive_job_the_instance_stays_held) {
    (void)insert_and_acquire(a_job("a").of_instance("i").build());
    insert(a_job("b").of_instance("i"));
    (void)cancel(JobPlace::executable, {"a"});
    EXPECT_THAT(acquire(100, "node-2"), IsEmpty()) << "the handler of the first may still run";
}

}  // namespace

}  // namespace jobstrand::test
