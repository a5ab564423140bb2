#include "persistence/sql/db_error.hpp"
#include "test/conformance/batches/batch_fixture.hpp"

#include <algorithm>
#include <future>
#include <memory>

namespace jobstrand::test {

namespace {

using persistence::DbErrorKind;
using persistence::Incident;
using testing::Each;
using testing::Field;
using testing::SizeIs;

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

INSTANTIATE_TEST_SUITE_P(
    OnEveryDatabase,
    BatchRules,
    testing::ValuesIn(databases_under_test()),
    name_of_database
);

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
    insert(JobPlace::executable, jobs);
    std::vector<Outcome> outcomes;
    for (const Job& job : acquire(20)) {
        outcomes.push_back(failed_outcome(job, {.message = "no", .retryable = false}, clock_.now())
        );
    }
    (void)store_.executor().apply("node-1", outcomes);
    ASSERT_EQ(store_.history().count_open_incidents(), 20);
    EXPECT_EQ(carry_out(begin_requeue().id).done, 20);
    EXPECT_EQ(store_.history().count_open_incidents(), 0);
    const auto resolved = store_.history().incidents({.is_open = false}, {}, 100);
    EXPECT_THAT(resolved, SizeIs(20));
    EXPECT_THAT(resolved, Each(Field(&Incident::resolution, "requeued")));
}

TEST_P(BatchRules, A_full_job_log_tells_of_each_job_that_was_requeued) {
    insert_dead(6);
    Node logging(
        *database_,
        faults_,
        schema::ExclusiveOver::instance,
        schema::HistoryRules{.job_log = schema::JobLogLevel::full}
    );
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
    insert(JobPlace::executable, a_job("another").with_key("invoice-17").build());
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

class BatchConcurrency : public BatchTest {};

INSTANTIATE_TEST_SUITE_P(
    OnEveryDatabase,
    BatchConcurrency,
    testing::ValuesIn(databases_under_test()),
    name_of_database
);

TEST_P(BatchConcurrency, Four_that_carry_out_the_same_batch_do_each_page_once) {
    constexpr std::size_t jobs = 400;
    insert_dead(jobs);
    const Batch begun = begin_requeue();
    std::vector<std::unique_ptr<Node>> nodes;
    std::vector<std::future<void>> ends;
    for (int i = 0; i < 4; ++i) {
        nodes.push_back(std::make_unique<Node>(*database_, faults_));
        ends.push_back(std::async(
            std::launch::async,
            [&, &store = nodes.back()->store().batches()] {
                while (store.step_batch(begun.id, {.jobs = 7}, clock_.now())->state ==
                       BatchState::running) {
                }
            }
        ));
    }
    for (std::future<void>& end : ends) {
        end.get();
    }
    EXPECT_EQ(found(begun.id).done, static_cast<std::int64_t>(jobs));
    EXPECT_EQ(count_rows("ACT_RU_JOB"), static_cast<std::int64_t>(jobs));
    EXPECT_EQ(count_rows("ACT_RU_DEADLETTER_JOB"), 0);
}

}  // namespace

}  // namespace jobstrand::test
