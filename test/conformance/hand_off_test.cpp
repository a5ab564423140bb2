#include "executor/enqueue/job_producer.hpp"
#include "persistence/sql/sql_transaction.hpp"
#include "persistence/sql/statement_text.hpp"
#include "test/conformance/store_test.hpp"
#include "test/fixtures/recording_intake.hpp"

namespace jobstrand::test {

namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// A job that is enqueued through a node goes to its workers right after the commit, and it is the
/// commit that decides with which values, or whether at all.
class HandOff : public StoreTest {
protected:
    HandOff() { intake_.free_places = 10; }

    /// Enqueues `a` and `b` with the payload "old", and runs what the app does then.
    void enqueue_and(const std::vector<std::string>& statements) {
        store_.enqueuer().in_transaction(
            [&](Transaction& transaction) {
                enqueue(transaction, "a");
                enqueue(transaction, "b");
                for (const std::string& sql : statements) {
                    run(transaction, sql);
                }
            },
            {}
        );
    }

    void enqueue(Transaction& transaction, std::string id) {
        std::vector<Job> jobs{a_job(std::move(id)).of_type("mail").with_payload("old")};
        (void)producer_.enqueue(transaction, std::move(jobs));
    }

    /// As the app's transactions do.
    static void run(Transaction& transaction, const std::string& sql) {
        transaction.app_runs(sql);
        transaction.execute(sql);
    }

