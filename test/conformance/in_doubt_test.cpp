#include "persistence/sql/db_error.hpp"
#include "persistence/sql/sql_transaction.hpp"
#include "test/conformance/store_test.hpp"

namespace jobstrand::test {

namespace {

/// Whatever became of a commit whose answer was lost: the operation ends as if it had been
/// answered, and is done exactly once (I9).
class LostCommitAnswer : public StoreTest {
protected:
    /// Runs the same steps for a commit that was done and for one that was not.
    template <typename Steps>
    void in_both_cases(Steps steps) {
        for (const FaultPoint lost : {FaultPoint::after_commit, FaultPoint::before_commit}) {
            SCOPED_TRACE(
                lost == FaultPoint::after_commit ? "the commit was done" : "the commit was not done"
            );
            steps([this, lost] { faults_.add({.point = lost, .kind = DbErrorKind::in_doubt}); });
            for (const JobPlace place : schema::kJobPlaces) {
                execute("DELETE FROM " + std::string(schema::table_of(place)));
            }
        }
    }
};

ON_EVERY_DATABASE(LostCommitAnswer);

TEST_P(LostCommitAnswer, Jobs_are_inserted_once) {
    in_both_cases([this](auto lose_answer) {
        lose_answer();
        insert({a_job("a"), a_job("b")});
        EXPECT_EQ(count_rows("ACT_RU_JOB"), 2);
    });
}

TEST_P(LostCommitAnswer, Acquired_jobs_are_locked_once) {
    in_both_cases([this](auto lose_answer) {
        insert({a_job("a"), a_job("b")});
        lose_answer();
        const std::vector<Job> acquired = acquire();
        EXPECT_THAT(ids_of(acquired), ElementsAre("a", "b"));
        EXPECT_EQ(acquired.at(0).revision, 2);
        EXPECT_EQ(acquired.at(0), job("a"));
    });
}

TEST_P(LostCommitAnswer, A_job_acquired_by_id_is_locked_once) {
    in_both_cases([this](auto lose_answer) {
        insert(a_job("a"));
        lose_answer();
        const auto acquired = acquire_one("a");
        EXPECT_EQ(acquired.answer, JobAnswer::done);
        EXPECT_EQ(acquired.job, job("a"));
    });
}

TEST_P(LostCommitAnswer, Outcomes_are_written_once) {
    in_both_cases([this](auto lose_answer) {
        insert(many_jobs("j", 3));
        const std::vector<Job> held = acquire();
        lose_answer();
        EXPECT_THAT(
            apply(
                {completed_outcome(held[0]),
                 failed_outcome(held[1]),
                 outcome_of(held[2], schema::released(held[2]))}
            ),
            ElementsAre(OutcomeAnswer::done, OutcomeAnswer::done, OutcomeAnswer::done)
        );
        EXPECT_EQ(place_of("j000"), "nowhere");
        EXPECT_EQ(job("j001").retries, 2);
        EXPECT_EQ(job("j002").revision, held[2].revision + 1);
    });
}

TEST_P(LostCommitAnswer, Lost_locks_in_the_batch_are_still_told) {
    in_both_cases([this](auto lose_answer) {
        insert(many_jobs("j", 2));
        const std::vector<Job> held = acquire();
        store_.executor().release("node-1", fences_of({held[0]}));
        lose_answer();
        EXPECT_THAT(
            apply({completed_outcome(held[0]), completed_outcome(held[1])}),
            ElementsAre(OutcomeAnswer::lost_lock, OutcomeAnswer::done)
        );
        EXPECT_EQ(place_of("j000"), "executable");
    });
}

TEST_P(LostCommitAnswer, Due_timers_move_once) {
    in_both_cases([this](auto lose_answer) {
        insert(JobPlace::timer, {a_job("t").due_at(clock_.now())});
        lose_answer();
        const auto due = move_due(10);
        EXPECT_EQ(due.moved, 1U);
        ASSERT_THAT(ids_of(due.locked), ElementsAre("t"));
        EXPECT_EQ(due.locked[0], job("t"));
    });
}

TEST_P(LostCommitAnswer, Due_timers_that_arrive_free_move_once) {
    in_both_cases([this](auto lose_answer) {
        insert(JobPlace::timer, {a_job("t").due_at(clock_.now())});
        lose_answer();
        EXPECT_EQ(move_due_free(10).moved, 1U);
        EXPECT_EQ(place_of("t"), "executable");
        EXPECT_EQ(job("t").revision, 2);
    });
}

TEST_P(LostCommitAnswer, A_series_begins_and_each_turn_brings_the_next_one_once) {
    in_both_cases([this](auto lose_answer) {
        execute("DELETE FROM JS_SERIES");
        lose_answer();
        (void)store_.enqueuer().create(
            {{.series = {.key = "s", .repeat = "R/PT1S", .overlap = false},
              .first_turn = a_job("t").due_at(clock_.now())}},
            clock_.now()
        );
        lose_answer();
        const auto due = move_due(10);
        ASSERT_THAT(ids_of(due.locked), ElementsAre("t"));
        EXPECT_EQ(store_.series().find_series("s")->series.fire_count, 1);
        lose_answer();
        expect_done(completed_outcome(due.locked[0]));
        EXPECT_EQ(count_rows("ACT_RU_TIMER_JOB"), 1);
        lose_answer();
        EXPECT_TRUE(store_.series().fire_series("s", clock_.now()));
        EXPECT_EQ(count_rows("ACT_RU_JOB"), 1);
        lose_answer();
        EXPECT_EQ(store_.series().end_series("s", clock_.now()), SeriesAnswer::done);
        EXPECT_EQ(count_rows("ACT_RU_TIMER_JOB"), 0);
        lose_answer();
        EXPECT_EQ(store_.series().remove_series("s"), SeriesAnswer::done);
    });
}

TEST_P(LostCommitAnswer, A_turn_that_is_left_out_is_left_out_once) {
    in_both_cases([this](auto lose_answer) {
        execute("DELETE FROM JS_SERIES");
        (void)store_.enqueuer().create(
            {{.series = {.key = "s", .repeat = "R/PT1H", .misfire = "next-with-remaining"},
              .first_turn = a_job("t").due_at(clock_.now() - 90min)}},
            clock_.now()
        );
        lose_answer();
        EXPECT_THAT(move_due(10).locked, IsEmpty());
        EXPECT_EQ(job("t").due_date, clock_.now() + 30min);
        EXPECT_EQ(store_.series().find_series("s")->series.turns_taken, 2);
    });
}

TEST_P(LostCommitAnswer, A_timer_fires_once) {
    in_both_cases([this](auto lose_answer) {
        insert(JobPlace::timer, a_job("t").due_at(clock_.now() + 1h));
        lose_answer();
        EXPECT_EQ(fire_timer("t"), JobAnswer::done);
        EXPECT_EQ(job("t").revision, 2);
    });
}

TEST_P(LostCommitAnswer, Dead_letters_are_requeued_once) {
    in_both_cases([this](auto lose_answer) {
        insert(JobPlace::dead_letter, a_job("d"));
        lose_answer();
        EXPECT_THAT(requeue({"d"}, 2), ElementsAre(JobAnswer::done));
        EXPECT_EQ(place_of("d"), "executable");
    });
}

TEST_P(LostCommitAnswer, Jobs_are_removed_once) {
    in_both_cases([this](auto lose_answer) {
        insert(JobPlace::dead_letter, a_job("d"));
        lose_answer();
        EXPECT_THAT(remove(JobPlace::dead_letter, {"d"}), ElementsAre(JobAnswer::done));
        EXPECT_EQ(place_of("d"), "nowhere");
    });
}

TEST_P(LostCommitAnswer, Operations_that_may_run_twice_are_run_again) {
    in_both_cases([this](auto lose_answer) {
        const Job held = insert_and_acquire(a_job("a"));
        lose_answer();
        EXPECT_TRUE(store_.executor().extend_locks(claim_of("node-1"), fences_of({held})).empty());
        lose_answer();
        store_.executor().release("node-1", fences_of({held}));
        EXPECT_EQ(job("a").revision, held.revision + 1);
        lose_answer();
        EXPECT_EQ(
            change(JobPlace::executable, "a", {schema::set_to(&Job::retries, 8)}), JobAnswer::done
        );
        EXPECT_EQ(job("a").retries, 8);
    });
}

TEST_P(LostCommitAnswer, A_job_is_given_up_once) {
    in_both_cases([this](auto lose_answer) {
        insert(a_job("a"));
        lose_answer();
        EXPECT_EQ(
            change(JobPlace::executable, "a", {schema::set_to(&Job::retries, 0)}), JobAnswer::done
        );
        EXPECT_EQ(place_of("a"), "dead");
    });
}

TEST_P(LostCommitAnswer, Many_jobs_are_changed_once) {
    in_both_cases([this](auto lose_answer) {
        const std::vector<std::string> ids{"j000", "j001"};
        insert(many_jobs("j", 2));
        const persistence::ManyChanges later{
            .fields = {schema::set_to(&Job::retries, 8)}, .due_date = clock_.now() + 1h};
        for (const JobPlace place : {JobPlace::executable, JobPlace::timer}) {
            lose_answer();
            EXPECT_THAT(
                store_.jobs().change_all(place, ids, later, clock_.now()), Each(JobAnswer::done)
            );
            EXPECT_EQ(place_of("j001"), "timer");
            EXPECT_EQ(job("j001").retries, 8);
        }
    });
}

TEST_P(LostCommitAnswer, A_suspension_and_its_end_are_complete) {
    in_both_cases([this](auto lose_answer) {
        insert(a_job("a").of_instance("i"));
        lose_answer();
        EXPECT_EQ(suspend(SuspensionScope::instance, "i"), 1);
        EXPECT_EQ(place_of("a"), "suspended");
        lose_answer();
        EXPECT_EQ(activate(SuspensionScope::instance, "i"), 1);
        EXPECT_EQ(place_of("a"), "executable");
    });
}

TEST_P(LostCommitAnswer, An_app_whose_own_work_cannot_be_asked_is_told_of_the_doubt) {
    faults_.add({.point = FaultPoint::after_commit, .kind = DbErrorKind::in_doubt});
    expect_error(DbErrorKind::in_doubt, [this] {
        in_transaction([this](Transaction& transaction) {
            store_.enqueuer().insert(transaction, {{JobPlace::executable, a_job("a")}});
        });
    });
}

TEST_P(LostCommitAnswer, An_app_that_can_ask_for_its_work_is_told_that_it_is_done) {
    in_both_cases([this](auto lose_answer) {
        lose_answer();
        store_.enqueuer().in_transaction(
            [this](Transaction& transaction) {
                store_.enqueuer().insert(transaction, {{JobPlace::executable, a_job("a")}});
            },
            [](Transaction& transaction) {
                bool found = false;
                transaction.query(
                    {.sql = "SELECT 1 FROM ACT_RU_JOB WHERE ID_ = 'a'", .columns = 1},
                    {},
                    [&](const persistence::Row&) { found = true; }
                );
                return found;
            }
        );
        EXPECT_EQ(count_rows("ACT_RU_JOB"), 1);
    });
}

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

ON_EVERY_DATABASE(LostStarts);

TEST_P(LostStarts, A_job_that_a_node_died_with_has_one) {
    insert(a_job("a").with_retries(2));
    const Job freed = died_with("a");
    EXPECT_EQ(freed.lost_starts, 1);
    EXPECT_EQ(freed.retries, 2);
    EXPECT_EQ(freed.attempts, 0);
    EXPECT_EQ(acquire_it().lost_starts, 1);
}

TEST_P(LostStarts, As_long_as_it_is_not_started_again_it_has_no_more) {
    insert(a_job("a"));
    for (int died = 0; died < 5; ++died) {
        EXPECT_EQ(died_with("a").lost_starts, 1);
    }
}

TEST_P(LostStarts, Each_further_start_is_counted_before_it_begins) {
    insert(a_job("a"));
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
    insert(a_job("a"));
    (void)died_with("a");
    ASSERT_TRUE(count(acquire_it()));
    free_expired();  // After one hour.
    EXPECT_THAT(acquire(1, "node"), IsEmpty());
    EXPECT_EQ(job("a").lock_owner, "suspect");
    free_expired();
    EXPECT_EQ(acquire(1, "node").at(0).lost_starts, 2);
}

TEST_P(LostStarts, Only_the_holder_of_the_lock_counts_a_start) {
    insert(a_job("a"));
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
    insert(many_jobs("j", 3));
    execute("UPDATE ACT_RU_JOB SET LOST_STARTS_ = 2 WHERE ID_ = 'j001'");
    execute("UPDATE ACT_RU_JOB SET LOST_STARTS_ = 1 WHERE ID_ = 'j002'");
    store_.executor().uncount_starts(std::vector<std::string>{"j002", "gone", "j001", "j000"});
    EXPECT_EQ(job("j000").lost_starts, 0);
    EXPECT_EQ(job("j001").lost_starts, 1);
    EXPECT_EQ(job("j002").lost_starts, 0);
    store_.executor().uncount_starts({});
}

TEST_P(LostStarts, A_job_that_leaves_its_place_begins_anew) {
    insert(a_job("a"));
    (void)died_with("a");
    const Job held = acquire_it();
    EXPECT_THAT(
        apply({failed_outcome(held, {.message = "no ink"})}, "dead-node"),
        ElementsAre(OutcomeAnswer::done)
    );
    ASSERT_EQ(place_of("a"), "timer");
    clock_.tick(1h);
    EXPECT_EQ(store_.timers().move_due_timers(clock_.now(), 10, {}, noop_).moved, 1U);
    EXPECT_EQ(job("a").lost_starts, 0);
}

TEST_P(LostStarts, A_release_or_a_renewal_changes_nothing) {
    insert(a_job("a"));
    (void)died_with("a");
    const Job held = acquire_it();
    (void)store_.executor().extend_locks(claim_of("dead-node"), fences_of({held}));
    store_.executor().release("dead-node", fences_of({held}));
    EXPECT_EQ(job("a").lost_starts, 1);
}

TEST_P(LostStarts, A_job_that_has_lost_too_many_is_a_dead_letter_that_says_so) {
    insert(a_job("a"));
    execute("UPDATE ACT_RU_JOB SET LOST_STARTS_ = 3 WHERE ID_ = 'a'");
    const Job held = acquire_it();
    EXPECT_THAT(
        apply({outcome_of(held, schema::crash_loop(held, clock_.now()))}, "dead-node"),
        ElementsAre(OutcomeAnswer::done)
    );
    ASSERT_EQ(place_of("a"), "dead");
    EXPECT_THAT(job("a").exception_message, HasSubstr("ended 3 times in a row"));
    EXPECT_THAT(requeue({"a"}, 3), ElementsAre(JobAnswer::done));
    EXPECT_EQ(job("a").lost_starts, 0);
}

// Nobody locks others, so nobody runs them.
TEST_P(LostStarts, Timers_and_external_jobs_have_none) {
    for (const JobPlace place : {JobPlace::timer, JobPlace::external_worker}) {
        insert(
            place,
            a_job(std::string(schema::name_of(place)))
                .due_at(clock_.now())
                .locked_by("dead-node", clock_.now())
        );
        clock_.tick(1s);
        const auto reset = store_.executor().reset_expired_locks(
            place, {.now = clock_.now(), .rows = 100, .page = 10}
        );
        EXPECT_EQ(reset.freed, 1) << schema::name_of(place);
    }
}

}  // namespace

}  // namespace jobstrand::test
