#include "persistence/run_store.hpp"
#include "persistence/sql/db_error.hpp"
#include "test/conformance/store_test.hpp"

#include <algorithm>

namespace jobstrand::test {

namespace {

using schema::JobEvent;

/// What happened to jobs, written by the moves themselves.
class JobLog : public StoreTest {
protected:
    /// Another store on the same database, at another level.
    Node node_at(schema::JobLogLevel level) { return node_with({.job_log = level}); }

    std::vector<JobLogLine> log(const JobLogQuery& filter = {}) {
        return store_.history().job_log(filter, {}, 100);
    }

    static std::vector<JobEvent> events_of(const std::vector<JobLogLine>& lines) {
        std::vector<JobEvent> events;
        std::ranges::transform(lines, std::back_inserter(events), &JobLogLine::event);
        return events;
    }

    Outcome failed_after(const Job& job, schema::JobFailure failure, schema::Duration took) {
        Outcome outcome = failed_outcome(job, std::move(failure));
        outcome.duration = took;
        outcome.ended = clock_.now();
        return outcome;
    }
};

ON_EVERY_DATABASE(JobLog);

TEST_P(JobLog, An_attempt_that_failed_is_told_with_all_that_is_known_of_it) {
    Job job = a_job("a");
    job.process_instance_id = "instance";
    job.process_definition_id = "definition";
    job.root_process_instance_id = "root";
    job.execution_id = "execution";
    job.element_id = "element";
    job.job_definition_id = "job-definition";
    job.tenant_id = "tenant";
    job.exclusive = false;
    job.priority = 7;
    job.retries = 3;
    const Job held = insert_and_acquire(job);
    const std::vector outcomes{
        failed_after(held, {.message = "no network", .details = "at line 3"}, 35ms)};
    ASSERT_THAT(apply(outcomes), ElementsAre(OutcomeAnswer::done));
    const auto lines = log();
    ASSERT_THAT(lines, SizeIs(1));
    const schema::Transition& transition = outcomes.front().transition;
    EXPECT_EQ(
        lines.front(),
        (JobLogLine{
            .id = lines.front().id,
            .time = clock_.now(),
            .event = JobEvent::failed,
            .reason = "retry",
            .job = "a",
            .attempt = 1,
            .retries = 2,
            .priority = 7,
            .due_date = transition.due_date,
            .handler_type = "noop",
            .process_instance_id = "instance",
            .root_process_instance_id = "root",
            .process_definition_id = "definition",
            .job_definition_id = "job-definition",
            .element_id = "element",
            .execution_id = "execution",
            .tenant_id = "tenant",
            .node = "node-1",
            .duration = 35ms,
            .message = "no network"})
    );
    EXPECT_EQ(store_.history().find_log_line(lines.front().id).value().details, "at line 3");
}

TEST_P(JobLog, A_job_whose_node_died_was_interrupted) {
    insert(many_jobs("j", 20));
    ASSERT_THAT(acquire(20, "dead-node"), SizeIs(20));
    clock_.tick(1h);
    const auto reset = store_.executor().reset_expired_locks(
        JobPlace::executable, {.now = clock_.now(), .rows = 100, .page = 10}
    );
    EXPECT_EQ(reset.freed, 20);
    const auto lines = log();
    ASSERT_THAT(lines, SizeIs(20));
    EXPECT_EQ(lines.front().event, JobEvent::interrupted);
    EXPECT_EQ(lines.front().node, "dead-node");
    EXPECT_EQ(lines.front().retries, schema::kDefaultRetries);
}

TEST_P(JobLog, Successes_leave_no_line_unless_they_are_asked_for) {
    const Job quiet = insert_and_acquire(a_job("a"));
    expect_done(completed_outcome(quiet));
    EXPECT_THAT(log(), IsEmpty());
    Node full = node_at(schema::JobLogLevel::full);
    full.store().enqueuer().insert({{.place = JobPlace::executable, .job = a_job("b")}});
    const auto held = full.store().executor().acquire(claim_of("node-2"), noop_, 10);
    ASSERT_THAT(held, SizeIs(1));
    Outcome done = completed_outcome(held.front());
    done.duration = 5ms;
    done.ended = clock_.now();
    ASSERT_THAT(
        full.store().executor().apply("node-2", std::vector{done}), ElementsAre(OutcomeAnswer::done)
    );
    const auto lines = log({.job = "b"});
    EXPECT_THAT(events_of(lines), ElementsAre(JobEvent::succeeded, JobEvent::created));
    EXPECT_EQ(lines.front().attempt, 1);
    EXPECT_EQ(lines.front().duration, 5ms);
    EXPECT_EQ(lines.front().node, "node-2");
}

TEST_P(JobLog, Nothing_is_told_where_it_is_switched_off) {
    Node none = node_at(schema::JobLogLevel::none);
    const Job held = insert_and_acquire(a_job("a"));
    ASSERT_THAT(
        none.store().executor().apply(
            "node-1", std::vector{failed_after(held, {.message = "no"}, 1ms)}
        ),
        ElementsAre(OutcomeAnswer::done)
    );
    EXPECT_THAT(log(), IsEmpty());
}

TEST_P(JobLog, What_a_lost_lock_would_have_done_is_not_told) {
    const Job held = insert_and_acquire(a_job("a"));
    Job stale = held;
    --stale.revision;
    EXPECT_THAT(
        apply(std::vector{failed_after(stale, {.message = "late"}, 1ms)}),
        ElementsAre(OutcomeAnswer::lost_lock)
    );
    EXPECT_THAT(log(), IsEmpty());
}

TEST_P(JobLog, Of_a_page_only_what_was_written_is_told) {
    insert(many_jobs("job", 700));
    const auto held = acquire(700);
    std::vector<Outcome> outcomes;
    for (const Job& job : held) {
        outcomes.push_back(failed_after(job, {.message = "no"}, 1ms));
    }
    Job stale = held.front();
    ++stale.revision;
    outcomes.front().job = std::make_shared<const Job>(stale);
    const auto answers = apply(outcomes);
    EXPECT_EQ(answers.front(), OutcomeAnswer::lost_lock);
    EXPECT_EQ(count_rows("ACT_HI_JOB_LOG"), 699);
}

TEST_P(JobLog, What_operators_do_to_jobs_is_told) {
    insert(many_jobs("job", 3));
    const std::vector<std::string> second{"job001"};
    remove(JobPlace::executable, {"job000"});
    (void)store_.jobs().cancel(JobPlace::executable, second, "anna does not want it", clock_.now());
    Node full = node_at(schema::JobLogLevel::full);
    clock_.tick(1ms);  // Ids of two processes ascend with the time only.
    (void)full.store().jobs().requeue(second, 3, {}, clock_.now());
    const auto lines = log();
    EXPECT_THAT(
        events_of(lines), ElementsAre(JobEvent::requeued, JobEvent::dead, JobEvent::deleted)
    );
    EXPECT_THAT(
        lines,
        ElementsAre(
            Field(&JobLogLine::reason, "requeued"),
            Field(&JobLogLine::reason, "cancelled"),
            Field(&JobLogLine::reason, "removed")
        )
    );
    EXPECT_EQ(lines[1].message, "anna does not want it");
}

TEST_P(JobLog, Is_read_page_by_page_and_by_what_is_asked_for) {
    insert(many_jobs("job", 5));
    std::vector<std::string> ids;
    for (const Job& job : acquire(5)) {
        ids.push_back(job.id);
        clock_.tick(1min);
        apply(std::vector{failed_after(job, {.message = "no"}, 1ms)});
    }
    const auto first = store_.history().job_log({}, {}, 2);
    ASSERT_THAT(first, SizeIs(2));
    EXPECT_EQ(first.front().job, "job004");
    const auto rest = store_.history().job_log({}, first.back().id, 10);
    EXPECT_THAT(rest, SizeIs(3));
    EXPECT_EQ(rest.front().job, "job002");
    EXPECT_THAT(log({.job = "job001"}), SizeIs(1));
    EXPECT_THAT(log({.handler_type = "other"}), IsEmpty());
    EXPECT_THAT(log({.events = {JobEvent::deleted, JobEvent::dead}}), IsEmpty());
    EXPECT_THAT(log({.events = {JobEvent::failed}}), SizeIs(5));
    const auto middle = rest.front().time;
    EXPECT_THAT(log({.from = middle}), SizeIs(3));
    EXPECT_THAT(log({.before = middle}), SizeIs(2));
}

TEST_P(JobLog, Is_cleaned_by_age_and_by_number_page_by_page) {
    insert(many_jobs("job", 6));
    for (const Job& job : acquire(6)) {
        clock_.tick(1h);
        apply(std::vector{failed_after(job, {.message = "no"}, 1ms)});
    }
    const auto old = clock_.now() - 4h;  // The first is older, and the second as old.
    auto cleaning = store_.history().clean_job_log({.before = old, .rows = {}});
    EXPECT_EQ(cleaning.removed, 1);
    EXPECT_FALSE(cleaning.is_more);
    cleaning = store_.history().clean_job_log({.before = old, .rows = 2, .page = 2});
    EXPECT_EQ(cleaning.removed, 2);
    EXPECT_TRUE(cleaning.is_more);
    cleaning = store_.history().clean_job_log({.before = old, .rows = 2, .page = 2});
    EXPECT_EQ(cleaning.removed, 1);
    const auto lines = log();
    ASSERT_THAT(lines, SizeIs(2));
    EXPECT_EQ(lines.front().job, "job005");
    EXPECT_EQ(store_.history().clean_job_log({.before = old, .rows = 2}).removed, 0);
}

TEST_P(JobLog, A_commit_in_doubt_tells_once) {
    const Job held = insert_and_acquire(a_job("a"));
    faults_.add({.point = FaultPoint::after_commit, .kind = DbErrorKind::in_doubt});
    expect_done(failed_after(held, {.message = "no"}, 1ms));
    EXPECT_THAT(log(), SizeIs(1));
}

/// The last runs that succeeded, as nodes tell of them.
class EndedRuns : public StoreTest {
protected:
    FinishedRun a_run(std::string job, std::string type) {
        clock_.tick(1s);
        return {.ended = clock_.now(), .job = std::move(job), .handler_type = std::move(type)};
    }

