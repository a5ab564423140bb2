#include "executor/job_acquirer.hpp"
#include "persistence/sql/sql_transaction.hpp"
#include "schema/uuid7.hpp"
#include "test/conformance/store_test.hpp"
#include "test/fixtures/mock_executor_store.hpp"
#include "test/fixtures/recording_intake.hpp"

namespace jobstrand::test {

namespace {

using testing::_;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

/// As if so many deleted rows stood in front of the first one that it takes this long to pass over
/// them.
constexpr schema::Duration kDeadRows{300};

/// What docs/performance.md says of that: 20 times as long.
constexpr schema::Duration kFoundWithin = 20 * kDeadRows;

class LateCommit : public StoreTest {
protected:
    LateCommit() {
        EXPECT_CALL(slow_, acquire(_, _, _, _))
            .WillRepeatedly([this](auto& claim, auto& served, auto limit, auto after) {
                std::vector<Job> jobs = store_.executor().acquire(claim, served, limit, after);
                limit.seen->search = after.empty() ? kDeadRows : 0ms;
                return jobs;
            });
        EXPECT_CALL(slow_, has_acquirable(_, _, _))
            .WillRepeatedly([this](auto& served, auto after, auto before) {
                clock_.tick(after.empty() ? kDeadRows : 0ms);
                return store_.executor().has_acquirable(served, after, before);
            });
        intake_.served_jobs.types = noop_;
        intake_.free_places = 2;
    }

    /// The ids that the acquisition has taken after so many passes.
    std::vector<std::string> taken_after(int passes) {
        for (int i = 0; i < passes; ++i) {
            (void)acquirer_.run_once();
        }
        return intake_.ids();
    }

    [[nodiscard]] Job job_made(schema::Duration ago) {
        return a_job(ids.next(clock_.now() - ago)).of_type("noop");
    }

    testing::NiceMock<MockExecutorStore> slow_;
    RecordingIntake intake_;
    executor::WakeUps wake_ups_;
    executor::JobAcquirer acquirer_{slow_, intake_, clock_, wake_ups_, {}};
    schema::Uuid7Source ids;
};

INSTANTIATE_TEST_SUITE_P(
    OnEveryDatabase,
    LateCommit,
    testing::ValuesIn(databases_under_test()),
    name_of_database
);

TEST_P(LateCommit, A_job_with_an_old_id_is_found_soon_enough_after_its_commit) {
    EXPECT_THAT(taken_after(1), IsEmpty());
    {
        Transaction late(*connection_);
        const Job job = job_made(1h);
        (void)store_.enqueuer().insert(late, {{JobPlace::executable, job}});
        EXPECT_THAT(taken_after(1), IsEmpty());
        late.commit();
    }
    EXPECT_THAT(taken_after(2), IsEmpty()) << "what is old is not looked at all the time";
    clock_.tick(kFoundWithin);
    EXPECT_EQ(taken_after(1).size(), 1U);
}

TEST_P(LateCommit, A_job_that_was_made_just_now_is_found_by_the_next_look) {
    EXPECT_THAT(taken_after(1), IsEmpty());
    insert(JobPlace::executable, job_made(100ms));
    EXPECT_EQ(taken_after(1).size(), 1U);
}

TEST_P(LateCommit, In_a_backlog_it_is_found_as_soon) {
    insert(JobPlace::executable, many_jobs("j", 100));
    EXPECT_THAT(taken_after(1), ElementsAre("j000", "j001"));
    insert(JobPlace::executable, a_job("a").of_type("noop"));
    EXPECT_THAT(taken_after(1), ElementsAre("j000", "j001", "j002", "j003"));
    clock_.tick(kFoundWithin);
    EXPECT_THAT(taken_after(1), Contains("a"));
}

TEST_P(LateCommit, A_page_of_which_some_are_left_out_is_not_the_end_of_the_table) {
    store_.jobs().suspend(persistence::SuspensionScope::instance, "order-17", clock_.now());
    insert(JobPlace::executable, many_jobs("j", 3));
    execute("UPDATE ACT_RU_JOB SET PROCESS_INSTANCE_ID_ = 'order-17' WHERE ID_ = 'j000'");
    EXPECT_THAT(taken_after(1), ElementsAre("j001"));
    EXPECT_THAT(taken_after(1), ElementsAre("j001", "j002"));
}

TEST_P(LateCommit, What_is_left_to_a_node_that_does_not_take_it_is_taken_as_soon) {
    store_.nodes().register_node(
        {.node = "idle", .incarnation = "1"}, noop_, clock_.now(), clock_.now() + 1h
    );
    std::vector<Job> jobs;
    for (int ago = 40; ago > 0; --ago) {
        jobs.push_back(job_made(1h + schema::Duration(ago)));
    }
    insert(JobPlace::executable, jobs);
    intake_.free_places = 4;
    EXPECT_THAT(taken_after(15), AllOf(Contains(jobs[3].id), Contains(jobs[6].id)));
    EXPECT_THAT(taken_after(1), Not(Contains(jobs[4].id))) << "a page of four goes over 3 ms";
    clock_.tick(kFoundWithin);
    EXPECT_EQ(taken_after(20).size(), 40U);
}

}  // namespace
}  // namespace jobstrand::test
