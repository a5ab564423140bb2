#include "test/conformance/store_test.hpp"

#include <stdexcept>

namespace jobstrand::test {

namespace {

using schema::set_to;
using testing::ElementsAre;

class Changes : public StoreTest {
protected:
    JobAnswer change(JobPlace place, std::string_view id, const persistence::JobChanges& changes) {
        return store_.jobs().change(place, id, changes, clock_.now());
    }
};

INSTANTIATE_TEST_SUITE_P(
    OnEveryDatabase,
    Changes,
    testing::ValuesIn(databases_under_test()),
    name_of_database
);

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
    insert(JobPlace::executable, a_job("a").build());
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
    insert(JobPlace::executable, a_job("a").build());
    EXPECT_EQ(change(JobPlace::timer, "a", {set_to(&Job::retries, 9)}), JobAnswer::not_found);
    EXPECT_EQ(job("a").retries, 3);
}

TEST_P(Changes, A_dead_letter_can_change_but_has_no_retries_to_set) {
    insert(JobPlace::dead_letter, a_job("a").build());
    EXPECT_EQ(change(JobPlace::dead_letter, "a", {set_to(&Job::payload, "{}")}), JobAnswer::done);
    EXPECT_EQ(job("a").payload, "{}");
    EXPECT_THROW(
        (void)change(JobPlace::dead_letter, "a", {set_to(&Job::retries, 1)}), std::invalid_argument
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
    insert(JobPlace::executable, a_job("a").with_payload(std::string(5000, 'x')));
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

INSTANTIATE_TEST_SUITE_P(
    OnEveryDatabase,
    ManyChangesAtOnce,
    testing::ValuesIn(databases_under_test()),
    name_of_database
);

// R078
TEST_P(ManyChangesAtOnce, Any_number_of_timers_get_retries_and_are_due_now) {
    std::vector<Job> jobs = many_jobs("j", 1500);
    for (Job& job : jobs) {
        job.due_date = clock_.now() + 1h;
        job.retries = 1;
    }
    const std::vector<std::string> ids = ids_of(jobs);
    insert(JobPlace::timer, std::move(jobs));
    EXPECT_THAT(
        change_all(
            JobPlace::timer, ids, {.fields = {set_to(&Job::retries, 5)}, .due_date = clock_.now()}
        ),
        testing::AllOf(testing::SizeIs(1500), testing::Each(JobAnswer::done))
    );
    EXPECT_EQ(job("j000").retries, 5);
    EXPECT_EQ(job("j1499").due_date, clock_.now());
    EXPECT_EQ(store_.timers().move_due_timers(clock_.now(), 2000, std::nullopt, {}).moved, 1500U);
}

TEST_P(ManyChangesAtOnce, Each_id_is_answered_in_its_order_and_what_a_node_holds_stays) {
    insert_and_acquire(a_job("b"));
    insert(JobPlace::executable, std::vector<Job>{a_job("a"), a_job("c")});
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
    insert(JobPlace::executable, std::vector<Job>{a_job("a"), a_job("b")});
    const schema::TimePoint later = clock_.now() + 2h;
    EXPECT_THAT(
        change_all(
            JobPlace::executable,
            {"a", "b"},
            {.fields = {set_to(&Job::priority, 9)}, .due_date = later}
        ),
        testing::Each(JobAnswer::done)
    );
    EXPECT_EQ(place_of("b"), "timer");
    EXPECT_EQ(job("b").priority, 9);
    EXPECT_EQ(job("b").due_date, later);
}

TEST_P(ManyChangesAtOnce, Where_jobs_wait_for_no_date_none_is_set) {
    for (const JobPlace place : {JobPlace::dead_letter, JobPlace::suspended}) {
        insert(place, a_job(std::string(schema::name_of(place))).build());
        EXPECT_THROW(
            (void
            )change_all(place, {std::string(schema::name_of(place))}, {.due_date = clock_.now()}),
            std::invalid_argument
        );
    }
}

class Removal : public StoreTest {};

INSTANTIATE_TEST_SUITE_P(
    OnEveryDatabase,
    Removal,
    testing::ValuesIn(databases_under_test()),
    name_of_database
);

TEST_P(Removal, Each_id_is_answered_in_its_order) {
    insert(JobPlace::executable, std::vector<Job>{a_job("b"), a_job("c")});
    insert_and_acquire(a_job("a"));
    const std::vector<std::string> ids{"none", "b", "a", "c"};
    EXPECT_THAT(
        store_.jobs().remove(JobPlace::executable, ids, clock_.now()),
        ElementsAre(JobAnswer::not_found, JobAnswer::done, JobAnswer::locked, JobAnswer::done)
    );
    EXPECT_EQ(place_of("a"), "executable");
    EXPECT_EQ(place_of("b"), "nowhere");
    EXPECT_EQ(place_of("c"), "nowhere");
}

TEST_P(Removal, A_job_is_removed_from_the_named_place_only) {
    for (const JobPlace place : schema::kJobPlaces) {
        const std::string id(schema::name_of(place));
        insert(place, a_job(id).build());
        const JobPlace other = place == JobPlace::timer ? JobPlace::dead_letter : JobPlace::timer;
        EXPECT_THAT(
            store_.jobs().remove(other, std::vector{id}, clock_.now()),
            ElementsAre(JobAnswer::not_found)
        );
        EXPECT_THAT(
            store_.jobs().remove(place, std::vector{id}, clock_.now()), ElementsAre(JobAnswer::done)
        );
        EXPECT_EQ(place_of(id), "nowhere");
    }
}

TEST_P(Removal, Any_number_of_jobs_can_be_removed) {
    std::vector<Job> jobs = many_jobs("j", 1500);
    std::vector<std::string> ids = ids_of(jobs);
    insert(JobPlace::dead_letter, std::move(jobs));
    EXPECT_THAT(
        store_.jobs().remove(JobPlace::dead_letter, ids, clock_.now()),
        testing::AllOf(testing::SizeIs(1500), testing::Each(JobAnswer::done))
    );
    EXPECT_EQ(count_rows("ACT_RU_DEADLETTER_JOB"), 0);
}

class Requeueing : public StoreTest {
protected:
    std::vector<JobAnswer>
    requeue(std::vector<std::string> ids, int retries, std::optional<schema::TimePoint> due = {}) {
        return store_.jobs().requeue(ids, retries, due, clock_.now());
    }
};

INSTANTIATE_TEST_SUITE_P(
    OnEveryDatabase,
    Requeueing,
    testing::ValuesIn(databases_under_test()),
    name_of_database
);

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
    insert(JobPlace::dead_letter, a_job("a").build());
    EXPECT_THAT(requeue({"a"}, 1, clock_.now() + 1h), ElementsAre(JobAnswer::done));
    ASSERT_EQ(place_of("a"), "timer");
    EXPECT_EQ(job("a").due_date, clock_.now() + 1h);
}

TEST_P(Requeueing, An_external_worker_job_goes_back_to_its_workers) {
    insert(JobPlace::dead_letter, a_job("a").of_kind(schema::kExternalWorkerType).build());
    EXPECT_THAT(requeue({"a"}, 1), ElementsAre(JobAnswer::done));
    EXPECT_EQ(place_of("a"), "external");
}

TEST_P(Requeueing, A_second_call_does_nothing) {
    insert(JobPlace::dead_letter, a_job("a").build());
    ASSERT_THAT(requeue({"a"}, 5), ElementsAre(JobAnswer::done));
    EXPECT_THAT(requeue({"a", "none"}, 9), ElementsAre(JobAnswer::not_found, JobAnswer::not_found));
    EXPECT_EQ(job("a").retries, 5);
}

TEST_P(Requeueing, Any_number_of_dead_letters_can_be_requeued) {
    std::vector<Job> jobs = many_jobs("j", 1500);
    std::vector<std::string> ids = ids_of(jobs);
    insert(JobPlace::dead_letter, std::move(jobs));
    EXPECT_THAT(
        requeue(ids, 1), testing::AllOf(testing::SizeIs(1500), testing::Each(JobAnswer::done))
    );
    EXPECT_EQ(count_rows("ACT_RU_JOB"), 1500);
    EXPECT_EQ(count_rows("ACT_RU_DEADLETTER_JOB"), 0);
}

}  // namespace

}  // namespace jobstrand::test
