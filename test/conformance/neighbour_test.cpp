#include "persistence/sql/dialect.hpp"
#include "persistence/sql/sql_transaction.hpp"
#include "test/conformance/store_test.hpp"

#include <fmt/format.h>

namespace jobstrand::test {

namespace {

using persistence::SessionPool;
using testing::Each;
using testing::SizeIs;

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
        std::vector<Job> jobs = many_jobs("j", 60);
        for (Job& job : jobs) {
            job.due_date = clock_.now();
        }
        insert(place, std::move(jobs));
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

INSTANTIATE_TEST_SUITE_P(
    OnEveryServer,
    Neighbours,
    testing::ValuesIn(servers_under_test()),
    name_of_database
);

TEST_P(Neighbours, Are_not_waited_for_by_completed_jobs) {
    insert_jobs(JobPlace::executable);
    const std::vector<Job> held = acquire();
    lock_last_ten(JobPlace::executable);
    std::vector<Outcome> outcomes;
    std::ranges::transform(held, std::back_inserter(outcomes), completed_outcome);
    EXPECT_THAT(
        store_.executor().apply("node-1", without_last_ten(outcomes)), Each(OutcomeAnswer::done)
    );
}

TEST_P(Neighbours, Are_not_waited_for_by_failed_jobs) {
    insert_jobs(JobPlace::executable);
    const std::vector<Job> held = acquire();
    lock_last_ten(JobPlace::executable);
    std::vector<Outcome> outcomes;
    for (const Job& job : held) {
        outcomes.push_back(failed_outcome(job, {.message = "no", .details = "why"}, clock_.now()));
    }
    EXPECT_THAT(
        store_.executor().apply("node-1", without_last_ten(outcomes)), Each(OutcomeAnswer::done)
    );
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
    const auto due = store_.timers().move_due_timers(clock_.now(), 100, claim_of("node-1"), noop_);
    EXPECT_EQ(due.moved, 50U);
}

TEST_P(Neighbours, Are_not_waited_for_by_timers_moved_by_hand) {
    insert_jobs(JobPlace::timer);
    lock_last_ten(JobPlace::timer);
    EXPECT_EQ(store_.jobs().fire_timer("j000", clock_.now()), JobAnswer::done);
    EXPECT_EQ(
        store_.jobs().reschedule_timer("j001", clock_.now() + 1h, clock_.now()), JobAnswer::done
    );
}

TEST_P(Neighbours, Are_not_waited_for_by_dead_letters_that_are_requeued) {
    insert_jobs(JobPlace::dead_letter);
    lock_last_ten(JobPlace::dead_letter);
    EXPECT_EQ(
        store_.jobs().change(
            JobPlace::dead_letter, "j000", {schema::set_to(&Job::priority, 7)}, clock_.now()
        ),
        JobAnswer::done
    );
    EXPECT_THAT(
        store_.jobs().requeue(free_ids(), 1, std::nullopt, clock_.now()), Each(JobAnswer::done)
    );
}

TEST_P(Neighbours, Are_not_waited_for_by_jobs_that_are_removed) {
    insert_jobs(JobPlace::dead_letter);
    lock_last_ten(JobPlace::dead_letter);
    EXPECT_THAT(
        store_.jobs().remove(JobPlace::dead_letter, free_ids(), clock_.now()), Each(JobAnswer::done)
    );
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
    insert(JobPlace::executable, std::vector<Job>{a_job("j0045"), a_job("j0555"), a_job("k")});
    EXPECT_EQ(place_of("k"), "executable");
}

}  // namespace

}  // namespace jobstrand::test
