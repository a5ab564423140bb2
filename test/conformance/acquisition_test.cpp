#include "persistence/executor_store.hpp"
#include "persistence/migration/table_changes.hpp"
#include "persistence/sql/dialect.hpp"
#include "persistence/sql/sql_transaction.hpp"
#include "schema/limits.hpp"
#include "test/conformance/store_test.hpp"

#include <fmt/format.h>

namespace jobstrand::test {

namespace {

using persistence::IdleView;
using testing::Eq;

class Acquisition : public StoreTest {};

ON_EVERY_DATABASE(Acquisition);

// R032 R039 R107
TEST_P(Acquisition, An_acquired_job_carries_owner_expiry_and_a_raised_revision) {
    const Job inserted = insert(a_job("a"));
    const std::vector<Job> acquired = acquire();
    ASSERT_THAT(ids_of(acquired), ElementsAre("a"));
    EXPECT_EQ(acquired[0].lock_owner, "node-1");
    EXPECT_EQ(acquired[0].lock_expiration, clock_.now() + 5min);
    EXPECT_EQ(acquired[0].revision, inserted.revision + 1);
    EXPECT_EQ(acquired[0], job("a"));
}

// R040
TEST_P(Acquisition, A_locked_job_is_acquired_by_nobody_else) {
    insert(a_job("a"));
    ASSERT_THAT(ids_of(acquire(100, "node-1")), ElementsAre("a"));
    EXPECT_THAT(acquire(100, "node-2"), IsEmpty());
    EXPECT_THAT(acquire(100, "node-1"), IsEmpty());
}

// R038 R044: the cheap order is that of the ids.
TEST_P(Acquisition, The_oldest_ids_come_first_and_the_limit_is_kept) {
    insert({a_job("c"), a_job("a"), a_job("b")});
    EXPECT_THAT(ids_of(acquire(2)), ElementsAre("a", "b"));
    EXPECT_THAT(ids_of(acquire(2)), ElementsAre("c"));
}

TEST_P(Acquisition, Only_jobs_behind_a_given_id_are_looked_at) {
    insert({a_job("c"), a_job("a"), a_job("b")});
    EXPECT_THAT(
        ids_of(store_.executor().acquire(claim_of("n"), noop_, 10, "a")), ElementsAre("b", "c")
    );
    EXPECT_THAT(store_.executor().acquire(claim_of("n"), noop_, 10, "c"), IsEmpty());
    EXPECT_THAT(ids_of(acquire()), ElementsAre("a"));
}

TEST_P(Acquisition, Ids_from_a_given_one_on_are_left_alone) {
    insert({a_job("c"), a_job("a"), a_job("b")});
    EXPECT_TRUE(store_.executor().has_acquirable(noop_, "a", "c"));
    EXPECT_FALSE(store_.executor().has_acquirable(noop_, "b", "c"));
    PageLimit limit(10);
    limit.before = "c";
    EXPECT_THAT(
        ids_of(store_.executor().acquire(claim_of("n"), noop_, limit, "a")), ElementsAre("b")
    );
    EXPECT_THAT(ids_of(acquire()), ElementsAre("a", "c"));
}

// I1
TEST_P(Acquisition, A_claim_locks_no_row_but_those_of_its_jobs) {
    insert({a_job("a"), a_job("b"), a_job("c").of_type("mail"), a_job("d"), a_job("e"), a_job("f")}
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
    insert({a_job("a").of_type("mail"), a_job("b"), a_job("c").of_type("print")});
    const std::vector<std::string> served{"noop", "print"};
    EXPECT_THAT(
        ids_of(store_.executor().acquire(claim_of("n"), served, 10)), ElementsAre("b", "c")
    );
    EXPECT_TRUE(job("a").lock_owner.empty());
}

TEST_P(Acquisition, Who_serves_nothing_acquires_nothing) {
    insert(a_job("a"));
    EXPECT_THAT(store_.executor().acquire(claim_of("n"), {}, 10), IsEmpty());
    EXPECT_FALSE(store_.executor().has_acquirable({}));
}

TEST_P(Acquisition, A_limit_of_zero_acquires_nothing) {
    insert(a_job("a"));
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
    insert(many_jobs("j", 700));
    EXPECT_EQ(acquire(1000).size(), 700U);
    EXPECT_THAT(acquire(1000, "node-2"), IsEmpty());
}

TEST_P(Acquisition, An_idle_poll_sees_whether_there_is_something_to_acquire) {
    EXPECT_FALSE(store_.executor().has_acquirable(noop_));
    insert(a_job("a"));
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
    insert({a_job("a"), a_job("b")});
    suspend(SuspensionScope::instance, "order-17");
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

ON_EVERY_DATABASE(AcquisitionById);

// R006
TEST_P(AcquisitionById, One_job_is_locked_whatever_its_handler_type) {
    insert({a_job("a"), a_job("b").of_type("mail")});
    const auto acquired = acquire_one("b");
    EXPECT_EQ(acquired.answer, JobAnswer::done);
    EXPECT_EQ(acquired.job.lock_owner, "operator");
    EXPECT_EQ(acquired.job, job("b"));
    EXPECT_TRUE(job("a").lock_owner.empty());
}

TEST_P(AcquisitionById, A_job_that_is_not_executable_is_not_found) {
    insert(JobPlace::timer, a_job("t").due_at(clock_.now()));
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

ON_SQLITE(RowsThatStay);

// It would run again and again, on every node.
TEST_P(RowsThatStay, Only_a_job_whose_lock_was_written_is_acquired) {
    insert(many_jobs("j", 3));
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
    EXPECT_THROW(apply({failed_outcome(held, {.message = "it broke"})}), DbError);
    EXPECT_EQ(job("a"), held);
    EXPECT_EQ(count_rows("ACT_RU_TIMER_JOB"), 0);
}

/// An acquisition takes no more payload than its caller has room for (I8).
class PageBytes : public StoreTest {
protected:
    void insert_with(const std::string& id, std::size_t bytes) {
        insert(a_job(id).with_payload(std::string(bytes, 'x')));
    }

    [[nodiscard]] std::vector<std::string> acquired(PageLimit limit) {
        return ids_of(store_.executor().acquire(claim_of("node-1"), noop_, limit));
    }

    /// Too long for a row: it is stored apart.
    static constexpr std::size_t kLong = schema::limits::kInlinePayloadLength + 1;
};

ON_EVERY_DATABASE(PageBytes);

TEST_P(PageBytes, A_page_ends_before_the_job_that_would_be_too_much) {
    insert_with("a", 100);
    insert_with("b", 100);
    insert_with("c", 100);
    EXPECT_THAT(acquired({10, 299}), ElementsAre("a", "b"));
    EXPECT_THAT(acquired({10, 100}), ElementsAre("c"));
}

TEST_P(PageBytes, What_fits_exactly_is_taken) {
    insert_with("a", 100);
    insert_with("b", 200);
    EXPECT_THAT(acquired({10, 300}), ElementsAre("a", "b"));
}

TEST_P(PageBytes, A_first_job_that_is_too_large_alone_is_taken_alone) {
    insert_with("a", 3000);
    insert_with("b", 1);
    EXPECT_THAT(acquired({10, 1}), ElementsAre("a"));
    EXPECT_THAT(acquired({10, 1}), ElementsAre("b"));
    EXPECT_THAT(acquired({10, 1}), IsEmpty());
}

TEST_P(PageBytes, Payloads_that_are_stored_apart_count_before_they_are_read) {
    insert_with("a", kLong);
    insert_with("b", 10);
    insert_with("c", kLong);
    insert_with("d", kLong);
    const std::vector<Job> page =
        store_.executor().acquire(claim_of("node-1"), noop_, {10, 2 * kLong + 10});
    EXPECT_THAT(ids_of(page), ElementsAre("a", "b", "c"));
    EXPECT_THAT(page[2].payload, SizeIs(kLong));
    EXPECT_EQ(job("d").lock_owner, "");
}

// A character of a text is not always a byte.
TEST_P(PageBytes, Bytes_are_counted_and_not_characters) {
    std::string euros;
    for (std::size_t i = 0; i < kLong; ++i) {
        euros += "\xE2\x82\xAC";
    }
    insert({a_job("a").with_payload(euros), a_job("b").with_payload(euros)});
    EXPECT_THAT(acquired({10, 2 * euros.size() - 1}), ElementsAre("a"));
}

TEST_P(PageBytes, In_a_long_page_the_bound_holds_too) {
    insert(many_jobs("j", 60, a_job("").with_payload(std::string(kLong, 'x'))));
    EXPECT_THAT(acquired({100, 37 * kLong}), SizeIs(37));
    EXPECT_THAT(acquired({100, 32 * kLong}), SizeIs(23));
}

TEST_P(PageBytes, By_priority_the_bound_is_the_same) {
    ASSERT_TRUE(persistence::create_index(*connection_, schema::kPriorityIndex));
    insert(a_job("low").with_payload(std::string(100, 'x')));
    insert(a_job("high").with_priority(9).with_payload(std::string(kLong, 'x')));
    const auto by_priority = [&](PageLimit limit) {
        return ids_of(store_.executor().acquire_in_order(
            claim_of("node-1"), noop_, {.by_priority = true}, limit
        ));
    };
    EXPECT_THAT(by_priority({10, kLong}), ElementsAre("high"));
    EXPECT_THAT(by_priority({10, kLong}), ElementsAre("low"));
    EXPECT_TRUE(persistence::drop_index(*connection_, schema::kPriorityIndex));
}

TEST_P(PageBytes, The_bound_holds_for_due_timers_that_arrive_locked) {
    for (const char* const id : {"a", "b", "c"}) {
        insert(
            JobPlace::timer, a_job(id).with_payload(std::string(kLong, 'x')).due_at(clock_.now())
        );
        clock_.tick(1ms);
    }
    const auto due = move_due({10, 2 * kLong});
    EXPECT_EQ(due.moved, 2U);
    EXPECT_TRUE(due.is_cut);
    EXPECT_EQ(due.end, clock_.now() - 2ms);
    ASSERT_THAT(ids_of(due.locked), ElementsAre("a", "b"));
    EXPECT_THAT(due.locked[1].payload, SizeIs(kLong));
    EXPECT_EQ(place_of("c"), "timer");
    const auto last = move_due({10, 1});
    EXPECT_THAT(ids_of(last.locked), ElementsAre("c")) << "or it would never run";
    EXPECT_FALSE(last.is_cut);
}

TEST_P(PageBytes, Due_timers_that_arrive_free_have_no_bound) {
    for (const char* const id : {"a", "b"}) {
        insert(
            JobPlace::timer, a_job(id).with_payload(std::string(kLong, 'x')).due_at(clock_.now())
        );
    }
    EXPECT_EQ(
        store_.timers().move_due_timers(clock_.now(), {10, 1}, std::nullopt, noop_).moved, 2U
    );
}

/// What a node that has nothing to do sees with one look at all tables.
class LookAround : public StoreTest {
protected:
    IdleView look() { return store_.executor().look_around(noop_, clock_.now()); }
};

ON_EVERY_DATABASE(LookAround);

TEST_P(LookAround, Nothing_is_seen_where_nothing_is) {
    const IdleView view = look();
    EXPECT_EQ(view.at, clock_.now());
    EXPECT_FALSE(view.has_acquirable);
    EXPECT_FALSE(view.next_due);
    EXPECT_TRUE(view.are_timers_sound);
    EXPECT_FALSE(view.has_executable);
    EXPECT_FALSE(view.has_locks);
    EXPECT_FALSE(view.has_limits);
    EXPECT_FALSE(view.has_leftovers);
    EXPECT_FALSE(view.first_lease_end);
}

TEST_P(LookAround, A_job_that_this_node_may_take_can_be_acquired) {
    insert(a_job("a").of_type("mail"));
    EXPECT_FALSE(look().has_acquirable) << "it is not served";
    EXPECT_TRUE(look().has_executable);
    insert(a_job("b"));
    EXPECT_TRUE(look().has_acquirable);
    ASSERT_EQ(acquire().size(), 1U);
    EXPECT_FALSE(look().has_acquirable) << "it is locked";
    const persistence::ServedJobs nothing;
    EXPECT_FALSE(store_.executor().look_around(nothing, clock_.now()).has_acquirable);
}

TEST_P(LookAround, The_next_timer_is_the_one_that_its_mover_would_find) {
    insert(JobPlace::timer, a_job("a").due_at(clock_.now() + 2h));
    insert(JobPlace::timer, a_job("b").due_at(clock_.now() + 1h));
    EXPECT_THAT(look().next_due, Eq(clock_.now() + 1h));
    EXPECT_THAT(look().next_due, Eq(store_.timers().next_due(noop_)));
    EXPECT_TRUE(look().are_timers_sound);
    EXPECT_FALSE(look().has_locks) << "nobody locks a timer before it is due";
    clock_.tick(1h);
    EXPECT_TRUE(look().has_locks);
}

TEST_P(LookAround, A_due_date_that_nobody_can_read_is_left_to_the_mover) {
    if (!connection_->dialect().has_texts_for_times) {
        GTEST_SKIP() << "such a date cannot be stored here";
    }
    insert(JobPlace::timer, a_job("a").due_at(clock_.now() + 1h));
    connection_->run_script("PRAGMA ignore_check_constraints = ON");
    execute("UPDATE ACT_RU_TIMER_JOB SET DUEDATE_ = 'soon'");
    EXPECT_FALSE(look().are_timers_sound);
    EXPECT_FALSE(look().next_due);
}

TEST_P(LookAround, What_may_be_locked_is_seen_in_every_place) {
    insert(JobPlace::external_worker, a_job("a").of_kind(schema::kExternalWorkerType));
    EXPECT_TRUE(look().has_locks);
    execute("DELETE FROM ACT_RU_EXTERNAL_JOB");
    EXPECT_FALSE(look().has_locks);
    execute("INSERT INTO JS_EXCLUSIVE (ID_, LOCK_OWNER_) VALUES ('p', 'node-1')");
    EXPECT_TRUE(look().has_locks);
    execute("DELETE FROM JS_EXCLUSIVE");
    execute("INSERT INTO JS_CLAIM (ID_, OWNER_) VALUES (7, 'node-1')");
    EXPECT_TRUE(look().has_locks);
}

TEST_P(LookAround, Limits_are_seen_and_what_one_has_left) {
    schema::JobLimit limit = schema::limit_named("tenant:acme");
    limit.concurrent = 3;
    store_.limits().set_limit(limit);
    EXPECT_TRUE(look().has_limits);
    execute("DELETE FROM JS_LIMIT");
    EXPECT_FALSE(look().has_limits);
    execute("INSERT INTO JS_LIMIT_WAITING (GROUP_, ID_) VALUES ('tenant:acme', 'a')");
    EXPECT_TRUE(look().has_limits);
    EXPECT_FALSE(look().has_leftovers);
    execute("INSERT INTO JS_LIMITED (GROUP_) VALUES ('tenant:acme')");
    EXPECT_TRUE(look().has_leftovers);
    execute("DELETE FROM JS_LIMITED");
    execute("INSERT INTO JS_UNIQUE (KEY_, JOB_ID_) VALUES ('k', 'a')");
    EXPECT_TRUE(look().has_leftovers);
}

TEST_P(LookAround, The_first_lease_to_end_is_seen) {
    register_node("node-1", noop_, 10s);
    register_node("node-2", noop_, 7s);
    EXPECT_THAT(look().first_lease_end, Eq(clock_.now() + 7s));
}

/// A table with few rows, some of which another transaction keeps locked: no operation on the
/// others may wait for it. A database that reads the whole table, because it is small, would; two
/// nodes would then wait for each other, which is a deadlock.
class Neighbours : public StoreTest {
protected:
    void SetUp() override {
        StoreTest::SetUp();
        if (connection_) {
            other_ = database_->connect(SessionPool::Access::write);
        }
    }

    /// Inserts `j000` to `j059`, and lets the database see how few they are.
    void insert_jobs(JobPlace place) {
        insert(place, many_jobs("j", 60, a_job("").due_at(clock_.now())));
        if (connection_->dialect().name == "mysql") {
            connection_->run_script(fmt::format("ANALYZE TABLE {}", schema::table_of(place)));
        }
    }

    /// The last ten stay locked until the end of the case.
    void lock_last_ten(JobPlace place) {
        locking_.emplace(*other_);
        EXPECT_EQ(
            locking_->execute(fmt::format(
                "UPDATE {} SET CATEGORY_ = 'locked' WHERE ID_ >= 'j050'", schema::table_of(place)
            )),
            10
        );
    }

    template <typename One>
    [[nodiscard]] static std::vector<One> without_last_ten(std::vector<One> all) {
        all.resize(50);
        return all;
    }

    [[nodiscard]] static std::vector<std::string> free_ids() {
        return without_last_ten(ids_of(many_jobs("j", 60)));
    }

    std::unique_ptr<persistence::Connection> other_;
    std::optional<Transaction> locking_;
};

ON_EVERY_SERVER(Neighbours);

TEST_P(Neighbours, Are_not_waited_for_by_completed_jobs) {
    insert_jobs(JobPlace::executable);
    const std::vector<Job> held = acquire();
    lock_last_ten(JobPlace::executable);
    std::vector<Outcome> outcomes;
    std::ranges::transform(held, std::back_inserter(outcomes), completed_outcome);
    EXPECT_THAT(apply(without_last_ten(outcomes)), Each(OutcomeAnswer::done));
}

TEST_P(Neighbours, Are_not_waited_for_by_failed_jobs) {
    insert_jobs(JobPlace::executable);
    const std::vector<Job> held = acquire();
    lock_last_ten(JobPlace::executable);
    std::vector<Outcome> outcomes;
    for (const Job& job : held) {
        outcomes.push_back(failed_outcome(job, {.message = "no", .details = "why"}));
    }
    EXPECT_THAT(apply(without_last_ten(outcomes)), Each(OutcomeAnswer::done));
}

TEST_P(Neighbours, Are_not_waited_for_when_locks_are_renewed_and_released) {
    insert_jobs(JobPlace::executable);
    const std::vector<Fence> fences = without_last_ten(fences_of(acquire()));
    lock_last_ten(JobPlace::executable);
    EXPECT_THAT(store_.executor().extend_locks(claim_of("node-1"), fences), SizeIs(0));
    store_.executor().release("node-1", fences);
    EXPECT_EQ(job("j000").lock_owner, "");
}

TEST_P(Neighbours, Are_not_waited_for_by_an_acquisition) {
    insert_jobs(JobPlace::executable);
    lock_last_ten(JobPlace::executable);
    EXPECT_EQ(ids_of(acquire()), free_ids());
}

TEST_P(Neighbours, Are_not_waited_for_by_due_timers) {
    insert_jobs(JobPlace::timer);
    lock_last_ten(JobPlace::timer);
    const auto due = move_due();
    EXPECT_EQ(due.moved, 50U);
}

TEST_P(Neighbours, Are_not_waited_for_by_timers_moved_by_hand) {
    insert_jobs(JobPlace::timer);
    lock_last_ten(JobPlace::timer);
    EXPECT_EQ(fire_timer("j000"), JobAnswer::done);
    EXPECT_EQ(reschedule_timer("j001", clock_.now() + 1h), JobAnswer::done);
}

TEST_P(Neighbours, Are_not_waited_for_by_dead_letters_that_are_requeued) {
    insert_jobs(JobPlace::dead_letter);
    lock_last_ten(JobPlace::dead_letter);
    EXPECT_EQ(
        change(JobPlace::dead_letter, "j000", {schema::set_to(&Job::priority, 7)}), JobAnswer::done
    );
    EXPECT_THAT(requeue(free_ids(), 1), Each(JobAnswer::done));
}

TEST_P(Neighbours, Are_not_waited_for_by_jobs_that_are_removed) {
    insert_jobs(JobPlace::dead_letter);
    lock_last_ten(JobPlace::dead_letter);
    EXPECT_THAT(remove(JobPlace::dead_letter, free_ids()), Each(JobAnswer::done));
}

TEST_P(Neighbours, Are_not_waited_for_by_the_reset_of_expired_locks) {
    insert_jobs(JobPlace::executable);
    EXPECT_THAT(acquire(), SizeIs(60));
    clock_.tick(1h);
    lock_last_ten(JobPlace::executable);
    const auto done = store_.executor().reset_expired_locks(
        JobPlace::executable, {.now = clock_.now(), .rows = 50}
    );
    EXPECT_EQ(done.freed, 50);
}

TEST_P(Neighbours, Are_not_waited_for_by_new_jobs) {
    insert_jobs(JobPlace::executable);
    lock_last_ten(JobPlace::executable);
    insert({a_job("j0045"), a_job("j0555"), a_job("k")});
    EXPECT_EQ(place_of("k"), "executable");
}

}  // namespace

}  // namespace jobstrand::test
