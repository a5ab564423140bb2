#include "persistence/batch_store.hpp"
#include "persistence/sql/db_error.hpp"
#include "persistence/sql/sql_transaction.hpp"
#include "test/conformance/store_test.hpp"

#include <algorithm>
#include <future>
#include <iterator>
#include <set>
#include <span>

namespace jobstrand::test {

namespace {

using persistence::NodeIdentity;
using schema::LockGranularity;

/// Jobs that are claimed by the page.
class ClaimTest : public StoreTest {
protected:
    [[nodiscard]] LockClaim page_of(std::string_view owner) const {
        LockClaim claim = claim_of(owner);
        claim.pages_from = 1;
        return claim;
    }

    std::vector<Job> claim(std::string_view owner = "node-1", std::string_view after = {}) {
        return store_.executor().acquire(page_of(owner), noop_, 100, after);
    }

    /// Inserts plain jobs `j000`, `j001`, ... and claims them.
    std::vector<Job> insert_and_claim(std::size_t count, std::string_view owner = "node-1") {
        insert(many_jobs("j", count));
        return claim(owner);
    }

    std::vector<OutcomeAnswer>
    complete(const std::vector<Job>& jobs, std::string_view owner = "node-1") {
        std::vector<Outcome> outcomes;
        std::ranges::transform(jobs, std::back_inserter(outcomes), completed_outcome);
        return apply(outcomes, owner);
    }

    [[nodiscard]] std::int64_t count_claims() { return count_rows("JS_CLAIM WHERE ID_ > 0"); }

    /// Rows that have a lock owner.
    [[nodiscard]] std::int64_t count_locked_rows() {
        return count_rows("ACT_RU_JOB WHERE LOCK_OWNER_ IS NOT NULL");
    }
};

/// What a node does with pages of jobs (I1 to I5).
class Claims : public ClaimTest {};

ON_EVERY_DATABASE(Claims);

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
    insert(a_job("z"));
    EXPECT_THAT(ids_of(claim("node-2")), ElementsAre("z"));
}

// An id that was drawn early and committed late.
TEST_P(Claims, What_came_late_among_them_is_found_by_a_look_from_the_start) {
    (void)insert_and_claim(3);
    insert({a_job("j000a"), a_job("a")});
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
    EXPECT_THAT(
        apply(
            {completed_outcome(jobs[0]),
             failed_outcome(jobs[1]),
             outcome_of(jobs[2], schema::released(jobs[2]))}
        ),
        Each(OutcomeAnswer::done)
    );
    EXPECT_THAT(places_of({"j000", "j001"}), ElementsAre("nowhere", "timer"));
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
    EXPECT_EQ(reset_locks(), 0) << "it is not over";
    clock_.tick(6min);
    EXPECT_EQ(reset_locks(), 2);
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
    EXPECT_EQ(reset_locks(), 1);
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
    EXPECT_EQ(reset_locks(), 2);
    EXPECT_THAT(complete(jobs, "dead"), Each(OutcomeAnswer::lost_lock));
}

TEST_P(Claims, What_regards_other_jobs_is_locked_by_the_row) {
    insert({a_job("a"), a_job("b").of_instance("i"), a_job("c").of_instance("i")});
    const std::vector<Job> jobs = claim();
    EXPECT_THAT(ids_of(jobs), ElementsAre("a", "b", "c"));
    EXPECT_EQ(count_locked_rows(), 2);
    EXPECT_THAT(complete(jobs), Each(OutcomeAnswer::done));
    EXPECT_EQ(count_claims(), 0);
    EXPECT_EQ(count_rows("ACT_RU_JOB"), 0);
}

TEST_P(Claims, Few_jobs_are_locked_by_the_row) {
    insert(many_jobs("j", 3));
    LockClaim claim = page_of("node-1");
    claim.pages_from = 4;
    EXPECT_THAT(store_.executor().acquire(claim, noop_, 100), SizeIs(3));
    EXPECT_EQ(count_locked_rows(), 3);
    EXPECT_EQ(count_claims(), 0);
}

TEST_P(Claims, What_is_suspended_is_not_claimed) {
    insert(a_job("a").of_instance("i").not_exclusive());
    execute("INSERT INTO JS_SUSPENSION (SCOPE_, ID_) VALUES ('instance', 'i')");
    EXPECT_THAT(claim(), IsEmpty());
    EXPECT_EQ(place_of("a"), "suspended");
}

TEST_P(Claims, A_transactional_handler_ends_its_job) {
    const std::vector<Job> jobs = insert_and_claim(2);
    OutcomeAnswer answer = OutcomeAnswer::lost_lock;
    in_transaction([&](Transaction& transaction) {
        EXPECT_TRUE(store_.executor().is_held(transaction, "node-1", fences_of({jobs[0]}).front()));
        answer = store_.executor().apply(transaction, "node-1", completed_outcome(jobs[0]));
    });
    EXPECT_EQ(answer, OutcomeAnswer::done);
    EXPECT_EQ(place_of("j000"), "nowhere");
}

TEST_P(Claims, A_producer_may_leave_the_revision_out) {
    insert(a_job("a"));
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
            faults_.add({.point = lost, .kind = DbErrorKind::in_doubt});
        };
        insert(many_jobs("j", 3));
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

/// What everybody else does about jobs that a claim holds (I3).
class ClaimedJobsOfOthers : public ClaimTest {
protected:
    static NodeIdentity node(const std::string& name, LockGranularity locks) {
        return {.node = name, .incarnation = "1", .locks = locks};
    }

