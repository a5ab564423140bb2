#include "executor/enqueue/job_producer.hpp"
#include "executor/job_acquirer.hpp"
#include "persistence/sql/db_error.hpp"
#include "persistence/sql/sql_transaction.hpp"
#include "persistence/sql/statement_text.hpp"
#include "schema/uuid7.hpp"
#include "test/conformance/store_test.hpp"
#include "test/fixtures/mock_stores.hpp"
#include "test/fixtures/recording_intake.hpp"

#include <stdexcept>

namespace jobstrand::test {

namespace {

using testing::_;
using testing::Contains;
using testing::Not;

class Insertion : public StoreTest {};

ON_EVERY_DATABASE(Insertion);

TEST_P(Insertion, Each_job_goes_to_its_place) {
    store_.enqueuer().insert(
        {{JobPlace::executable, a_job("e")},
         {JobPlace::timer, a_job("t").due_at(clock_.now())},
         {JobPlace::suspended, a_job("s")},
         {JobPlace::dead_letter, a_job("d")},
         {JobPlace::external_worker, a_job("x").of_kind(schema::kExternalWorkerType)}}
    );
    EXPECT_THAT(places_of({"e", "t", "s"}), ElementsAre("executable", "timer", "suspended"));
    EXPECT_THAT(places_of({"d", "x"}), ElementsAre("dead", "external"));
}

TEST_P(Insertion, The_answer_is_what_was_stored) {
    const Job stored = insert(a_job("a").with_payload("{}"));
    EXPECT_EQ(stored, job("a"));
}

TEST_P(Insertion, The_order_of_the_answer_is_the_order_of_the_question) {
    EXPECT_THAT(ids_of(insert({a_job("b"), a_job("c"), a_job("a")})), ElementsAre("b", "c", "a"));
}

TEST_P(Insertion, Nothing_to_insert_is_no_error) {
    EXPECT_TRUE(store_.enqueuer().insert(std::vector<PlacedJob>{}).empty());
}

// R153
TEST_P(Insertion, A_caller_decides_with_its_transaction_whether_the_job_exists) {
    in_transaction([this](Transaction& transaction) {
        store_.enqueuer().insert(transaction, {{JobPlace::executable, a_job("kept")}});
    });
    EXPECT_THROW(
        in_transaction([this](Transaction& transaction) {
            store_.enqueuer().insert(transaction, {{JobPlace::executable, a_job("dropped")}});
            throw std::runtime_error("the app changed its mind");
        }),
        std::runtime_error
    );
    EXPECT_THAT(places_of({"kept", "dropped"}), ElementsAre("executable", "nowhere"));
}

TEST_P(Insertion, A_job_can_be_inserted_already_locked) {
    insert(a_job("a").locked_by("node-1", clock_.now() + 5min));
    EXPECT_TRUE(acquire().empty());
    EXPECT_EQ(job("a").lock_expiration, clock_.now() + 5min);
}

class DuplicateInsertion : public StoreTest {
protected:
    void expect_duplicate(std::vector<PlacedJob> jobs) {
        expect_error(DbErrorKind::duplicate_key, [&] {
            store_.enqueuer().insert(std::move(jobs));
        });
    }
};

ON_EVERY_DATABASE(DuplicateInsertion);

TEST_P(DuplicateInsertion, An_id_exists_once_over_all_places) {
    for (const JobPlace existing : schema::kJobPlaces) {
        const std::string id(schema::name_of(existing));
        insert(existing, a_job(id));
        for (const JobPlace place : schema::kJobPlaces) {
            expect_duplicate({{place, a_job(id)}});
        }
        EXPECT_EQ(place_of(id), schema::name_of(existing));
    }
}

TEST_P(DuplicateInsertion, Two_jobs_of_one_id_are_refused) {
    expect_duplicate({{JobPlace::executable, a_job("a")}, {JobPlace::executable, a_job("a")}});
    expect_duplicate({{JobPlace::executable, a_job("a")}, {JobPlace::timer, a_job("a")}});
    EXPECT_EQ(place_of("a"), "nowhere");
}

TEST_P(DuplicateInsertion, One_duplicate_among_many_jobs_keeps_all_of_them_out) {
    insert(JobPlace::timer, a_job("j599").due_at(clock_.now()));
    std::vector<PlacedJob> jobs;
    for (const Job& one : many_jobs("j", 600)) {
        jobs.push_back({JobPlace::executable, one});
    }
    expect_duplicate(jobs);
    EXPECT_EQ(count_rows("ACT_RU_JOB"), 0);
}

TEST_P(Insertion, A_failure_in_the_middle_keeps_all_jobs_out) {
    faults_.add({.point = FaultPoint::execute, .kind = DbErrorKind::storage_full, .skip = 1});
    EXPECT_THROW(
        store_.enqueuer().insert(
            {{JobPlace::executable, a_job("a")}, {JobPlace::timer, a_job("b").due_at(clock_.now())}}
        ),
        DbError
    );
    EXPECT_THAT(places_of({"a", "b"}), ElementsAre("nowhere", "nowhere"));
}

TEST_P(Insertion, A_conflict_in_the_middle_is_tried_again) {
    faults_.add({.point = FaultPoint::execute, .kind = DbErrorKind::conflict});
    insert(a_job("a"));
    EXPECT_EQ(place_of("a"), "executable");
}

TEST_P(Insertion, Any_number_of_jobs_goes_in_at_once) {
    insert(many_jobs("j", 731));
    EXPECT_EQ(count_rows("ACT_RU_JOB"), 731);
}

/// A job that is enqueued through a node goes to its workers right after the commit, and it is the
/// commit that decides with which values, or whether at all.
class HandOff : public StoreTest {
protected:
    HandOff() { intake_.free_places = 10; }

