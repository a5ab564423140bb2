#include "test/persistence/migration/shared_tables.hpp"

// What is suspended, overridden and told of the past, where an engine has jobs of its own.
namespace jobstrand::test {

namespace {

using namespace std::chrono_literals;
using persistence::IdOrigin;
using persistence::JobAnswer;
using persistence::SuspensionScope;
using schema::Job;
using schema::JobPlace;
using testing::ElementsAre;

class ScopesOfSharedTables : public SharedTables {
protected:
    static Job of_shipping(std::string id) {
        Job job = a_job(std::move(id));
        job.process_instance_id = "order-17";
        job.process_definition_id = "shipping:3";
        job.element_id = "charge";
        job.tenant_id = "acme";
        return job;
    }
};

INSTANTIATE_TEST_SUITE_P(
    OnServers,
    ScopesOfSharedTables,
    testing::Values("mysql", "postgresql"),
    name_of_database
);

TEST_P(ScopesOfSharedTables, Have_only_our_jobs_suspended_with_a_tenant) {
    an_execution("e", 1, 1, 0);
    a_job_of("e", "ACT_RU_JOB", "theirs");
    a_job_of("e", "ACT_RU_TIMER_JOB", "their-timer");
    execute("UPDATE ACT_RU_JOB SET TENANT_ID_ = 'acme'");
    execute("UPDATE ACT_RU_TIMER_JOB SET TENANT_ID_ = 'acme'");
    store_.enqueuer().insert({{JobPlace::executable, of_shipping("ours")}}, IdOrigin::given);
    EXPECT_EQ(store_.jobs().suspend(SuspensionScope::tenant, "acme", now_), 1);
    EXPECT_EQ(text_of("SELECT ID_ FROM ACT_RU_SUSPENDED_JOB"), "ours");
    EXPECT_EQ(counts_of("e"), "1 11000");

    EXPECT_EQ(store_.jobs().fire_timer("their-timer", now_), JobAnswer::done);
    EXPECT_EQ(counts_of("e"), "2 20000");
    EXPECT_EQ(store_.jobs().activate(SuspensionScope::tenant, "acme", now_), 1);
    EXPECT_EQ(text_of("SELECT SCOPE_ID_ FROM ACT_RU_JOB WHERE ID_ = 'ours'"), "order-17");
}

TEST_P(ScopesOfSharedTables, Have_kinds_and_single_jobs_of_ours_suspended_where_they_stand) {
    Job job = of_shipping("ours");
    job.due_date = now_ + 1h;
    store_.enqueuer().insert({{JobPlace::timer, job}}, IdOrigin::given);
    for (const auto& [scope, id] :
         {std::pair{SuspensionScope::job_definition, "shipping:3/charge"},
          std::pair{SuspensionScope::definition, "shipping:3"},
          std::pair{SuspensionScope::job, "ours"}}) {
        EXPECT_FALSE(store_.jobs().is_of_engine(scope, id));
        EXPECT_EQ(store_.jobs().suspend(scope, id, now_), 1) << id;
        EXPECT_EQ(text_of("SELECT SCOPE_DEFINITION_ID_ FROM ACT_RU_SUSPENDED_JOB"), "shipping:3");
        EXPECT_EQ(store_.jobs().activate(scope, id, now_), 1) << id;
    }
    EXPECT_EQ(text_of("SELECT SCOPE_DEFINITION_ID_ FROM ACT_RU_TIMER_JOB"), "shipping:3");
}

TEST_P(ScopesOfSharedTables, Have_jobs_and_kinds_of_an_engine_that_only_it_suspends) {
    an_execution("e", 0, 0, 1);
    a_job_of("e", "ACT_RU_DEADLETTER_JOB", "theirs");
    EXPECT_TRUE(store_.jobs().is_of_engine(SuspensionScope::job, "theirs"));
    EXPECT_TRUE(store_.jobs().is_of_engine(SuspensionScope::job_definition, "process:1/task"));
    EXPECT_TRUE(store_.jobs().is_of_engine(SuspensionScope::new_of_definition, "process:1"));
    EXPECT_FALSE(store_.jobs().is_of_engine(SuspensionScope::tenant, "acme"));
    EXPECT_EQ(store_.jobs().suspend(SuspensionScope::job, "theirs", now_), 0);
}

TEST_P(ScopesOfSharedTables, Have_priorities_that_an_override_finds_for_both) {
    an_execution("e", 1, 0, 0);
    a_job_of("e", "ACT_RU_JOB", "theirs");
    store_.enqueuer().insert({{JobPlace::executable, of_shipping("ours")}}, IdOrigin::given);
    for (const std::string definition : {"process:1", "shipping:3"}) {
        const auto step = store_.definitions().override_priorities(
            {.definition = definition}, 7, {.place = JobPlace::executable}, now_
        );
        EXPECT_EQ(step.changed, 1) << definition;
    }
    EXPECT_EQ(text_of("SELECT SUM(PRIORITY_) FROM ACT_RU_JOB"), "14");
    EXPECT_EQ(text_of("SELECT REV_ FROM ACT_RU_JOB WHERE ID_ = 'theirs'"), "1");
    EXPECT_EQ(counts_of("e"), "1 10000");
}

TEST_P(ScopesOfSharedTables, Keep_the_past_of_both_apart_from_the_rows_of_an_engine) {
    an_execution("e", 0, 0, 1);
    a_job_of("e", "ACT_RU_DEADLETTER_JOB", "theirs");
    EXPECT_THAT(
        store_.jobs().remove(JobPlace::dead_letter, std::vector<std::string>{"theirs"}, now_),
        ElementsAre(JobAnswer::done)
    );
    EXPECT_EQ(text_of("SELECT PROCESS_INSTANCE_ID_ FROM ACT_HI_JOB_LOG"), "e");
    EXPECT_EQ(counts_of("e"), "2 00000");
    execute("DELETE FROM ACT_RU_EXECUTION");  // The line of the log is not in the way.

    Job job = of_shipping("ours");
    job.retries = 1;
    store_.enqueuer().insert({{JobPlace::executable, job}}, IdOrigin::given);
    fail(acquire(), "boom");
    EXPECT_EQ(
        text_of("SELECT CONCAT(PROC_INST_ID_, ' ', PROC_DEF_ID_) FROM ACT_RU_INCIDENT"),
        "order-17 shipping:3"
    );
    EXPECT_EQ(text_of("SELECT SCOPE_ID_ FROM ACT_RU_DEADLETTER_JOB"), "order-17");
}

}  // namespace

}  // namespace jobstrand::test