    void start(const NodeIdentity& node) {
        store_.nodes().register_node(node, noop_, clock_.now(), clock_.now() + 10s);
    }
};

ON_EVERY_DATABASE(ClaimedJobsOfOthers);

TEST_P(ClaimedJobsOfOthers, An_operator_sees_who_holds_them) {
    const Job held = insert_and_claim(2).front();
    EXPECT_EQ(job("j000"), held);
    EXPECT_EQ(job("j000").lock_owner, "node-1");
    EXPECT_EQ(store_.jobs().list(JobPlace::executable, {}, {}, 1).at(0).lock_owner, "node-1");
}

TEST_P(ClaimedJobsOfOthers, An_operator_neither_changes_nor_removes_nor_runs_them) {
    (void)insert_and_claim(2);
    insert(a_job("z"));
    const persistence::JobChanges changes{schema::set_to(&Job::retries, 9)};
    EXPECT_EQ(change(JobPlace::executable, "j000", changes), JobAnswer::locked);
    EXPECT_EQ(change(JobPlace::executable, "z", changes), JobAnswer::done);
    EXPECT_THAT(
        remove(JobPlace::executable, {"j001", "z"}), ElementsAre(JobAnswer::locked, JobAnswer::done)
    );
    const auto taken = acquire_one("j000", "by hand");
    EXPECT_EQ(taken.answer, JobAnswer::locked);
}

TEST_P(ClaimedJobsOfOthers, A_cancelled_one_is_taken_away_from_its_holder) {
    const std::vector<Job> jobs = insert_and_claim(2);
    const std::vector<std::string> ids{"j000"};
    EXPECT_THAT(
        store_.jobs().cancel(JobPlace::executable, ids, "enough", clock_.now()),
        ElementsAre(JobAnswer::done)
    );
    EXPECT_EQ(place_of("j000"), "dead");
    EXPECT_THAT(store_.executor().not_held("node-1", fences_of(jobs)), ElementsAre("j000"));
    EXPECT_THAT(complete(jobs), ElementsAre(OutcomeAnswer::lost_lock, OutcomeAnswer::done));
}

TEST_P(ClaimedJobsOfOthers, A_suspension_lets_them_finish) {
    insert(
        {a_job("a").of_instance("i").not_exclusive(), a_job("b").of_instance("i").not_exclusive()}
    );
    const std::vector<Job> jobs = claim();
    insert(a_job("c").of_instance("i").not_exclusive());
    EXPECT_EQ(suspend(SuspensionScope::instance, "i"), 1);
    EXPECT_THAT(places_of({"a", "c"}), ElementsAre("executable", "suspended"));
    EXPECT_THAT(complete(jobs), Each(OutcomeAnswer::done));
}

TEST_P(ClaimedJobsOfOthers, A_bulk_operation_leaves_them_alone) {
    const std::vector<Job> jobs = insert_and_claim(2);
    insert(a_job("z"));
    const schema::BatchOrder order{
        .operation = schema::BatchOperation::remove, .place = JobPlace::executable};
    const auto batch = store_.batches().create_batch({.order = order, .filter = {}}, clock_.now());
    const auto done = store_.batches().step_batch(batch.id, {.jobs = 100}, clock_.now());
    ASSERT_TRUE(done);
    EXPECT_EQ(done->done, 1);
    EXPECT_EQ(count_rows("ACT_RU_JOB"), 2);
    EXPECT_THAT(complete(jobs), Each(OutcomeAnswer::done));
}

TEST_P(ClaimedJobsOfOthers, All_living_nodes_lock_alike) {
    start(node("by-page", LockGranularity::page));
    start(node("by-page-2", LockGranularity::page));
    EXPECT_THROW(start(node("by-row", LockGranularity::row)), DbError);
    clock_.tick(11s);
    EXPECT_NO_THROW(start(node("by-row", LockGranularity::row)));
    EXPECT_THROW(start(node("by-page-3", LockGranularity::page)), DbError);
}

TEST_P(ClaimedJobsOfOthers, No_node_locks_rows_while_somebody_holds_a_page) {
    (void)insert_and_claim(2, "gone without a word");
    EXPECT_THROW(start(node("by-row", LockGranularity::row)), DbError);
    clock_.tick(6min);
    EXPECT_NO_THROW(start(node("by-row", LockGranularity::row)));
}

TEST_P(ClaimedJobsOfOthers, Nodes_that_claim_at_once_never_get_the_same_job) {
    constexpr std::size_t kJobs = 1000;
    insert(many_jobs("j", kJobs));
    std::vector<std::unique_ptr<Node>> nodes;
    std::vector<std::future<std::vector<Job>>> ends;
    for (int i = 0; i < 3; ++i) {
        nodes.push_back(std::make_unique<Node>(*database_, faults_));
        ends.push_back(std::async(std::launch::async, [this, i, &store = nodes.back()->store()] {
            const std::string owner = "node-" + std::to_string(i);
            std::vector<Job> all;
            std::string after;
            for (std::vector<Job> page;
                 !(page = store.executor().acquire(page_of(owner), noop_, 37, after)).empty();) {
                after = all.size() % 2 == 0 ? page.back().id : std::string();
                std::ranges::move(page, std::back_inserter(all));
            }
            return all;
        }));
    }
    std::set<std::string> ids;
    std::size_t count = 0;
    for (auto& end : ends) {
        for (const Job& job : end.get()) {
            ids.insert(job.id);
            ++count;
        }
    }
    EXPECT_EQ(count, ids.size()) << "no job was given to two";
    count += claim("the last").size();
    while (count < kJobs) {
        const std::size_t rest = claim("the last").size();
        ASSERT_GT(rest, 0U);
        count += rest;
    }
    EXPECT_EQ(count, kJobs);
}

}  // namespace

}  // namespace jobstrand::test