    /// Enqueues `a` and `b` with the payload "old", and runs what the app does then.
    void enqueue_and(const std::vector<std::string>& statements) {
        in_transaction([&](Transaction& transaction) {
            enqueue(transaction, "a");
            enqueue(transaction, "b");
            for (const std::string& sql : statements) {
                run(transaction, sql);
            }
        });
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

ON_EVERY_DATABASE(HandOff);

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
    in_transaction([&](Transaction& transaction) {
        std::vector<Job> jobs{a_job("a").of_type("mail").with_payload(payload)};
        (void)producer_.enqueue(transaction, std::move(jobs));
        run(transaction, "UPDATE ACT_RU_JOB SET PRIORITY_ = 3");
    });
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
    in_transaction([&](Transaction& transaction) {
        enqueue(transaction, "a");
        run(transaction, "SAVEPOINT before_b");
        enqueue(transaction, "b");
        run(transaction, "ROLLBACK TO SAVEPOINT before_b");
    });
    EXPECT_THAT(intake_.ids(), ElementsAre("a"));
    EXPECT_EQ(place_of("b"), "nowhere");
}

TEST_P(HandOff, What_the_app_did_before_or_elsewhere_costs_no_statement) {
    FaultPlan& faults = faults_;
    in_transaction([&](Transaction& transaction) {
        run(transaction, "DELETE FROM ACT_RU_JOB WHERE ID_ = 'other'");
        enqueue(transaction, "a");
        run(transaction, "UPDATE ACT_GE_BYTEARRAY SET REV_ = REV_");
        // From here on, every query would fail.
        faults.add({.point = FaultPoint::query, .kind = DbErrorKind::other});
    });
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

ON_EVERY_DATABASE(LateCommit);

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
    insert(job_made(100ms));
    EXPECT_EQ(taken_after(1).size(), 1U);
}

TEST_P(LateCommit, In_a_backlog_it_is_found_as_soon) {
    insert(many_jobs("j", 100));
    EXPECT_THAT(taken_after(1), ElementsAre("j000", "j001"));
    insert(a_job("a").of_type("noop"));
    EXPECT_THAT(taken_after(1), ElementsAre("j000", "j001", "j002", "j003"));
    clock_.tick(kFoundWithin);
    EXPECT_THAT(taken_after(1), Contains("a"));
}

TEST_P(LateCommit, A_page_of_which_some_are_left_out_is_not_the_end_of_the_table) {
    suspend(SuspensionScope::instance, "order-17");
    insert(many_jobs("j", 3));
    execute("UPDATE ACT_RU_JOB SET PROCESS_INSTANCE_ID_ = 'order-17' WHERE ID_ = 'j000'");
    EXPECT_THAT(taken_after(1), ElementsAre("j001"));
    EXPECT_THAT(taken_after(1), ElementsAre("j001", "j002"));
}

TEST_P(LateCommit, What_is_left_to_a_node_that_does_not_take_it_is_taken_as_soon) {
    register_node("idle", noop_, 1h);
    std::vector<Job> jobs;
    for (int ago = 40; ago > 0; --ago) {
        jobs.push_back(job_made(1h + schema::Duration(ago)));
    }
    insert(jobs);
    intake_.free_places = 4;
    EXPECT_THAT(taken_after(15), AllOf(Contains(jobs[3].id), Contains(jobs[6].id)));
    EXPECT_THAT(taken_after(1), Not(Contains(jobs[4].id))) << "a page of four goes over 3 ms";
    clock_.tick(kFoundWithin);
    EXPECT_EQ(taken_after(20).size(), 40U);
}

}  // namespace

}  // namespace jobstrand::test
