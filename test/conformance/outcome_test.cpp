#include "persistence/sql/sql_transaction.hpp"
#include "test/conformance/store_test.hpp"

#include <algorithm>

namespace jobstrand::test {

namespace {

class Outcomes : public StoreTest {
protected:
    Outcome failed(const Job& job, std::string message = "it broke") {
        return failed_outcome(job, {.message = std::move(message)});
    }
};

ON_EVERY_DATABASE(Outcomes);

TEST_P(Outcomes, A_completed_job_is_gone) {
    const Job held = insert_and_acquire(a_job("a"));
    expect_done(completed_outcome(held));
    EXPECT_EQ(place_of("a"), "nowhere");
}

TEST_P(Outcomes, A_failed_job_with_attempts_left_waits_as_a_timer) {
    const Job held = insert_and_acquire(a_job("a").with_retries(3));
    expect_done(failed(held));
    ASSERT_EQ(place_of("a"), "timer");
    const Job waiting = job("a");
    EXPECT_EQ(waiting.retries, 2);
    EXPECT_EQ(waiting.attempts, 1);
    EXPECT_EQ(waiting.due_date, clock_.now() + 10s);
    EXPECT_EQ(waiting.exception_message, "it broke");
    EXPECT_TRUE(waiting.lock_owner.empty());
    EXPECT_EQ(waiting.lock_expiration, std::nullopt);
    EXPECT_EQ(waiting.revision, held.revision + 1);
}

TEST_P(Outcomes, A_failed_job_without_attempts_left_is_a_dead_letter) {
    const Job held = insert_and_acquire(a_job("a").with_retries(1));
    expect_done(failed(held));
    ASSERT_EQ(place_of("a"), "dead");
    EXPECT_EQ(job("a").retries, 0);
    EXPECT_EQ(job("a").attempts, 1);
    EXPECT_EQ(job("a").exception_message, "it broke");
}

TEST_P(Outcomes, An_interrupted_job_waits_without_losing_a_retry) {
    const Job held = insert_and_acquire(a_job("a").with_retries(1));
    expect_done(outcome_of(held, schema::interrupted(held, 1min, clock_.now())));
    ASSERT_EQ(place_of("a"), "timer");
    EXPECT_EQ(job("a").retries, 1);
    EXPECT_EQ(job("a").due_date, clock_.now() + 1min);
}

TEST_P(Outcomes, A_released_job_stays_executable_and_is_free) {
    const Job held = insert_and_acquire(a_job("a"));
    expect_done(outcome_of(held, schema::released(held)));
    EXPECT_EQ(place_of("a"), "executable");
    EXPECT_THAT(ids_of(acquire()), ElementsAre("a"));
}

TEST_P(Outcomes, One_batch_holds_all_kinds_of_outcomes_in_any_order) {
    insert(many_jobs("j", 6));
    std::vector<Job> held = acquire();
    held[1].retries = 1;
    EXPECT_THAT(
        apply(
            {completed_outcome(held[5]),
             failed(held[1]),
             completed_outcome(held[0]),
             outcome_of(held[2], schema::released(held[2])),
             failed(held[4], "another cause"),
             outcome_of(held[3], schema::interrupted(held[3], 5s, clock_.now()))}
        ),
        AllOf(SizeIs(6), Each(OutcomeAnswer::done))
    );
    EXPECT_THAT(places_of({"j000", "j001", "j002"}), ElementsAre("nowhere", "dead", "executable"));
    EXPECT_EQ(place_of("j003"), "timer");
    EXPECT_EQ(job("j004").exception_message, "another cause");
    EXPECT_EQ(place_of("j005"), "nowhere");
}

TEST_P(Outcomes, A_large_batch_is_written_at_once) {
    insert(many_jobs("j", 900));
    std::vector<Outcome> outcomes;
    for (const Job& held : acquire(1000)) {
        outcomes.push_back(outcomes.size() % 3 == 0 ? failed(held) : completed_outcome(held));
    }
    EXPECT_THAT(apply(outcomes), AllOf(SizeIs(900), Each(OutcomeAnswer::done)));
    EXPECT_EQ(count_rows("ACT_RU_JOB"), 0);
    EXPECT_EQ(count_rows("ACT_RU_TIMER_JOB"), 300);
}

TEST_P(Outcomes, No_outcomes_is_no_error) {
    EXPECT_TRUE(apply({}).empty());
}

// R041
TEST_P(Outcomes, A_lost_lock_is_an_answer_and_the_rest_of_the_batch_is_written) {
    insert(many_jobs("j", 8));
    const std::vector<Job> held = acquire();
    store_.executor().release("node-1", fences_of({held[1], held[3], held[5]}));
    ASSERT_EQ(acquire(2, "node-2").size(), 2U);
    execute("DELETE FROM ACT_RU_JOB WHERE ID_ = 'j006'");
    EXPECT_THAT(
        apply(
            {completed_outcome(held[0]),
             completed_outcome(held[1]),
             failed(held[2]),
             failed(held[3]),
             outcome_of(held[4], schema::released(held[4])),
             outcome_of(held[5], schema::released(held[5])),
             completed_outcome(held[6]),
             completed_outcome(held[7])}
        ),
        ElementsAre(
            OutcomeAnswer::done,
            OutcomeAnswer::lost_lock,
            OutcomeAnswer::done,
            OutcomeAnswer::lost_lock,
            OutcomeAnswer::done,
            OutcomeAnswer::lost_lock,
            OutcomeAnswer::lost_lock,
            OutcomeAnswer::done
        )
    );
    EXPECT_EQ(job("j001").lock_owner, "node-2");
    EXPECT_EQ(job("j003").lock_owner, "node-2");
    EXPECT_THAT(places_of({"j002", "j005", "j007"}), ElementsAre("timer", "executable", "nowhere"));
}

TEST_P(Outcomes, Nobody_writes_about_a_job_under_another_name) {
    const Job held = insert_and_acquire(a_job("a"), "node-1");
    EXPECT_THAT(apply({completed_outcome(held)}, "node-2"), ElementsAre(OutcomeAnswer::lost_lock));
    EXPECT_THAT(apply({failed(held)}, "node-2"), ElementsAre(OutcomeAnswer::lost_lock));
    EXPECT_EQ(job("a"), held);
}

TEST_P(Outcomes, A_job_named_twice_is_written_once) {
    const Job held = insert_and_acquire(a_job("a"));
    EXPECT_THAT(
        apply({failed(held), completed_outcome(held)}),
        ElementsAre(OutcomeAnswer::done, OutcomeAnswer::lost_lock)
    );
    EXPECT_EQ(place_of("a"), "timer");
}

// The node lost its lock, took the job again, and both runs ended together.
TEST_P(Outcomes, Of_two_runs_of_one_job_in_a_batch_only_the_one_whose_fence_holds_counts) {
    const Job lost = insert_and_acquire(a_job("a"));
    store_.executor().release("node-1", fences_of({lost}));
    const Job held = acquire().at(0);
    EXPECT_THAT(
        apply({failed(lost), completed_outcome(held)}),
        ElementsAre(OutcomeAnswer::lost_lock, OutcomeAnswer::done)
    );
    EXPECT_EQ(place_of("a"), "nowhere");
}

// I3: the name of the holder alone does not tell two runs of one node apart.
TEST_P(Outcomes, The_end_of_an_earlier_run_changes_nothing_about_the_next_one_of_the_same_node) {
    const Job lost = insert_and_acquire(a_job("a"));
    store_.executor().release("node-1", fences_of({lost}));
    const Job held = acquire().at(0);
    const std::vector<Outcome> late{
        completed_outcome(lost),
        failed(lost),
        outcome_of(lost, schema::released(lost)),
        outcome_of(lost, schema::not_served(lost, "a command")),
    };
    for (const Outcome& outcome : late) {
        EXPECT_THAT(apply({outcome}), ElementsAre(OutcomeAnswer::lost_lock));
        EXPECT_EQ(job("a"), held);
    }
    expect_done(completed_outcome(held));
}

TEST_P(Outcomes, A_renewed_lock_still_holds) {
    const Job held = insert_and_acquire(a_job("a"));
    ASSERT_TRUE(store_.executor().extend_locks(claim_of("node-1"), fences_of({held})).empty());
    expect_done(completed_outcome(held));
}

TEST_P(Outcomes, A_wait_beyond_what_the_database_holds_ends_at_its_last_date) {
    const Job held = insert_and_acquire(a_job("a"));
    Outcome outcome = failed(held);
    outcome.transition.due_date = schema::kLatestInstant;
    expect_done(outcome);
    EXPECT_EQ(place_of("a"), "timer");
}

class TransactionalOutcomes : public Outcomes {
protected:
    OutcomeAnswer apply_within(
        const Outcome& outcome,
        const std::function<void()>& before_commit = [] {}
    ) {
        OutcomeAnswer answer = OutcomeAnswer::lost_lock;
        in_transaction([&](Transaction& transaction) {
            answer = store_.executor().apply(transaction, "node-1", outcome);
            before_commit();
        });
        return answer;
    }
};

ON_EVERY_DATABASE(TransactionalOutcomes);

TEST_P(TransactionalOutcomes, The_outcome_commits_with_the_callers_transaction) {
    const Job held = insert_and_acquire(a_job("a"));
    EXPECT_EQ(apply_within(completed_outcome(held)), OutcomeAnswer::done);
    EXPECT_EQ(place_of("a"), "nowhere");
}

TEST_P(TransactionalOutcomes, A_failed_outcome_moves_in_the_callers_transaction) {
    const Job held = insert_and_acquire(a_job("a"));
    EXPECT_EQ(apply_within(failed(held)), OutcomeAnswer::done);
    EXPECT_EQ(place_of("a"), "timer");
}

TEST_P(TransactionalOutcomes, The_outcome_is_rolled_back_with_the_callers_transaction) {
    const Job held = insert_and_acquire(a_job("a"));
    EXPECT_THROW(
        (void)apply_within(completed_outcome(held), [] { throw std::runtime_error("no"); }),
        std::runtime_error
    );
    EXPECT_EQ(job("a"), held);
}

TEST_P(TransactionalOutcomes, A_lost_lock_is_an_answer_there_too) {
    const Job held = insert_and_acquire(a_job("a"));
    store_.executor().release("node-1", fences_of({held}));
    EXPECT_EQ(apply_within(completed_outcome(held)), OutcomeAnswer::lost_lock);
    EXPECT_EQ(apply_within(failed(held)), OutcomeAnswer::lost_lock);
    EXPECT_EQ(place_of("a"), "executable");
}

// A plain INSERT can take an id that stands in another place: no key spans two tables.
class OutcomesOfDuplicates : public Outcomes {
protected:
    /// What somebody inserts while the job `a` runs.
    void insert_duplicate(JobPlace place) {
        execute(
            "INSERT INTO " + std::string(schema::table_of(place)) +
            " (ID_, HANDLER_TYPE_, HANDLER_CFG_) VALUES ('a', 'mail', 'other')"
        );
    }
};

ON_EVERY_DATABASE(OutcomesOfDuplicates);

TEST_P(OutcomesOfDuplicates, A_retry_whose_id_a_timer_has_becomes_a_dead_letter) {
    const Job held = insert_and_acquire(a_job("a"));
    const Job other = insert_and_acquire(a_job("b"));
    insert_duplicate(JobPlace::timer);
    EXPECT_THAT(apply({failed(held), failed(other)}), Each(OutcomeAnswer::done));
    EXPECT_EQ(count_rows("ACT_RU_JOB"), 0);
    EXPECT_EQ(place_of("b"), "timer");
    const auto dead = store_.jobs().list(JobPlace::dead_letter, {}, "", 10);
    ASSERT_THAT(ids_of(dead), ElementsAre("a"));
    EXPECT_EQ(
        dead[0].exception_message, "another job with this id stands in ACT_RU_TIMER_JOB; it broke"
    );
    EXPECT_EQ(dead[0].attempts, 1);
    EXPECT_EQ(store_.jobs().list(JobPlace::timer, {}, "", 10).at(0).payload, "other");
}

TEST_P(OutcomesOfDuplicates, A_dead_letter_whose_id_another_one_has_gets_its_own) {
    const Job held = insert_and_acquire(a_job("a").with_retries(1).with_payload("mine"));
    insert_duplicate(JobPlace::dead_letter);
    expect_done(failed(held));
    EXPECT_EQ(count_rows("ACT_RU_JOB"), 0);
    auto dead = store_.jobs().list(JobPlace::dead_letter, {}, "", 10);
    ASSERT_THAT(dead, SizeIs(2));
    std::ranges::sort(dead, {}, &Job::payload);
    EXPECT_NE(dead[0].id, "a");
    EXPECT_EQ(dead[0].exception_message, "its id was a, which another dead letter has; it broke");
    EXPECT_EQ(dead[1].id, "a");
    EXPECT_EQ(dead[1].payload, "other");
}

TEST_P(OutcomesOfDuplicates, One_that_has_both_for_duplicates_loses_neither) {
    const Job held = insert_and_acquire(a_job("a").with_payload("mine"));
    insert_duplicate(JobPlace::timer);
    insert_duplicate(JobPlace::dead_letter);
    expect_done(failed(held));
    EXPECT_EQ(count_rows("ACT_RU_JOB"), 0);
    EXPECT_EQ(count_rows("ACT_RU_TIMER_JOB"), 1);
    EXPECT_EQ(count_rows("ACT_RU_DEADLETTER_JOB WHERE HANDLER_CFG_ = 'mine'"), 1);
    EXPECT_EQ(count_rows("ACT_RU_DEADLETTER_JOB WHERE HANDLER_CFG_ = 'other'"), 1);
}

}  // namespace

}  // namespace jobstrand::test
