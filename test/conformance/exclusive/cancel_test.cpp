#include "test/conformance/store_test.hpp"

namespace jobstrand::test {

namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// What an operator takes away from the nodes.
class Cancelling : public StoreTest {
protected:
    std::vector<JobAnswer> cancel(JobPlace place, const std::vector<std::string>& ids) {
        return store_.jobs().cancel(place, ids, "cancelled by ada: wrong file", clock_.now());
    }

    OutcomeAnswer complete(const Job& job) {
        const Outcome done = completed_outcome(job);
        return store_.executor().apply(job.lock_owner, std::span(&done, 1)).front();
    }
};

INSTANTIATE_TEST_SUITE_P(
    OnEveryDatabase,
    Cancelling,
    testing::ValuesIn(databases_under_test()),
    name_of_database
);

// I1 I3
TEST_P(Cancelling, A_running_job_is_a_dead_letter_and_what_its_run_comes_to_is_discarded) {
    const Job running = insert_and_acquire(a_job("a").build());
    EXPECT_THAT(cancel(JobPlace::executable, {"a"}), ElementsAre(JobAnswer::done));
    EXPECT_EQ(complete(running), OutcomeAnswer::lost_lock);
    ASSERT_EQ(place_of("a"), "dead");
    const Job dead = job("a");
    EXPECT_EQ(dead.exception_message, "cancelled by ada: wrong file");
    EXPECT_EQ(dead.failed_time, clock_.now());
    EXPECT_EQ(dead.attempts, 0) << "no handler has failed (I5)";
    EXPECT_THAT(acquire(), IsEmpty()) << "it never runs by itself";
}

TEST_P(Cancelling, Its_holder_sees_which_of_its_jobs_are_gone) {
    store_.enqueuer().insert(
        {{JobPlace::executable, a_job("a")},
         {JobPlace::executable, a_job("b")},
         {JobPlace::executable, a_job("c")}}
    );
    const std::vector<Fence> fences = fences_of(acquire());
    EXPECT_THAT(store_.executor().not_held("node-1", fences), IsEmpty());
    EXPECT_THAT(store_.executor().not_held("node-2", fences), ElementsAre("a", "b", "c"));
    (void)cancel(JobPlace::executable, {"b"});
    EXPECT_THAT(store_.executor().not_held("node-1", fences), ElementsAre("b"));
}

TEST_P(Cancelling, A_job_that_was_taken_again_is_not_held_by_its_first_run) {
    const Job first = insert_and_acquire(a_job("a").build());
    (void)cancel(JobPlace::executable, {"a"});
    (void)store_.jobs().requeue(std::vector<std::string>{"a"}, 3, {}, clock_.now());
    const std::vector<Job> again = acquire();
    ASSERT_EQ(again.size(), 1U);
    EXPECT_THAT(store_.executor().not_held("node-1", fences_of({first})), ElementsAre("a"));
    EXPECT_THAT(store_.executor().not_held("node-1", fences_of(again)), IsEmpty());
    EXPECT_EQ(complete(first), OutcomeAnswer::lost_lock);
    EXPECT_EQ(complete(again[0]), OutcomeAnswer::done);
}

TEST_P(Cancelling, Jobs_that_wait_anywhere_are_cancelled_at_once) {
    for (const JobPlace place :
         {JobPlace::executable, JobPlace::timer, JobPlace::suspended, JobPlace::external_worker}) {
        const std::string id(schema::name_of(place));
        insert(place, a_job(id).build());
        EXPECT_THAT(cancel(place, {id}), ElementsAre(JobAnswer::done)) << id;
        EXPECT_EQ(place_of(id), "dead") << id;
    }
}

TEST_P(Cancelling, A_job_that_has_ended_is_not_found) {
    const Job running = insert_and_acquire(a_job("a").build());
    EXPECT_EQ(complete(running), OutcomeAnswer::done);
    EXPECT_THAT(
        cancel(JobPlace::executable, {"a", "never"}),
        ElementsAre(JobAnswer::not_found, JobAnswer::not_found)
    );
}

// I4
TEST_P(Cancelling, Of_a_cancelled_exclusive_job_the_instance_stays_held) {
    (void)insert_and_acquire(a_job("a").of_instance("i").build());
    insert(JobPlace::executable, a_job("b").of_instance("i").build());
    (void)cancel(JobPlace::executable, {"a"});
    EXPECT_THAT(acquire(100, "node-2"), IsEmpty()) << "the handler of the first may still run";
}

}  // namespace

}  // namespace jobstrand::test
