#include "executor/manual_run.hpp"

#include "persistence/sql/db_error.hpp"
#include "persistence/sql/sql_transaction.hpp"
#include "schema/acquisition.hpp"
#include "test/executor/enqueue/producer_fixture.hpp"
#include "test/fixtures/job_builder.hpp"

#include <unistd.h>

#include <stdexcept>

namespace jobstrand::executor {
namespace {

using namespace std::chrono_literals;
using schema::Job;
using schema::JobPlace;
using test::a_job;

constexpr schema::Duration kLockTime = 30s;

/// Runs jobs of SQLite by hand.
class ManualRunTest : public ProducerTest {
protected:
    /// Inserts a free executable job of the type "mail".
    void enqueue(const std::string& id, int retries = 3) {
        producer_.enqueue({a_job(id).of_type("mail").with_retries(retries)});
    }

    ManualRunResult run(std::string_view id) {
        return run_by_hand(
            {store().executor(), handlers_, clock_, log_}, {.retry = policy_}, id, kLockTime
        );
    }

    HandlerRegistry handlers_;
    schema::RetryPolicy policy_;
};

TEST_F(ManualRunTest, A_job_that_succeeds_is_gone) {
    int runs = 0;
    handlers_.add("mail", [&](const JobContext& context) -> HandlerResult {
        ++runs;
        EXPECT_EQ(context.job.id, "a");
        EXPECT_EQ(context.attempt, 1);
        return Succeeded{};
    });
    enqueue("a");
    const ManualRunResult result = run("a");
    EXPECT_EQ(result.answer, ManualRunAnswer::done);
    EXPECT_TRUE(result.transition);
    EXPECT_EQ(runs, 1);
    EXPECT_EQ(place_of("a"), "nowhere");
}

TEST_F(ManualRunTest, A_job_that_fails_waits_for_its_retry_and_after_the_last_is_dead) {
    handlers_.add("mail", [](const JobContext&) -> HandlerResult { return Failed{"no server"}; });
    enqueue("a", 2);
    enqueue("b", 1);
    EXPECT_EQ(run("a").answer, ManualRunAnswer::done);
    EXPECT_EQ(place_of("a"), "timer");
    EXPECT_EQ(job("a").retries, 1);
    EXPECT_EQ(job("a").exception_message, "no server");
    EXPECT_EQ(run("b").answer, ManualRunAnswer::done);
    EXPECT_EQ(place_of("b"), "dead");
}

TEST_F(ManualRunTest, A_job_that_is_not_executable_is_not_found) {
    handlers_.add("mail", [](const JobContext&) -> HandlerResult { return Succeeded{}; });
    producer_.enqueue({a_job("later").of_type("mail").due_at(clock_.now() + 1h)});
    EXPECT_EQ(run("later").answer, ManualRunAnswer::not_found);
    EXPECT_EQ(run("missing").answer, ManualRunAnswer::not_found);
    EXPECT_EQ(place_of("later"), "timer");
}

TEST_F(ManualRunTest, A_job_that_a_node_holds_is_refused_until_its_lock_has_run_out) {
    handlers_.add("mail", [](const JobContext&) -> HandlerResult { return Succeeded{}; });
    intake_.free_places = 1;
    enqueue("a");
    ASSERT_EQ(job("a").lock_owner, "intake");
    EXPECT_EQ(run("a").answer, ManualRunAnswer::locked);
    EXPECT_EQ(job("a").lock_owner, "intake") << "the lock stays the node's";
    clock_.tick(intake_.lock_time() + 1s);
    EXPECT_EQ(run("a").answer, ManualRunAnswer::done);
}

TEST_F(ManualRunTest, While_it_runs_a_job_is_locked_for_nobody_else) {
    handlers_.add("mail", [&](const JobContext&) -> HandlerResult {
        const Job running = job("a");
        EXPECT_EQ(schema::node_of(running.lock_owner)->process, ::getpid());
        EXPECT_EQ(running.lock_expiration, clock_.now() + kLockTime);
        EXPECT_EQ(run("a").answer, ManualRunAnswer::locked);
        return Succeeded{};
    });
    enqueue("a");
    EXPECT_EQ(run("a").answer, ManualRunAnswer::done);
}

TEST_F(ManualRunTest, The_result_of_a_run_whose_job_was_changed_meanwhile_is_dropped) {
    handlers_.add("mail", [&](const JobContext&) -> HandlerResult {
        store().enqueuer().in_transaction(
            [](persistence::Transaction& transaction) {
                transaction.execute("update ACT_RU_JOB set REV_ = REV_ + 1 where ID_ = 'a'");
            },
            {}
        );
        return Succeeded{};
    });
    enqueue("a");
    EXPECT_EQ(run("a").answer, ManualRunAnswer::lost_lock);
    EXPECT_EQ(place_of("a"), "executable");
}

TEST_F(ManualRunTest, A_transactional_handler_commits_with_its_job) {
    handlers_.add_transactional(
        "mail",
        [](const JobContext&, persistence::Transaction& transaction) -> HandlerResult {
            transaction.execute("create table SENT (ID_ varchar(64))");
            return Succeeded{};
        }
    );
    enqueue("a");
    const ManualRunResult result = run("a");
    EXPECT_EQ(result.answer, ManualRunAnswer::done);
    EXPECT_FALSE(result.transition) << "it was written with the handler's own effects";
    EXPECT_EQ(place_of("a"), "nowhere");
    store().enqueuer().in_transaction(
        [](persistence::Transaction& transaction) {
            EXPECT_NO_THROW(transaction.execute("delete from SENT"));
        },
        {}
    );
}

TEST_F(ManualRunTest, An_interrupted_job_waits_and_keeps_its_retries) {
    handlers_.add("mail", [](const JobContext&) -> HandlerResult { return Interrupted{5s}; });
    enqueue("a", 2);
    EXPECT_EQ(run("a").answer, ManualRunAnswer::done);
    EXPECT_EQ(place_of("a"), "timer");
    EXPECT_EQ(job("a").retries, 2);
    EXPECT_EQ(job("a").due_date, clock_.now() + 5s);
}

}  // namespace
}  // namespace jobstrand::executor