    RecordingIntake intake_;
    executor::WakeUps wake_ups_;
    executor::JobProducer producer_{
        {.store = store_.enqueuer(), .intake = intake_, .clock = clock_, .wake_ups = wake_ups_},
        {}};
};

INSTANTIATE_TEST_SUITE_P(
    OnEveryDatabase,
    HandOff,
    testing::ValuesIn(databases_under_test()),
    name_of_database
);

TEST_P(HandOff, Follows_the_commit) {
    enqueue_and({});
    EXPECT_THAT(intake_.ids(), ElementsAre("a", "b"));
    EXPECT_EQ(intake_.accepted[0], job("a"));
}

// R086: whoever holds its instance decides when it runs.
TEST_P(HandOff, An_exclusive_job_of_an_instance_is_stored_free) {
    bool is_acquisition_woken = false;
    wake_ups_.sleepers.acquisition = [&] { is_acquisition_woken = true; };
    (void)producer_.enqueue({a_job("a").of_type("mail").of_instance("i")});
    EXPECT_THAT(intake_.ids(), IsEmpty());
    EXPECT_EQ(job("a").lock_owner, "");
    EXPECT_TRUE(is_acquisition_woken);
}

TEST_P(HandOff, A_job_that_the_app_has_made_one_is_freed) {
    bool is_acquisition_woken = false;
    wake_ups_.sleepers.acquisition = [&] { is_acquisition_woken = true; };
    enqueue_and({"UPDATE ACT_RU_JOB SET PROCESS_INSTANCE_ID_ = 'i' WHERE ID_ = 'a'"});
    EXPECT_THAT(intake_.ids(), ElementsAre("b"));
    EXPECT_EQ(job("a").lock_owner, "");
    EXPECT_TRUE(is_acquisition_woken);
}

TEST_P(HandOff, A_job_that_the_app_has_deleted_does_not_run) {
    enqueue_and({"DELETE FROM ACT_RU_JOB WHERE ID_ = 'a'"});
    EXPECT_THAT(intake_.ids(), ElementsAre("b"));
}

TEST_P(HandOff, A_job_that_the_app_has_changed_runs_as_it_is_now) {
    enqueue_and({"update ACT_RU_JOB set HANDLER_CFG_ = 'new', RETRIES_ = 7 where ID_ = 'b'"});
    ASSERT_THAT(intake_.ids(), ElementsAre("a", "b"));
    EXPECT_EQ(intake_.accepted[0].payload, "old");
    EXPECT_EQ(intake_.accepted[1].payload, "new");
    EXPECT_EQ(intake_.accepted[1].retries, 7);
    EXPECT_EQ(intake_.accepted[1], job("b"));
}

TEST_P(HandOff, A_long_payload_is_read_again_with_its_row) {
    const std::string payload(5000, 'p');
    store_.enqueuer().in_transaction(
        [&](Transaction& transaction) {
            std::vector<Job> jobs{a_job("a").of_type("mail").with_payload(payload)};
            (void)producer_.enqueue(transaction, std::move(jobs));
            run(transaction, "UPDATE ACT_RU_JOB SET PRIORITY_ = 3");
        },
        {}
    );
    ASSERT_THAT(intake_.ids(), ElementsAre("a"));
    EXPECT_EQ(intake_.accepted[0].payload, payload);
    EXPECT_EQ(intake_.accepted[0].priority, 3);
}

TEST_P(HandOff, A_job_that_the_app_has_set_free_is_left_to_acquisition) {
    enqueue_and({"UPDATE ACT_RU_JOB SET LOCK_OWNER_ = NULL, LOCK_EXP_TIME_ = NULL"});
    EXPECT_THAT(intake_.ids(), IsEmpty());
    const std::vector<std::string> mail{"mail"};
    EXPECT_EQ(store_.executor().acquire(claim_of("node-1"), mail, 10).size(), 2U);
}

TEST_P(HandOff, A_job_whose_savepoint_was_rolled_back_does_not_run) {
    store_.enqueuer().in_transaction(
        [&](Transaction& transaction) {
            enqueue(transaction, "a");
            run(transaction, "SAVEPOINT before_b");
            enqueue(transaction, "b");
            run(transaction, "ROLLBACK TO SAVEPOINT before_b");
        },
        {}
    );
    EXPECT_THAT(intake_.ids(), ElementsAre("a"));
    EXPECT_EQ(place_of("b"), "nowhere");
}

TEST_P(HandOff, What_the_app_did_before_or_elsewhere_costs_no_statement) {
    FaultPlan& faults = faults_;
    store_.enqueuer().in_transaction(
        [&](Transaction& transaction) {
            run(transaction, "DELETE FROM ACT_RU_JOB WHERE ID_ = 'other'");
            enqueue(transaction, "a");
            run(transaction, "UPDATE ACT_GE_BYTEARRAY SET REV_ = REV_");
            // From here on, every query would fail.
            faults.add({.point = FaultPoint::query, .kind = persistence::DbErrorKind::other});
        },
        {}
    );
    EXPECT_THAT(intake_.ids(), ElementsAre("a"));
}

struct AppStatement {
    std::string_view sql;
    bool may_touch;
};

TEST(AppStatement, Touches_jobs_when_it_names_their_tables_or_says_nothing) {
    for (const auto& [sql, may_touch] :
         {AppStatement{"INSERT INTO orders VALUES (1)", false},
          AppStatement{"  \n update orders set a = 1", false},
          AppStatement{"SELECT 1", false},
          AppStatement{"with x as (select 1) select * from x", false},
          AppStatement{"DELETE FROM ACT_RU_JOB", true},
          AppStatement{"delete from public.act_ru_timer_job", true},
          AppStatement{"UPDATE \"ACT_RU_JOB\" SET A = 1", true},
          AppStatement{"with x as (delete from Act_Ru_Job returning 1) select 1", true},
          AppStatement{"CALL clean_up()", true},
          AppStatement{"DO $$ BEGIN END $$", true},
          AppStatement{"ROLLBACK TO SAVEPOINT a", true},
          AppStatement{"SAVEPOINT a", true},
          AppStatement{"/* a */ DELETE FROM orders", true},
          AppStatement{"", true}}) {
        EXPECT_EQ(persistence::may_touch_jobs(sql), may_touch) << sql;
    }
}

}  // namespace

}  // namespace jobstrand::test
