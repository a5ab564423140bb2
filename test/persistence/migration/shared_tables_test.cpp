#include "test/persistence/migration/shared_tables.hpp"

#include "persistence/store/statement_trial.hpp"
#include "schema/job_fields.hpp"
#include "schema/uuid7.hpp"
#include "test/persistence/migration/schema_differences.hpp"

namespace jobstrand::test {

namespace {

using namespace std::chrono_literals;
using persistence::IdOrigin;
using persistence::JobAnswer;
using schema::Job;
using schema::JobPlace;
using testing::ElementsAre;

INSTANTIATE_TEST_SUITE_P(
    OnServers,
    SharedTables,
    testing::Values("mysql", "postgresql"),
    name_of_database
);

TEST_P(SharedTables, Mark_our_rows_as_ours_also_those_of_a_plain_insert) {
    execute("INSERT INTO ACT_RU_JOB (ID_, HANDLER_TYPE_) VALUES ('plain', 'noop')");
    EXPECT_EQ(
        text_of("SELECT CONCAT(SCOPE_TYPE_, ' ', REV_, ' ', TYPE_, ' ', RETRIES_) FROM ACT_RU_JOB "
                "WHERE ID_ = 'plain'"),
        "jobstrand 1 message 3"
    );
    store_.enqueuer().insert({{JobPlace::timer, a_job("a").due_at(now_)}}, IdOrigin::given);
    EXPECT_EQ(text_of("SELECT SCOPE_TYPE_ FROM ACT_RU_TIMER_JOB"), "jobstrand");
}

TEST_P(SharedTables, Take_the_statements_that_nodes_need) {
    const auto connection = pool_.lease(persistence::SessionPool::Access::write);
    EXPECT_NO_THROW(persistence::require_statements(*connection, schedule_, {}));
}

TEST_P(SharedTables, Keep_instance_definition_and_execution_of_our_jobs_without_a_foreign_key) {
    Job job = a_job("a");
    job.process_instance_id = "order-17";
    job.process_definition_id = "shipping:3";
    job.execution_id = "branch-2";
    store_.enqueuer().insert({{JobPlace::executable, job}}, IdOrigin::given);
    EXPECT_EQ(
        text_of("SELECT CONCAT(SCOPE_ID_, ' ', SCOPE_DEFINITION_ID_, ' ', SUB_SCOPE_ID_) FROM "
                "ACT_RU_JOB WHERE PROCESS_INSTANCE_ID_ IS NULL AND PROC_DEF_ID_ IS NULL AND "
                "EXECUTION_ID_ IS NULL"),
        "order-17 shipping:3 branch-2"
    );
    const Job found = store_.jobs().find("a").value().job;
    EXPECT_EQ(found.process_instance_id, "order-17");
    EXPECT_EQ(found.process_definition_id, "shipping:3");
    EXPECT_EQ(found.execution_id, "branch-2");
    EXPECT_EQ(found.scope_id, "");

    const auto of_instance = persistence::SuspensionScope::instance;
    EXPECT_EQ(store_.jobs().suspend(of_instance, "order-17", now_), 1);
    EXPECT_EQ(text_of("SELECT SCOPE_ID_ FROM ACT_RU_SUSPENDED_JOB"), "order-17");
    EXPECT_EQ(store_.jobs().activate(of_instance, "order-17", now_), 1);
    EXPECT_EQ(acquire().process_instance_id, "order-17");
}

TEST_P(SharedTables, Have_timers_of_an_engine_that_are_moved_only_by_who_serves_them) {
    an_execution("e", 0, 1, 0);
    a_job_of("e", "ACT_RU_TIMER_JOB", "theirs");
    const persistence::ServedJobs others{{"noop"}};
    EXPECT_EQ(store_.timers().next_due(others), std::nullopt);
    EXPECT_EQ(store_.timers().move_due_timers(now_, 10, std::nullopt, others).moved, 0U);
    EXPECT_EQ(counts_of("e"), "1 01000");

    const persistence::ServedJobs engines{{"trigger-timer"}};
    EXPECT_NE(store_.timers().next_due(engines), std::nullopt);
    EXPECT_EQ(store_.timers().move_due_timers(now_, 10, std::nullopt, engines).moved, 1U);
    EXPECT_EQ(counts_of("e"), "2 10000");
    EXPECT_EQ(text_of("SELECT REPEAT_ FROM ACT_RU_JOB"), "R/PT1H");
    EXPECT_EQ(text_of("SELECT COUNT(*) FROM JS_SERIES"), "0");
}

TEST_P(SharedTables, Have_the_jobs_of_each_execution_counted_through_all_moves) {
    an_execution("e", 0, 1, 0);
    a_job_of("e", "ACT_RU_TIMER_JOB", "theirs");
    EXPECT_EQ(store_.jobs().fire_timer("theirs", now_), JobAnswer::done);
    EXPECT_EQ(counts_of("e"), "2 10000");
    EXPECT_THAT(
        store_.jobs().remove(JobPlace::executable, std::vector<std::string>{"theirs"}, now_),
        ElementsAre(JobAnswer::done)
    );
    EXPECT_EQ(counts_of("e"), "3 00000");
    execute("DELETE FROM ACT_RU_EXECUTION");  // No foreign key is in the way.
}

TEST_P(SharedTables, Have_instances_of_an_engine_that_only_it_suspends) {
    an_execution("e", 0, 0, 0);
    EXPECT_TRUE(store_.jobs().is_of_engine(persistence::SuspensionScope::instance, "e"));
    EXPECT_FALSE(store_.jobs().is_of_engine(persistence::SuspensionScope::instance, "order-17"));
    EXPECT_TRUE(store_.jobs().is_of_engine(persistence::SuspensionScope::definition, "process:1"));
}

TEST_P(
    SharedTables,
    Give_the_lock_of_an_instance_to_one_owner_and_from_one_node_of_ours_to_another
) {
    an_execution("e", 0, 0, 0);
    const auto take = [&](std::string_view owner) {
        return store_.engine().take_instance(
            {.instance = "e", .owner = owner, .now = now_, .until = now_ + 1min}
        );
    };
    EXPECT_TRUE(take("node"));
    EXPECT_TRUE(take("other"));
    store_.engine().free_instance("e", "node");
    EXPECT_EQ(text_of("SELECT LOCK_OWNER_ FROM ACT_RU_EXECUTION"), "jobstrand:other");
    store_.engine().free_instance("e", "other");
    execute("UPDATE ACT_RU_EXECUTION SET LOCK_OWNER_ = 'an engine', LOCK_TIME_ = '2030-01-01'");
    EXPECT_FALSE(take("node"));
    execute("UPDATE ACT_RU_EXECUTION SET LOCK_TIME_ = '2020-01-01'");
    EXPECT_TRUE(take("node"));
}

/// Where a ManagementService moves jobs: it copies Flowable's columns and REV_ alone, and makes the
/// row anew.
class MovedByEngine : public SharedTables {
protected:
    void move(std::string_view from, std::string_view to, std::string_view moved_at) {
        constexpr std::string_view kFlowables =  // But for RETRIES_, which dead letters lack.
            "ID_, TYPE_, HANDLER_TYPE_, REPEAT_, DUEDATE_, SCOPE_TYPE_, CORRELATION_ID_, "
            "EXCEPTION_MSG_";
        execute(fmt::format(
            "INSERT INTO {1} ({2}, REV_, CREATE_TIME_) SELECT {2}, REV_, '{3}' FROM {0}",
            from,
            to,
            kFlowables,
            moved_at
        ));
        execute(fmt::format("DELETE FROM {}", from));
    }

