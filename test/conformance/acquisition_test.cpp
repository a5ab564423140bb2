#include "test/conformance/store_test.hpp"

namespace jobstrand::test {

namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class Acquisition : public StoreTest {};

INSTANTIATE_TEST_SUITE_P(
    OnEveryDatabase,
    Acquisition,
    testing::ValuesIn(databases_under_test()),
    name_of_database
);

// R032 R039 R107
TEST_P(Acquisition, An_acquired_job_carries_owner_expiry_and_a_raised_revision) {
    const Job inserted = insert(JobPlace::executable, a_job("a").build());
    const std::vector<Job> acquired = acquire();
    ASSERT_THAT(ids_of(acquired), ElementsAre("a"));
    EXPECT_EQ(acquired[0].lock_owner, "node-1");
    EXPECT_EQ(acquired[0].lock_expiration, clock_.now() + 5min);
    EXPECT_EQ(acquired[0].revision, inserted.revision + 1);
    EXPECT_EQ(acquired[0], job("a"));
}

// R040
TEST_P(Acquisition, A_locked_job_is_acquired_by_nobody_else) {
    insert(JobPlace::executable, a_job("a").build());
    ASSERT_THAT(ids_of(acquire(100, "node-1")), ElementsAre("a"));
    EXPECT_THAT(acquire(100, "node-2"), IsEmpty());
    EXPECT_THAT(acquire(100, "node-1"), IsEmpty());
}

// R038 R044: the cheap order is that of the ids.
TEST_P(Acquisition, The_oldest_ids_come_first_and_the_limit_is_kept) {
    insert(JobPlace::executable, std::vector<Job>{a_job("c"), a_job("a"), a_job("b")});
    EXPECT_THAT(ids_of(acquire(2)), ElementsAre("a", "b"));
    EXPECT_THAT(ids_of(acquire(2)), ElementsAre("c"));
}

TEST_P(Acquisition, Only_jobs_behind_a_given_id_are_looked_at) {
    insert(JobPlace::executable, std::vector<Job>{a_job("c"), a_job("a"), a_job("b")});
    EXPECT_THAT(
        ids_of(store_.executor().acquire(claim_of("n"), noop_, 10, "a")), ElementsAre("b", "c")
    );
    EXPECT_THAT(store_.executor().acquire(claim_of("n"), noop_, 10, "c"), IsEmpty());
    EXPECT_THAT(ids_of(acquire()), ElementsAre("a"));
}

TEST_P(Acquisition, Ids_from_a_given_one_on_are_left_alone) {
    insert(JobPlace::executable, std::vector<Job>{a_job("c"), a_job("a"), a_job("b")});
    EXPECT_TRUE(store_.executor().has_acquirable(noop_, "a", "c"));
    EXPECT_FALSE(store_.executor().has_acquirable(noop_, "b", "c"));
    persistence::PageLimit limit(10);
    limit.before = "c";
    EXPECT_THAT(
        ids_of(store_.executor().acquire(claim_of("n"), noop_, limit, "a")), ElementsAre("b")
    );
    EXPECT_THAT(ids_of(acquire()), ElementsAre("a", "c"));
}

// I1
TEST_P(Acquisition, A_claim_locks_no_row_but_those_of_its_jobs) {
    insert(
        JobPlace::executable,
        std::vector<Job>{
            a_job("a"),
            a_job("b"),
            a_job("c").of_type("mail"),
            a_job("d"),
            a_job("e"),
            a_job("f"),
        }
    );
    const std::vector<Job> of_another =
        store_.executor().acquire(claim_of("node-2"), noop_, 1, "a");
    ASSERT_THAT(ids_of(of_another), ElementsAre("b"));
    ASSERT_THAT(
        ids_of(store_.executor().acquire(claim_of("node-1"), noop_, 2, "a")), ElementsAre("d", "e")
    );
    EXPECT_EQ(job("b"), of_another.front());
    for (const std::string_view free : {"a", "c", "f"}) {
        EXPECT_FALSE(job(free).lock_expiration) << free;
        EXPECT_EQ(job(free).revision, 1) << free;
    }
}

TEST_P(Acquisition, Only_served_handler_types_are_acquired) {
    insert(
        JobPlace::executable,
        std::vector<Job>{a_job("a").of_type("mail"), a_job("b"), a_job("c").of_type("print")}
    );
    const std::vector<std::string> served{"noop", "print"};
    EXPECT_THAT(
        ids_of(store_.executor().acquire(claim_of("n"), served, 10)), ElementsAre("b", "c")
    );
    EXPECT_TRUE(job("a").lock_owner.empty());
}

TEST_P(Acquisition, Who_serves_nothing_acquires_nothing) {
    insert(JobPlace::executable, a_job("a").build());
    EXPECT_THAT(store_.executor().acquire(claim_of("n"), {}, 10), IsEmpty());
    EXPECT_FALSE(store_.executor().has_acquirable({}));
}

TEST_P(Acquisition, A_limit_of_zero_acquires_nothing) {
    insert(JobPlace::executable, a_job("a").build());
    EXPECT_THAT(acquire(0), IsEmpty());
}

// R033, R105: what conditions say elsewhere, tables say here.
TEST_P(Acquisition, Only_the_executable_place_is_acquired_from) {
    store_.enqueuer().insert(
        {{JobPlace::timer, a_job("t").due_at(clock_.now() - 1h)},
         {JobPlace::suspended, a_job("s")},
         {JobPlace::dead_letter, a_job("d")},
         {JobPlace::external_worker, a_job("x")}}
    );
    EXPECT_THAT(acquire(), IsEmpty());
    EXPECT_FALSE(store_.executor().has_acquirable(noop_));
}

TEST_P(Acquisition, A_page_may_be_larger_than_a_statement) {
    insert(JobPlace::executable, many_jobs("j", 700));
    EXPECT_EQ(acquire(1000).size(), 700U);
    EXPECT_THAT(acquire(1000, "node-2"), IsEmpty());
}

TEST_P(Acquisition, An_idle_poll_sees_whether_there_is_something_to_acquire) {
    EXPECT_FALSE(store_.executor().has_acquirable(noop_));
    insert(JobPlace::executable, a_job("a").build());
    EXPECT_TRUE(store_.executor().has_acquirable(noop_));
    const std::vector<std::string> others{"mail", "print"};
    EXPECT_FALSE(store_.executor().has_acquirable(others));
    ASSERT_EQ(acquire().size(), 1U);
    EXPECT_FALSE(store_.executor().has_acquirable(noop_));
}

// R175: the reset, not the acquisition, decides that a node is dead.
TEST_P(Acquisition, A_job_whose_lock_expired_waits_for_the_reset) {
    insert_and_acquire(a_job("a"));
    clock_.tick(1h);
    EXPECT_THAT(acquire(), IsEmpty());
}

// The same: what waits for its instance elsewhere must not stop those that can run.
TEST_P(Acquisition, A_suspended_job_whose_id_is_taken_does_not_stop_the_others) {
    insert(JobPlace::executable, std::vector<Job>{a_job("a"), a_job("b")});
    store_.jobs().suspend(persistence::SuspensionScope::instance, "order-17", clock_.now());
    execute("UPDATE ACT_RU_JOB SET PROCESS_INSTANCE_ID_ = 'order-17' WHERE ID_ = 'a'");
    execute("INSERT INTO ACT_RU_SUSPENDED_JOB (ID_, HANDLER_TYPE_) VALUES ('a', 'mail')");
    EXPECT_THAT(ids_of(acquire()), ElementsAre("b"));
    EXPECT_THAT(ids_of(store_.jobs().list(JobPlace::dead_letter, {}, "", 10)), ElementsAre("a"));
}

class AcquisitionById : public StoreTest {
protected:
    auto acquire_one(std::string_view id) {
        return store_.executor().acquire_one(id, claim_of("operator"), clock_.now());
    }
};

INSTANTIATE_TEST_SUITE_P(
    OnEveryDatabase,
    AcquisitionById,
    testing::ValuesIn(databases_under_test()),
    name_of_database
);

// R006
TEST_P(AcquisitionById, One_job_is_locked_whatever_its_handler_type) {
    insert(JobPlace::executable, std::vector<Job>{a_job("a"), a_job("b").of_type("mail")});
    const auto acquired = acquire_one("b");
    EXPECT_EQ(acquired.answer, JobAnswer::done);
    EXPECT_EQ(acquired.job.lock_owner, "operator");
    EXPECT_EQ(acquired.job, job("b"));
    EXPECT_TRUE(job("a").lock_owner.empty());
}

TEST_P(AcquisitionById, A_job_that_is_not_executable_is_not_found) {
    insert(JobPlace::timer, a_job("t").due_at(clock_.now()).build());
    EXPECT_EQ(acquire_one("t").answer, JobAnswer::not_found);
    EXPECT_EQ(acquire_one("none").answer, JobAnswer::not_found);
}

TEST_P(AcquisitionById, A_job_with_a_live_lock_is_refused) {
    const Job held = insert_and_acquire(a_job("a"), "node-1");
    EXPECT_EQ(acquire_one("a").answer, JobAnswer::locked);
    EXPECT_EQ(job("a"), held);
}

// R042
TEST_P(AcquisitionById, An_expired_lock_does_not_count) {
    insert_and_acquire(a_job("a"), "node-1");
    clock_.tick(5min + 1ms);
    EXPECT_EQ(acquire_one("a").answer, JobAnswer::done);
    EXPECT_EQ(job("a").lock_owner, "operator");
}

/// Rows that an UPDATE does not reach: here, because of an app's trigger.
class RowsThatStay : public StoreTest {};

INSTANTIATE_TEST_SUITE_P(
    OnSqlite,
    RowsThatStay,
    testing::ValuesIn(in_files("sqlite")),
    name_of_database
);

// It would run again and again, on every node.
TEST_P(RowsThatStay, Only_a_job_whose_lock_was_written_is_acquired) {
    insert(JobPlace::executable, many_jobs("j", 3));
    execute(
        "CREATE TRIGGER KEEP BEFORE UPDATE ON ACT_RU_JOB WHEN old.ID_ = 'j001'"
        " BEGIN SELECT RAISE(IGNORE); END"
    );
    EXPECT_THAT(ids_of(acquire()), ElementsAre("j000", "j002"));
}

// I1
TEST_P(RowsThatStay, A_job_whose_row_does_not_go_is_not_moved) {
    const Job held = insert_and_acquire(a_job("a"));
    execute("CREATE TRIGGER KEEP BEFORE DELETE ON ACT_RU_JOB BEGIN SELECT RAISE(IGNORE); END");
    const std::vector<Outcome> failed{failed_outcome(held, {.message = "it broke"}, clock_.now())};
    EXPECT_THROW((void)store_.executor().apply("node-1", failed), persistence::DbError);
    EXPECT_EQ(job("a"), held);
    EXPECT_EQ(count_rows("ACT_RU_TIMER_JOB"), 0);
}

}  // namespace

}  // namespace jobstrand::test