    /// Of one type, each a second after the other.
    void add_runs(const std::string& type, int count) {
        std::vector<FinishedRun> runs;
        for (int i = 0; i < count; ++i) {
            runs.push_back(a_run(type + std::to_string(i), type));
        }
        store_.runs().add_runs(runs);
    }

    std::vector<std::string> jobs(const FinishedRunQuery& filter = {}) {
        return jobs_of(store_.runs().ended_runs(filter, {}, 100));
    }

    static std::vector<std::string> jobs_of(const std::vector<FinishedRun>& runs) {
        std::vector<std::string> jobs;
        std::ranges::transform(runs, std::back_inserter(jobs), &FinishedRun::job);
        return jobs;
    }
};

ON_EVERY_DATABASE(EndedRuns);

TEST_P(EndedRuns, Are_kept_with_all_that_is_known_of_them) {
    FinishedRun full = a_run("full", "mail");
    full.tenant_id = "tenant";
    full.process_instance_id = "instance";
    full.node = "node-1";
    full.attempt = 3;
    full.waited = 0ms;
    full.duration = 35ms;
    full.message = "sent";
    FinishedRun empty = a_run("empty", "mail");
    store_.runs().add_runs(std::vector{full, empty});
    const auto runs = store_.runs().ended_runs({}, {}, 100);
    ASSERT_THAT(runs, SizeIs(2));
    empty.id = runs[0].id;
    full.id = runs[1].id;
    EXPECT_EQ(runs[0], empty);
    EXPECT_EQ(runs[1], full);
}

TEST_P(EndedRuns, Are_listed_the_latest_first_and_by_what_is_asked_for) {
    FinishedRun other = a_run("a", "pdf");
    other.tenant_id = "t";
    FinishedRun third = a_run("a", "sms");
    third.process_instance_id = "i";
    store_.runs().add_runs(std::vector{a_run("b", "mail"), other, third});
    add_runs("mail", 3);
    EXPECT_THAT(jobs(), ElementsAre("mail2", "mail1", "mail0", "a", "a", "b"));
    EXPECT_THAT(jobs({.job = "a"}), ElementsAre("a", "a"));
    EXPECT_THAT(jobs({.handler_types = {"pdf"}}), ElementsAre("a"));
    EXPECT_THAT(
        jobs({.handler_types = {"pdf", "mail"}}), ElementsAre("mail2", "mail1", "mail0", "a", "b")
    );
    EXPECT_THAT(jobs({.tenant_ids = {"t"}}), ElementsAre("a"));
    EXPECT_THAT(jobs({.process_instance_ids = {"i", "j"}}), ElementsAre("a"));
    EXPECT_THAT(jobs({.job = "a", .handler_types = {"mail"}}), IsEmpty());
    const FinishedRunQuery mail{.handler_types = {"mail"}};
    const auto page = store_.runs().ended_runs(mail, {}, 2);
    EXPECT_THAT(jobs_of(page), ElementsAre("mail2", "mail1"));
    EXPECT_THAT(
        jobs_of(store_.runs().ended_runs(mail, page.back().id, 2)), ElementsAre("mail0", "b")
    );
}

TEST_P(EndedRuns, Are_trimmed_to_so_many_of_each_type_page_by_page) {
    add_runs("mail", 7);
    add_runs("", 3);
    add_runs("pdf", 2);
    auto cleaning = store_.runs().clean_runs({.of_type = 2, .page = 3});
    EXPECT_EQ(cleaning.removed, 3 + 1);
    EXPECT_TRUE(cleaning.is_more);
    cleaning = store_.runs().clean_runs({.of_type = 2, .page = 3});
    EXPECT_EQ(cleaning.removed, 2);
    EXPECT_FALSE(cleaning.is_more);
    EXPECT_THAT(jobs(), ElementsAre("pdf1", "pdf0", "2", "1", "mail6", "mail5"));
    EXPECT_EQ(store_.runs().clean_runs({.of_type = 2}).removed, 0);
}

TEST_P(EndedRuns, Are_forgotten_for_their_age) {
    add_runs("mail", 3);
    const auto second = store_.runs().ended_runs({}, {}, 100).at(1).ended;
    EXPECT_EQ(store_.runs().clean_runs({}).removed, 0);
    EXPECT_EQ(store_.runs().clean_runs({.before = second}).removed, 1);
    EXPECT_THAT(jobs(), ElementsAre("mail2", "mail1"));
}

}  // namespace

}  // namespace jobstrand::test
