#include "persistence/sql/sql_transaction.hpp"
#include "test/conformance/claims/claim_fixture.hpp"

#include <algorithm>
#include <future>
#include <iterator>
#include <span>

namespace jobstrand::test {

namespace {

using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;
using testing::SizeIs;

/// What a node does with pages of jobs (I1 to I5).
class Claims : public ClaimTest {};

INSTANTIATE_TEST_SUITE_P(
    OnEveryDatabase,
    Claims,
    testing::ValuesIn(databases_under_test()),
    name_of_database
);

TEST_P(Claims, One_row_holds_a_page_and_the_jobs_are_not_written) {
    const std::vector<Job> jobs = insert_and_claim(5);
    EXPECT_THAT(jobs, SizeIs(5));
    EXPECT_THAT(jobs, Each(AllOf(Field(&Job::lock_owner, "node-1"), Field(&Job::revision, 1))));
    EXPECT_EQ(count_claims(), 1);
    EXPECT_EQ(count_locked_rows(), 0);
}

TEST_P(Claims, What_is_held_is_claimed_by_nobody_else) {
    (void)insert_and_claim(3);
    EXPECT_THAT(claim("node-2"), IsEmpty());
    EXPECT_THAT(claim("node-1"), IsEmpty());
    insert(JobPlace::executable, a_job("z").build());
    EXPECT_THAT(ids_of(claim("node-2")), ElementsAre("z"));
}

// An id that was drawn early and committed late.
TEST_P(Claims, What_came_late_among_them_is_found_by_a_look_from_the_start) {
    (void)insert_and_claim(3);
    insert(JobPlace::executable, std::vector<Job>{a_job("j000a"), a_job("a")});
    EXPECT_THAT(claim("node-2", "a"), IsEmpty()) << "behind all claims there is nothing";
    EXPECT_THAT(ids_of(claim("node-2")), ElementsAre("a", "j000a"));
}

TEST_P(Claims, Done_is_deleted_and_the_last_one_takes_the_claim_along) {
    std::vector<Job> jobs = insert_and_claim(3);
    const Job last = jobs.back();
    jobs.pop_back();
    EXPECT_THAT(complete(jobs), Each(OutcomeAnswer::done));
    EXPECT_EQ(count_rows("ACT_RU_JOB"), 1);
    EXPECT_EQ(count_claims(), 1);
    EXPECT_THAT(complete({last}), Each(OutcomeAnswer::done));
    EXPECT_EQ(count_claims(), 0);
}

TEST_P(Claims, Two_that_write_the_last_outcomes_at_once_take_the_claim_along) {
    Node other(*database_, faults_);
    for (int round = 0; round < 20; ++round) {
        const std::vector<Job> jobs = insert_and_claim(40);
        std::vector<Outcome> half;
        std::ranges::transform(
            std::span(jobs).first(20), std::back_inserter(half), completed_outcome
        );
        auto beside = std::async(std::launch::async, [&] {
            return other.store().executor().apply("node-1", half);
        });
        EXPECT_THAT(complete({jobs.begin() + 20, jobs.end()}), Each(OutcomeAnswer::done));
        EXPECT_THAT(beside.get(), Each(OutcomeAnswer::done));
        EXPECT_EQ(count_claims(), 0);
    }
}

TEST_P(Claims, A_failed_job_goes_its_way_and_the_others_theirs) {
    const std::vector<Job> jobs = insert_and_claim(3);
    const std::vector<Outcome> outcomes{
        completed_outcome(jobs[0]),
        failed_outcome(jobs[1], {.message = "no"}, clock_.now()),
        outcome_of(jobs[2], schema::released(jobs[2]))};
    EXPECT_THAT(store_.executor().apply("node-1", outcomes), Each(OutcomeAnswer::done));
    EXPECT_EQ(place_of("j000"), "nowhere");
    EXPECT_EQ(place_of("j001"), "timer");
    EXPECT_TRUE(job("j002").lock_owner.empty());
    EXPECT_EQ(count_claims(), 0);
}

// I5
TEST_P(Claims, What_is_released_is_free_at_once_under_another_revision) {
    const std::vector<Job> jobs = insert_and_claim(2);
    store_.executor().release("node-1", fences_of({jobs[0]}));
    const std::vector<Job> again = claim("node-2");
    EXPECT_THAT(ids_of(again), ElementsAre("j000"));
    EXPECT_EQ(again.at(0).revision, jobs[0].revision + 1);
    EXPECT_EQ(again.at(0).retries, jobs[0].retries);
    EXPECT_THAT(complete({jobs[0]}), ElementsAre(OutcomeAnswer::lost_lock));
    EXPECT_THAT(complete(again, "node-2"), ElementsAre(OutcomeAnswer::done));
}

TEST_P(Claims, Two_claims_may_name_a_job_and_the_later_one_holds_it) {
    const std::vector<Job> jobs = insert_and_claim(2);
    store_.executor().release("node-1", fences_of({jobs[1]}));
    const std::vector<Job> again = claim("node-2");
    EXPECT_THAT(ids_of(again), ElementsAre("j001"));
    EXPECT_EQ(count_claims(), 2);
    EXPECT_THAT(claim("node-3"), IsEmpty());
    EXPECT_EQ(job("j001").lock_owner, "node-2");
    EXPECT_THAT(complete(again, "node-2"), ElementsAre(OutcomeAnswer::done));
    EXPECT_THAT(complete({jobs[0]}), ElementsAre(OutcomeAnswer::done));
    EXPECT_EQ(count_claims(), 0);
}

// I3 I5
TEST_P(Claims, A_claim_that_is_over_is_reset_and_its_holder_writes_nothing_more) {
    const std::vector<Job> jobs = insert_and_claim(2);
    EXPECT_EQ(reset(), 0) << "it is not over";
    clock_.tick(6min);
    EXPECT_EQ(reset(), 2);
    EXPECT_EQ(count_claims(), 0);
    EXPECT_EQ(job("j000").lost_starts, 1);
    EXPECT_EQ(job("j000").retries, jobs[0].retries);
    EXPECT_THAT(complete(jobs), Each(OutcomeAnswer::lost_lock));
    EXPECT_THAT(store_.executor().not_held("node-1", fences_of(jobs)), ElementsAre("j000", "j001"));
    EXPECT_EQ(count_rows("ACT_RU_JOB"), 2);
    EXPECT_THAT(ids_of(claim("node-2")), ElementsAre("j000", "j001"));
}

TEST_P(Claims, A_job_that_takes_long_gets_a_lock_of_its_own_and_outlives_its_claim) {
    const std::vector<Job> jobs = insert_and_claim(2);
    const LockClaim longer{.owner = "node-1", .until = clock_.now() + 20min};
    EXPECT_THAT(store_.executor().extend_locks(longer, fences_of({jobs[0]})), IsEmpty());
    clock_.tick(6min);
    EXPECT_EQ(reset(), 1);
    EXPECT_EQ(job("j000").lock_expiration, longer.until);
    EXPECT_THAT(store_.executor().not_held("node-1", fences_of(jobs)), ElementsAre("j001"));
    EXPECT_THAT(complete(jobs), ElementsAre(OutcomeAnswer::done, OutcomeAnswer::lost_lock));
}

TEST_P(Claims, A_renewal_tells_what_is_lost) {
    const std::vector<Job> jobs = insert_and_claim(2);
    store_.executor().release("node-1", fences_of({jobs[1]}));
    const LockClaim longer{.owner = "node-1", .until = clock_.now() + 20min};
    EXPECT_THAT(store_.executor().extend_locks(longer, fences_of(jobs)), ElementsAre("j001"));
}

TEST_P(Claims, With_a_dead_node_go_its_claims) {
    const persistence::NodeIdentity dead{
        .node = "dead", .incarnation = "1", .locks = schema::LockGranularity::page};
    store_.nodes().register_node(dead, noop_, clock_.now(), clock_.now() + 10s);
    const std::vector<Job> jobs = insert_and_claim(2, "dead");
    clock_.tick(11s);
    EXPECT_THAT(store_.nodes().end_expired_leases(clock_.now()), ElementsAre("dead"));
    EXPECT_EQ(reset(), 2);
    EXPECT_THAT(complete(jobs, "dead"), Each(OutcomeAnswer::lost_lock));
}

TEST_P(Claims, What_regards_other_jobs_is_locked_by_the_row) {
    insert(
        JobPlace::executable,
        std::vector<Job>{a_job("a"), a_job("b").of_instance("i"), a_job("c").of_instance("i")}
    );
    const std::vector<Job> jobs = claim();
    EXPECT_THAT(ids_of(jobs), ElementsAre("a", "b", "c"));
    EXPECT_EQ(count_locked_rows(), 2);
    EXPECT_THAT(complete(jobs), Each(OutcomeAnswer::done));
    EXPECT_EQ(count_claims(), 0);
    EXPECT_EQ(count_rows("ACT_RU_JOB"), 0);
}

TEST_P(Claims, Few_jobs_are_locked_by_the_row) {
    insert(JobPlace::executable, many_jobs("j", 3));
    LockClaim claim = page_of("node-1");
    claim.pages_from = 4;
    EXPECT_THAT(store_.executor().acquire(claim, noop_, 100), SizeIs(3));
    EXPECT_EQ(count_locked_rows(), 3);
    EXPECT_EQ(count_claims(), 0);
}

TEST_P(Claims, What_is_suspended_is_not_claimed) {
    insert(JobPlace::executable, a_job("a").of_instance("i").not_exclusive().build());
    execute("INSERT INTO JS_SUSPENSION (SCOPE_, ID_) VALUES ('instance', 'i')");
    EXPECT_THAT(claim(), IsEmpty());
    EXPECT_EQ(place_of("a"), "suspended");
}

TEST_P(Claims, A_transactional_handler_ends_its_job) {
    const std::vector<Job> jobs = insert_and_claim(2);
    OutcomeAnswer answer = OutcomeAnswer::lost_lock;
    store_.enqueuer().in_transaction(
        [&](Transaction& transaction) {
            EXPECT_TRUE(
                store_.executor().is_held(transaction, "node-1", fences_of({jobs[0]}).front())
            );
            answer = store_.executor().apply(transaction, "node-1", completed_outcome(jobs[0]));
        },
        {}
    );
    EXPECT_EQ(answer, OutcomeAnswer::done);
    EXPECT_EQ(place_of("j000"), "nowhere");
}

TEST_P(Claims, A_producer_may_leave_the_revision_out) {
    insert(JobPlace::executable, a_job("a").build());
    execute("UPDATE ACT_RU_JOB SET REV_ = NULL");
    const std::vector<Job> jobs = claim();
    EXPECT_THAT(ids_of(jobs), ElementsAre("a"));
    EXPECT_THAT(claim("node-2"), IsEmpty());
    EXPECT_THAT(complete(jobs), ElementsAre(OutcomeAnswer::done));
}

// I9
TEST_P(Claims, A_lost_answer_is_found_out) {
    for (const FaultPoint lost : {FaultPoint::after_commit, FaultPoint::before_commit}) {
        const auto lose_answer = [&] {
            faults_.add({.point = lost, .kind = persistence::DbErrorKind::in_doubt});
        };
        insert(JobPlace::executable, many_jobs("j", 3));
        lose_answer();
        const std::vector<Job> jobs = claim();
        EXPECT_THAT(jobs, SizeIs(3));
        EXPECT_EQ(count_claims(), 1);
        lose_answer();
        store_.executor().release("node-1", fences_of({jobs[2]}));
        lose_answer();
        EXPECT_THAT(complete({jobs[0], jobs[1]}), Each(OutcomeAnswer::done));
        EXPECT_EQ(count_rows("ACT_RU_JOB"), 1);
        execute("DELETE FROM ACT_RU_JOB");
        execute("DELETE FROM JS_CLAIM");
    }
}

}  // namespace

}  // namespace jobstrand::test
