#include "persistence/batches/filter_text.hpp"
#include "persistence/sql/db_error.hpp"
#include "test/conformance/batch_fixture.hpp"

namespace jobstrand::test {

namespace {

using persistence::equals;

class Batches : public BatchTest {
protected:
    std::vector<std::string> ids_in(JobPlace place) {
        return store_.jobs().list_ids(place, {}, "", 1'000);
    }
};

ON_EVERY_DATABASE(Batches);

TEST_P(Batches, One_is_written_down_as_it_was_ordered_and_does_nothing_yet) {
    insert_dead(3);
    const BatchOrder order{
        .operation = BatchOperation::requeue,
        .retries = 5,
        .due_date = clock_.now() + 1h,
        .spread = 10min,
        .per_second = 50,
        .cause = "0123456789ab",
        .who = "anna",
        .reason = "the mail server is back",
    };
    const Batch begun = begin(order, {.fields = {equals(&Job::handler_type, "noop")}});
    EXPECT_EQ(begun.order, order);
    EXPECT_EQ(begun.state, BatchState::running);
    EXPECT_EQ(begun.total, 3);
    EXPECT_EQ(begun.until, "dead002");
    EXPECT_EQ(begun.created, clock_.now());
    EXPECT_EQ(found(begun.id), begun);
    EXPECT_THAT(ids_in(JobPlace::dead_letter), SizeIs(3));
}

TEST_P(Batches, One_may_mean_alternatives_and_parts_of_payloads) {
    std::vector<Job> jobs = many_jobs("dead", 6);
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        jobs[i].payload = i % 2 == 1 ? R"({"order":1})" : i == 2 ? "no JSON" : R"({"order":1e999})";
        jobs[i].failed_time = clock_.now();
        jobs[i].retries = 0;
    }
    insert(JobPlace::dead_letter, jobs);
    const std::string numbers =
        "payload not_above order\x1f\x1f"
        "1\n";
    const Batch removal = begin(
        {.operation = BatchOperation::remove},
        persistence::filter_in("where\nany 2\nID_ equal dead000\n" + numbers)
    );
    EXPECT_EQ(removal.total, 4);
    EXPECT_EQ(carry_out(removal.id, {.jobs = 2}).done, 4);
    EXPECT_THAT(ids_in(JobPlace::dead_letter), ElementsAre("dead002", "dead004"));
    const Batch others = begin_requeue(persistence::filter_in("where\nnot\n" + numbers));
    EXPECT_EQ(carry_out(others.id).done, 2);
    EXPECT_THAT(ids_in(JobPlace::executable), ElementsAre("dead002", "dead004"));
}

TEST_P(Batches, Each_job_is_requeued_once_page_by_page) {
    insert_dead(10);
    const Batch begun = begin_requeue();
    const Batch first = step(begun.id, 4);
    EXPECT_EQ(first.done, 4);
    EXPECT_EQ(first.cursor, "dead003");
    EXPECT_EQ(first.state, BatchState::running);
    EXPECT_EQ(count_rows("ACT_RU_JOB"), 4);
    clock_.tick(1min);
    const Batch last = carry_out(begun.id);
    EXPECT_EQ(last.state, BatchState::done);
    EXPECT_EQ(last.done, 10);
    EXPECT_EQ(last.ended, clock_.now());
    EXPECT_EQ(found(begun.id), last);
    EXPECT_THAT(ids_in(JobPlace::dead_letter), IsEmpty());
    EXPECT_THAT(ids_in(JobPlace::executable), SizeIs(10));
    EXPECT_EQ(job("dead007").retries, 3);
    EXPECT_EQ(job("dead007").failed_time, std::nullopt);
}

TEST_P(Batches, What_dies_again_while_it_goes_on_is_left_as_it_is) {
    insert_dead(4);
    const Batch begun = begin_requeue();
    (void)step(begun.id, 2);
    clock_.tick(1min);
    // One among those that were meant, and one behind them.
    for (const char* const id : {"dead002x", "dead009"}) {
        Job dead_since = a_job(id);
        dead_since.failed_time = clock_.now();
        insert(JobPlace::dead_letter, dead_since);
    }
    EXPECT_EQ(carry_out(begun.id).done, 4);
    EXPECT_THAT(ids_in(JobPlace::dead_letter), ElementsAre("dead002x", "dead009"));
}

TEST_P(Batches, Only_what_its_filter_matches_is_changed) {
    insert_dead(3);
    Job other = a_job("dead001a").of_type("mail");
    other.failed_time = clock_.now();
    insert(JobPlace::dead_letter, other);
    const Batch begun = begin_requeue({.fields = {equals(&Job::handler_type, "mail")}});
    EXPECT_EQ(begun.total, 1);
    EXPECT_EQ(carry_out(begun.id).done, 1);
    EXPECT_THAT(ids_in(JobPlace::executable), ElementsAre("dead001a"));
}

TEST_P(Batches, One_that_matches_nothing_is_done_at_once) {
    const Batch begun = begin_requeue();
    EXPECT_EQ(begun.state, BatchState::done);
    EXPECT_EQ(begun.ended, clock_.now());
    EXPECT_EQ(step(begun.id), begun);
}

TEST_P(Batches, A_paused_one_does_nothing_until_it_is_resumed) {
    insert_dead(4);
    const Batch begun = begin_requeue();
    (void)step(begun.id, 2);
    EXPECT_EQ(set_state(begun.id, BatchState::paused), BatchState::paused);
    EXPECT_EQ(step(begun.id).done, 2);
    EXPECT_EQ(count_rows("ACT_RU_JOB"), 2);
    set_state(begun.id, BatchState::running);
    EXPECT_EQ(carry_out(begun.id).done, 4);
}

TEST_P(Batches, A_cancelled_one_stays_so_and_what_is_done_stays_done) {
    insert_dead(4);
    const Batch begun = begin_requeue();
    (void)step(begun.id, 2);
    const auto cancelled = batches_.set_batch_state(begun.id, BatchState::cancelled, clock_.now());
    EXPECT_EQ(cancelled->ended, clock_.now());
    EXPECT_EQ(set_state(begun.id, BatchState::running), BatchState::cancelled);
    EXPECT_EQ(step(begun.id).done, 2);
    EXPECT_THAT(ids_in(JobPlace::dead_letter), SizeIs(2));
}

TEST_P(Batches, The_latest_are_listed_first_and_those_that_do_not_run_can_be_forgotten) {
    insert_dead(1);
    const Batch first = begin_requeue();
    clock_.tick(1s);
    const Batch second = begin_requeue();
    const auto all = batches_.batches("", 10);
    EXPECT_THAT(all, ElementsAre(Field(&Batch::id, second.id), Field(&Batch::id, first.id)));
    EXPECT_THAT(batches_.batches(second.id, 10), ElementsAre(Field(&Batch::id, first.id)));
    EXPECT_FALSE(batches_.remove_batch(first.id));
    set_state(first.id, BatchState::paused);
    EXPECT_TRUE(batches_.remove_batch(first.id));
    EXPECT_FALSE(batches_.remove_batch(first.id));
    EXPECT_FALSE(batches_.find_batch(first.id));
    EXPECT_FALSE(batches_.step_batch(first.id, {}, clock_.now()));
}

TEST_P(Batches, Dead_letters_are_removed) {
    insert_dead(5);
    const Batch begun = begin({.operation = BatchOperation::remove});
    EXPECT_EQ(carry_out(begun.id).done, 5);
    EXPECT_THAT(ids_in(JobPlace::dead_letter), IsEmpty());
}

TEST_P(Batches, Jobs_are_changed_where_they_stand_and_those_that_a_node_holds_are_not) {
    insert(many_jobs("job", 5));
    acquire_one("job002");
    const Batch begun = begin({
        .operation = BatchOperation::change,
        .place = JobPlace::executable,
        .retries = 9,
        .priority = 77,
    });
    const Batch last = carry_out(begun.id);
    EXPECT_EQ(last.done, 4);
    EXPECT_EQ(last.skipped, 1);
    EXPECT_EQ(job("job001").retries, 9);
    EXPECT_EQ(job("job001").priority, 77);
    EXPECT_EQ(job("job001").revision, 2);
    EXPECT_EQ(job("job002").priority, 0);
    EXPECT_EQ(job("job002").lock_owner, "node-1");
}

// Who sets them to 0 gives the job up.
TEST_P(Batches, Retries_of_none_make_dead_letters) {
    insert(many_jobs("job", 3));
    const Batch begun = begin({
        .operation = BatchOperation::change,
        .place = JobPlace::executable,
        .retries = 0,
    });
    EXPECT_EQ(carry_out(begun.id).done, 3);
    EXPECT_THAT(ids_in(JobPlace::dead_letter), SizeIs(3));
}

TEST_P(Batches, Timers_get_another_due_date) {
    insert(JobPlace::timer, many_jobs("t", 3, a_job("").due_at(clock_.now() + 1h)));
    const auto later = clock_.now() + 24h;
    const Batch begun = begin({
        .operation = BatchOperation::change,
        .place = JobPlace::timer,
        .due_date = later,
    });
    EXPECT_EQ(carry_out(begun.id).done, 3);
    EXPECT_EQ(job("t001").due_date, later);
}

TEST_P(Batches, Due_dates_are_spread_evenly_over_all_pages) {
    insert_dead(6);
    const auto start = clock_.now();
    const Batch begun = begin({.operation = BatchOperation::requeue, .retries = 1, .spread = 1h});
    clock_.tick(5s);
    EXPECT_EQ(carry_out(begun.id).done, 6);
    EXPECT_EQ(job("dead001").due_date, start + 10min);
    EXPECT_EQ(job("dead005").due_date, start + 50min);
}

TEST_P(Batches, Of_a_cause_only_what_died_of_it_is_requeued) {
    std::vector<Job> dead = many_jobs("dead", 4);
    for (std::size_t i = 0; i < dead.size(); ++i) {
        dead[i].failed_time = clock_.now();
        dead[i].exception_message = i % 2 == 0 ? "timeout" : "no network";
    }
    insert(JobPlace::dead_letter, dead);
    const Batch begun = begin({.operation = BatchOperation::requeue, .retries = 1, .cause = "x"});
    const BatchStep by_cause{
        .jobs = 3, .is_meant = [](const persistence::DeadLetterFailure& failure) {
            return failure.message == "timeout";
        }};
    EXPECT_EQ(carry_out(begun.id, by_cause).done, 2);
    EXPECT_THAT(ids_in(JobPlace::dead_letter), ElementsAre("dead001", "dead003"));
}

TEST_P(Batches, What_belongs_to_something_suspended_comes_back_suspended) {
    Job job = a_job("dead000").of_instance("order-17");
    job.failed_time = clock_.now();
    insert(JobPlace::dead_letter, job);
    suspend(SuspensionScope::instance, "order-17");
    EXPECT_EQ(carry_out(begin_requeue().id).done, 1);
    EXPECT_EQ(place_of("dead000"), "suspended");
}

TEST_P(Batches, An_id_that_is_taken_where_a_job_goes_undoes_the_page_and_is_passed_over_alone) {
    insert_dead(3);
    execute(
        "INSERT INTO ACT_RU_JOB (ID_, REV_, TYPE_, HANDLER_TYPE_) "
        "VALUES ('dead001', 1, 'message', 'mail')"
    );
    const Batch begun = begin_requeue();
    expect_error(DbErrorKind::duplicate_key, [&] { return step(begun.id); });
    EXPECT_EQ(found(begun.id), begun);
    EXPECT_EQ(step(begun.id, 1).done, 1);
    EXPECT_EQ(step(begun.id, {.jobs = 1, .passes_over = true}).refused, 1);
    EXPECT_THAT(carry_out(begun.id), AllOf(Field(&Batch::done, 2), Field(&Batch::refused, 1)));
    EXPECT_THAT(ids_in(JobPlace::dead_letter), ElementsAre("dead001"));
}

TEST_P(Batches, The_job_that_carries_one_out_comes_with_it_and_has_its_id) {
    insert_dead(1);
    const Batch begun = batches_.create_batch(
        {.order = {.operation = BatchOperation::requeue, .retries = 1},
         .carrier = a_job("").with_priority(9).build()},
        clock_.now()
    );
    EXPECT_EQ(place_of(begun.id), "executable");
    EXPECT_EQ(job(begun.id).priority, 9);
    EXPECT_EQ(job(begun.id).handler_type, "noop");
}

TEST_P(Batches, A_filter_with_thousands_of_characters_cannot_be_written_down) {
    EXPECT_TRUE(persistence::BatchStore::can_keep({.fields = {equals(&Job::handler_type, "noop")}})
    );
    EXPECT_FALSE(persistence::BatchStore::can_keep(
        {.fields = {equals(&Job::payload, std::string(5'000, 'x'))}}
    ));
    EXPECT_FALSE(persistence::BatchStore::can_keep({.ids = {"a"}}));
}

/// What a batch does inside the database is what it does when it looks at each row.
class BatchRules : public BatchTest {
protected:
    /// The job that ends up with this id, done by a batch that looks at each row or not.
    Job done_by(bool looks_at_all, const Job& job, JobPlace place, BatchOrder order) {
        insert(place, job);
        order.place = place;
        const Batch begun = begin(order);
        const Batch last = step(begun.id, {.jobs = 10, .looks_at_all = looks_at_all});
        EXPECT_EQ(last.done, 1);
        Job after = this->job(job.id);
        for (const JobPlace each : schema::kJobPlaces) {
            execute("DELETE FROM " + std::string(schema::table_of(each)));
        }
        return after;
    }

    void expect_same(const Job& job, JobPlace place, const BatchOrder& order) {
        EXPECT_EQ(done_by(false, job, place, order), done_by(true, job, place, order));
    }

    static Job plain_job() {
        Job job = full_job("a");
        job.repeat.clear();
        job.series.clear();
        job.custom_values_id.clear();
        job.exception_stack_id.clear();
        return job;
    }
};

ON_EVERY_DATABASE(BatchRules);

TEST_P(BatchRules, A_requeued_job_is_the_same_whether_it_was_looked_at_or_not) {
    Job job = plain_job();
    job.failed_time = clock_.now();
    const BatchOrder now{.operation = BatchOperation::requeue, .retries = 4};
    expect_same(job, JobPlace::dead_letter, now);
    BatchOrder later = now;
    later.due_date = clock_.now() + 1h;
    expect_same(job, JobPlace::dead_letter, later);
    job.type = schema::kMessageType;
    expect_same(job, JobPlace::dead_letter, now);
}

TEST_P(BatchRules, A_changed_job_is_the_same_whether_it_was_looked_at_or_not) {
    const BatchOrder order{.operation = BatchOperation::change, .retries = 4, .priority = 8};
    for (const JobPlace place : {JobPlace::executable, JobPlace::timer, JobPlace::suspended}) {
        expect_same(plain_job(), place, order);
    }
}

TEST_P(BatchRules, Incidents_are_resolved_with_the_jobs_that_move_inside_the_database) {
    std::vector<Job> jobs = many_jobs("job", 20);
    insert(jobs);
    std::vector<Outcome> outcomes;
    for (const Job& job : acquire(20)) {
        outcomes.push_back(failed_outcome(job, {.message = "no", .retryable = false}));
    }
    apply(outcomes);
    ASSERT_EQ(store_.history().count_open_incidents(), 20);
    EXPECT_EQ(carry_out(begin_requeue().id).done, 20);
    EXPECT_EQ(store_.history().count_open_incidents(), 0);
    const auto resolved = store_.history().incidents({.is_open = false}, {}, 100);
    EXPECT_THAT(resolved, SizeIs(20));
    EXPECT_THAT(resolved, Each(Field(&Incident::resolution, "requeued")));
}

TEST_P(BatchRules, A_full_job_log_tells_of_each_job_that_was_requeued) {
    insert_dead(6);
    Node logging = node_with({.job_log = schema::JobLogLevel::full});
    const Batch begun = begin_requeue();
    (void)logging.store().batches().step_batch(begun.id, {.jobs = 100}, clock_.now());
    EXPECT_EQ(count_rows("ACT_HI_JOB_LOG"), 6);
}

TEST_P(BatchRules, A_job_whose_unique_key_somebody_else_has_is_refused) {
    std::vector<Job> dead = many_jobs("dead", 3);
    for (Job& job : dead) {
        job.failed_time = clock_.now();
    }
    dead[1].unique_key = "invoice-17";
    insert(JobPlace::dead_letter, dead);
    insert(a_job("another").with_key("invoice-17"));
    execute("INSERT INTO JS_UNIQUE (KEY_, JOB_ID_) VALUES ('invoice-17', 'another')");
    const Batch last = carry_out(begin_requeue().id);
    EXPECT_EQ(last.done, 2);
    EXPECT_EQ(last.refused, 1);
    EXPECT_EQ(place_of("dead001"), "dead");
}

// I9: whatever became of the commit, no page is done twice, and none is left out.
TEST_P(BatchRules, A_page_whose_answer_is_lost_is_done_once) {
    for (const FaultPoint lost : {FaultPoint::after_commit, FaultPoint::before_commit}) {
        insert_dead(6);
        const Batch begun = begin_requeue();
        faults_.add({.point = lost, .kind = DbErrorKind::in_doubt});
        (void)step(begun.id, 4);
        const Batch last = carry_out(begun.id);
        EXPECT_EQ(last.done, 6);
        EXPECT_EQ(count_rows("ACT_RU_JOB"), 6);
        execute("DELETE FROM ACT_RU_JOB");
    }
}

}  // namespace

}  // namespace jobstrand::test