    /// The turn of a series that comes each day.
    void a_turn() {
        persistence::NewSeries nightly;
        nightly.series.key = "nightly";
        nightly.series.repeat = "R/P1D";
        nightly.first_turn = a_job("first")
                                 .with_priority(7)
                                 .with_retry_cycle("R5/PT1M")
                                 .under_root("order-17")
                                 .of_definition("shipping:3")
                                 .due_at(now_ + 1h);
        store_.enqueuer().create({nightly}, now_);
    }

    /// What is told of a job that is acquired.
    std::string told_of(std::string_view id) {
        const std::size_t before = log_.lines().size();
        const Job job = acquire();
        EXPECT_EQ(job.id, id);
        apply(job, schema::completed(job));
        const bool is_told = log_.lines().size() > before;
        return is_told ? log_.lines().back().message : "";
    }

    static constexpr std::string_view kNow = "2026-01-01 00:00:00";
};

INSTANTIATE_TEST_SUITE_P(
    OnServers,
    MovedByEngine,
    testing::Values("mysql", "postgresql"),
    name_of_database
);

TEST_P(MovedByEngine, A_turn_of_a_series_keeps_its_series_and_what_only_our_columns_hold) {
    a_turn();
    move("ACT_RU_TIMER_JOB", "ACT_RU_JOB", kNow);
    const Job job = acquire();
    EXPECT_EQ(job.series, "nightly");
    EXPECT_EQ(job.priority, 7);
    EXPECT_EQ(job.retry_cycle, "R5/PT1M");
    EXPECT_EQ(job.root_process_instance_id, "order-17");
    EXPECT_THAT(log_.lines(), testing::IsEmpty());
    fail(job, "");
    EXPECT_EQ(
        text_of("SELECT CONCAT(SERIES_, ' ', PRIORITY_, ' ', RETRY_CYCLE_, ' ', RETRIES_) FROM "
                "ACT_RU_TIMER_JOB"),
        "nightly 7 R5/PT1M 4"
    );
}

TEST_P(MovedByEngine, A_turn_of_a_series_hands_on_what_it_has_got_back) {
    a_turn();
    move("ACT_RU_TIMER_JOB", "ACT_RU_JOB", kNow);
    EXPECT_EQ(told_of("first"), "");
    EXPECT_EQ(
        text_of("SELECT CONCAT(SERIES_, ' ', PRIORITY_, ' ', RETRY_CYCLE_, ' ', "
                "ROOT_PROC_INST_ID_) FROM ACT_RU_TIMER_JOB"),
        "nightly 7 R5/PT1M order-17"
    );
    EXPECT_EQ(text_of("SELECT COUNT(*) FROM JS_SERIES"), "1");
}

TEST_P(MovedByEngine, A_turn_of_a_series_has_what_it_was_given_last) {
    a_turn();
    const persistence::ManyChanges changes{
        .fields = {
            schema::set_to(&Job::priority, 8), schema::set_to(&Job::retry_cycle, "R2/PT1M")}};
    EXPECT_THAT(
        store_.jobs().change_all(JobPlace::timer, std::vector<std::string>{"first"}, changes, now_),
        ElementsAre(JobAnswer::done)
    );
    move("ACT_RU_TIMER_JOB", "ACT_RU_JOB", kNow);
    const Job job = acquire();
    EXPECT_EQ(job.priority, 8);
    EXPECT_EQ(job.retry_cycle, "R2/PT1M");
}

TEST_P(MovedByEngine, A_turn_of_a_series_has_the_priority_of_an_override) {
    a_turn();
    (void)store_.definitions().override_priorities(
        {.definition = "shipping:3"}, -10, {.place = JobPlace::timer}, now_
    );
    move("ACT_RU_TIMER_JOB", "ACT_RU_JOB", kNow);
    EXPECT_EQ(acquire().priority, -10);
}

TEST_P(MovedByEngine, The_log_tells_of_each_job_that_has_lost_what_only_our_columns_hold) {
    const auto is_told = testing::HasSubstr("retry cycle, unique key");
    const std::string ours = schema::Uuid7Source(1).next(now_);
    const auto a_timer = [&](const std::string& id) {
        store_.enqueuer().insert({{JobPlace::timer, a_job(id).due_at(now_ + 1h)}}, IdOrigin::given);
    };
    a_timer("early");
    move("ACT_RU_TIMER_JOB", "ACT_RU_JOB", kNow);
    EXPECT_THAT(told_of("early"), is_told);
    EXPECT_EQ(log_.lines().back().fields, "job=early handler_type=noop ");

    a_timer(ours);
    move("ACT_RU_TIMER_JOB", "ACT_RU_JOB", "2026-01-01 02:00:00");
    EXPECT_THAT(told_of(ours), is_told) << "it was overdue";

    store_.enqueuer().insert({{JobPlace::suspended, a_job(ours)}}, IdOrigin::given);
    move("ACT_RU_SUSPENDED_JOB", "ACT_RU_JOB", "2026-01-01 02:00:00");
    EXPECT_THAT(told_of(ours), is_told) << "it was suspended";

    store_.enqueuer().insert(
        {{JobPlace::executable, a_job("dead").with_retries(1)}}, IdOrigin::given
    );
    fail(acquire(), "");
    execute("UPDATE ACT_RU_DEADLETTER_JOB SET DUEDATE_ = NULL");
    move("ACT_RU_DEADLETTER_JOB", "ACT_RU_JOB", kNow);
    EXPECT_THAT(told_of("dead"), is_told);

    store_.enqueuer().insert({{JobPlace::executable, a_job("failing")}}, IdOrigin::given);
    fail(acquire(), "");
    execute("UPDATE ACT_RU_TIMER_JOB SET DUEDATE_ = '2035-01-01'");
    move("ACT_RU_TIMER_JOB", "ACT_RU_JOB", kNow);
    EXPECT_THAT(told_of("failing"), is_told) << "it waited for a retry";
}

TEST_P(MovedByEngine, The_log_tells_of_a_dead_letter_that_goes_to_external_workers) {
    Job job = a_job("external");
    job.type = schema::kExternalWorkerType;
    store_.enqueuer().insert({{JobPlace::external_worker, job}}, IdOrigin::given);
    execute("UPDATE ACT_RU_EXTERNAL_JOB SET EXCEPTION_MSG_ = 'no paper'");
    move("ACT_RU_EXTERNAL_JOB", "ACT_RU_DEADLETTER_JOB", kNow);
    move("ACT_RU_DEADLETTER_JOB", "ACT_RU_EXTERNAL_JOB", kNow);
    const std::vector<std::string> topics{"noop"};
    const auto taken = store_.workers().acquire_external(
        {.owner = "worker", .until = now_ + 5min}, {.topics = topics}, 1, now_
    );
    ASSERT_EQ(taken.size(), 1U);
    EXPECT_THAT(log_.lines().back().message, testing::HasSubstr("jobstrand dead requeue"));
}

TEST_P(MovedByEngine, The_log_tells_nothing_of_what_our_verbs_move_or_comes_as_it_is) {
    const std::string ours = schema::Uuid7Source(1).next(now_);
    store_.enqueuer().insert(
        {{JobPlace::timer, a_job("fired").due_at(now_ + 1h)}}, IdOrigin::given
    );
    EXPECT_EQ(store_.jobs().fire_timer("fired", now_), JobAnswer::done);
    EXPECT_EQ(told_of("fired"), "");
    store_.enqueuer().insert(
        {{JobPlace::executable, a_job(ours).due_at(now_ - 1h)}}, IdOrigin::given
    );
    EXPECT_EQ(told_of(ours), "") << "it was late from the beginning";
    store_.enqueuer().insert({{JobPlace::executable, a_job("cancelled")}}, IdOrigin::given);
    const std::vector<std::string> ids{"cancelled"};
    (void)store_.jobs().cancel(JobPlace::executable, ids, "anna", now_);
    EXPECT_THAT(store_.jobs().requeue(ids, 3, {}, now_ + 1s), ElementsAre(JobAnswer::done));
    EXPECT_EQ(told_of("cancelled"), "");
}

TEST_P(SharedTables, Are_as_they_must_be_whatever_texts_and_indexes_the_columns_of_an_engine_have) {
    const auto connection = connect();  // Which sees that there is an engine.
    EXPECT_THAT(differences_of(*connection), testing::IsEmpty());
    EXPECT_THAT(
        remarks_of(*connection),
        testing::Not(testing::Contains(testing::HasSubstr("ACT_IDX_JOB_SCOPE")))
    );
}

TEST_P(SharedTables, Are_told_from_what_an_engine_has_left_half_made) {
    const auto about_mixture = testing::Contains(testing::HasSubstr("give it an empty database"));
    EXPECT_THAT(differences_of(*connection_), testing::Not(about_mixture));
    for (const JobPlace place : schema::kJobPlaces) {
        connection_->run_script(fmt::format("DROP TABLE {}", schema::table_of(place)));
    }
    connection_->run_script("DROP TABLE ACT_RU_EXECUTION");
    EXPECT_THAT(differences_of(*connection_), about_mixture);
}

}  // namespace

}  // namespace jobstrand::test
