#include "test/conformance/store_test.hpp"

namespace jobstrand::test {

namespace {

using testing::ElementsAre;

/// Starts of which no node has told the end, because it died.
class LostStarts : public StoreTest {
protected:
    /// Acquires the job for a node that dies with it, and frees its lock.
    Job died_with(const std::string& id) {
        const Job held = acquire_it();
        EXPECT_EQ(held.id, id);
        free_expired();
        return job(id);
    }

    Job acquire_it() { return acquire(1, "dead-node").at(0); }

    void free_expired() {
        clock_.tick(1h);
        const auto reset = store_.executor().reset_expired_locks(
            JobPlace::executable, {.now = clock_.now(), .rows = 100, .page = 10}
        );
        EXPECT_EQ(reset.freed, 1);
    }

    [[nodiscard]] bool count(const Job& held) {
        return store_.executor().count_start(
            held.lock_owner, {.id = held.id, .revision = held.revision}, clock_.now() + wait_
        );
    }

    schema::Duration wait_{1min};  ///< After a counted start that is lost.
};

INSTANTIATE_TEST_SUITE_P(
    OnEveryDatabase,
    LostStarts,
    testing::ValuesIn(databases_under_test()),
    name_of_database
);

TEST_P(LostStarts, A_job_that_a_node_died_with_has_one) {
    insert(JobPlace::executable, a_job("a").with_retries(2));
    const Job freed = died_with("a");
    EXPECT_EQ(freed.lost_starts, 1);
    EXPECT_EQ(freed.retries, 2);
    EXPECT_EQ(freed.attempts, 0);
    EXPECT_EQ(acquire_it().lost_starts, 1);
}

TEST_P(LostStarts, As_long_as_it_is_not_started_again_it_has_no_more) {
    insert(JobPlace::executable, a_job("a"));
    for (int died = 0; died < 5; ++died) {
        EXPECT_EQ(died_with("a").lost_starts, 1);
    }
}

TEST_P(LostStarts, Each_further_start_is_counted_before_it_begins) {
    insert(JobPlace::executable, a_job("a"));
    (void)died_with("a");
    for (int lost = 2; lost <= 4; ++lost) {
        const Job held = acquire_it();
        ASSERT_TRUE(count(held));
        EXPECT_EQ(job("a").lost_starts, lost);
        EXPECT_EQ(job("a").revision, held.revision) << "the fence of the run holds";
        free_expired();
        EXPECT_EQ(job("a").lost_starts, lost);
    }
}

TEST_P(LostStarts, A_job_that_a_node_died_of_twice_is_left_alone_for_a_while) {
    wait_ = 100min;
    insert(JobPlace::executable, a_job("a"));
    (void)died_with("a");
    ASSERT_TRUE(count(acquire_it()));
    free_expired();  // After one hour.
    EXPECT_THAT(acquire(1, "node"), testing::IsEmpty());
    EXPECT_EQ(job("a").lock_owner, "suspect");
    free_expired();
    EXPECT_EQ(acquire(1, "node").at(0).lost_starts, 2);
}

TEST_P(LostStarts, Only_the_holder_of_the_lock_counts_a_start) {
    insert(JobPlace::executable, a_job("a"));
    (void)died_with("a");
    const Job held = acquire_it();
    EXPECT_FALSE(store_.executor().count_start(
        "another", {.id = "a", .revision = held.revision}, clock_.now()
    ));
    EXPECT_FALSE(store_.executor().count_start(
        "dead-node", {.id = "a", .revision = held.revision - 1}, clock_.now()
    ));
    EXPECT_FALSE(
        store_.executor().count_start("dead-node", {.id = "gone", .revision = 1}, clock_.now())
    );
    EXPECT_EQ(job("a").lost_starts, 1);
}

TEST_P(LostStarts, Starts_that_have_ended_after_all_are_taken_back_one_each) {
    insert(JobPlace::executable, many_jobs("j", 3));
    execute("UPDATE ACT_RU_JOB SET LOST_STARTS_ = 2 WHERE ID_ = 'j001'");
    execute("UPDATE ACT_RU_JOB SET LOST_STARTS_ = 1 WHERE ID_ = 'j002'");
    store_.executor().uncount_starts(std::vector<std::string>{"j002", "gone", "j001", "j000"});
    EXPECT_EQ(job("j000").lost_starts, 0);
    EXPECT_EQ(job("j001").lost_starts, 1);
    EXPECT_EQ(job("j002").lost_starts, 0);
    store_.executor().uncount_starts({});
}

TEST_P(LostStarts, A_job_that_leaves_its_place_begins_anew) {
    insert(JobPlace::executable, a_job("a"));
    (void)died_with("a");
    const Job held = acquire_it();
    const std::vector<Outcome> failed{failed_outcome(held, {.message = "no ink"}, clock_.now())};
    EXPECT_THAT(store_.executor().apply("dead-node", failed), ElementsAre(OutcomeAnswer::done));
    ASSERT_EQ(place_of("a"), "timer");
    clock_.tick(1h);
    EXPECT_EQ(store_.timers().move_due_timers(clock_.now(), 10, {}, noop_).moved, 1U);
    EXPECT_EQ(job("a").lost_starts, 0);
}

TEST_P(LostStarts, A_release_or_a_renewal_changes_nothing) {
    insert(JobPlace::executable, a_job("a"));
    (void)died_with("a");
    const Job held = acquire_it();
    (void)store_.executor().extend_locks(claim_of("dead-node"), fences_of({held}));
    store_.executor().release("dead-node", fences_of({held}));
    EXPECT_EQ(job("a").lost_starts, 1);
}

TEST_P(LostStarts, A_job_that_has_lost_too_many_is_a_dead_letter_that_says_so) {
    insert(JobPlace::executable, a_job("a"));
    execute("UPDATE ACT_RU_JOB SET LOST_STARTS_ = 3 WHERE ID_ = 'a'");
    const Job held = acquire_it();
    const std::vector<Outcome> one{outcome_of(held, schema::crash_loop(held, clock_.now()))};
    EXPECT_THAT(store_.executor().apply("dead-node", one), ElementsAre(OutcomeAnswer::done));
    ASSERT_EQ(place_of("a"), "dead");
    EXPECT_THAT(job("a").exception_message, testing::HasSubstr("ended 3 times in a row"));
    const std::vector<std::string> ids{"a"};
    EXPECT_THAT(
        store_.jobs().requeue(ids, 3, std::nullopt, clock_.now()), ElementsAre(JobAnswer::done)
    );
    EXPECT_EQ(job("a").lost_starts, 0);
}

// Nobody locks others, so nobody runs them.
TEST_P(LostStarts, Timers_and_external_jobs_have_none) {
    for (const JobPlace place : {JobPlace::timer, JobPlace::external_worker}) {
        Job locked = a_job(std::string(schema::name_of(place))).due_at(clock_.now());
        locked.lock_owner = "dead-node";
        locked.lock_expiration = clock_.now();
        insert(place, locked);
        clock_.tick(1s);
        const auto reset = store_.executor().reset_expired_locks(
            place, {.now = clock_.now(), .rows = 100, .page = 10}
        );
        EXPECT_EQ(reset.freed, 1) << schema::name_of(place);
    }
}

}  // namespace

}  // namespace jobstrand::test
