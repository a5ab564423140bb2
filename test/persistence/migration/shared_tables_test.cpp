#include "test/persistence/migration/shared_tables.hpp"

#include "persistence/trial/statement_trial.hpp"
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

TEST_P(SharedTables, Find_the_series_of_a_turn_that_an_engine_has_moved) {
    persistence::NewSeries nightly;
    nightly.series.key = "nightly";
    nightly.series.repeat = "R/P1D";
    nightly.first_turn = a_job("first").due_at(now_ + 1h);
    store_.enqueuer().create({nightly}, now_);
    // As its ManagementService moves a timer: with Flowable's columns alone.
    execute(
        "INSERT INTO ACT_RU_JOB (ID_, REV_, TYPE_, HANDLER_TYPE_, REPEAT_, DUEDATE_, RETRIES_) "
        "SELECT ID_, REV_, TYPE_, HANDLER_TYPE_, REPEAT_, DUEDATE_, RETRIES_ FROM "
        "ACT_RU_TIMER_JOB"
    );
    execute("DELETE FROM ACT_RU_TIMER_JOB");
    const Job job = acquire();
    EXPECT_EQ(job.series, "");
    apply(job, schema::completed(job));
    EXPECT_EQ(text_of("SELECT SERIES_ FROM ACT_RU_TIMER_JOB"), "nightly");
    EXPECT_EQ(text_of("SELECT COUNT(*) FROM JS_SERIES"), "1");
}

TEST_P(SharedTables, Have_timers_of_which_the_log_tells_that_an_engine_has_moved_them) {
    store_.enqueuer().insert(
        {{JobPlace::timer, a_job("fired").due_at(now_ + 1h)}}, IdOrigin::given
    );
    EXPECT_EQ(store_.jobs().fire_timer("fired", now_), JobAnswer::done);
    EXPECT_EQ(acquire().id, "fired");
    EXPECT_THAT(log_.lines(), testing::IsEmpty());

    store_.enqueuer().insert(
        {{JobPlace::timer, a_job("moved").due_at(now_ + 1h)}}, IdOrigin::given
    );
    execute(
        "INSERT INTO ACT_RU_JOB (ID_, REV_, TYPE_, HANDLER_TYPE_, DUEDATE_, RETRIES_, CREATE_TIME_)"
        " SELECT ID_, 1, TYPE_, HANDLER_TYPE_, DUEDATE_, RETRIES_, '2026-01-01' FROM "
        "ACT_RU_TIMER_JOB"
    );
    execute("DELETE FROM ACT_RU_TIMER_JOB");
    EXPECT_EQ(acquire().id, "moved");
    ASSERT_EQ(log_.lines().size(), 1U);
    EXPECT_THAT(log_.lines().front().message, testing::HasSubstr("retry cycle"));
    EXPECT_EQ(log_.lines().front().fields, "job=moved handler_type=noop ");
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
