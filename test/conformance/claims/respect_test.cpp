#include "persistence/batch_store.hpp"
#include "persistence/sql/db_error.hpp"
#include "test/conformance/claims/claim_fixture.hpp"

#include <algorithm>
#include <future>
#include <set>

namespace jobstrand::test {

namespace {

using persistence::DbError;
using persistence::NodeIdentity;
using persistence::SuspensionScope;
using schema::LockGranularity;
using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

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

INSTANTIATE_TEST_SUITE_P(
    OnEveryDatabase,
    ClaimedJobsOfOthers,
    testing::ValuesIn(databases_under_test()),
    name_of_database
);

TEST_P(ClaimedJobsOfOthers, An_operator_sees_who_holds_them) {
    const Job held = insert_and_claim(2).front();
    EXPECT_EQ(job("j000"), held);
    EXPECT_EQ(job("j000").lock_owner, "node-1");
    EXPECT_EQ(store_.jobs().list(JobPlace::executable, {}, {}, 1).at(0).lock_owner, "node-1");
}

TEST_P(ClaimedJobsOfOthers, An_operator_neither_changes_nor_removes_nor_runs_them) {
    (void)insert_and_claim(2);
    insert(JobPlace::executable, a_job("z").build());
    const persistence::JobChanges changes{schema::set_to(&Job::retries, 9)};
    const auto change = [&](std::string_view id) {
        return store_.jobs().change(JobPlace::executable, id, changes, clock_.now());
    };
    EXPECT_EQ(change("j000"), JobAnswer::locked);
    EXPECT_EQ(change("z"), JobAnswer::done);
    const std::vector<std::string> ids{"j001", "z"};
    EXPECT_THAT(
        store_.jobs().remove(JobPlace::executable, ids, clock_.now()),
        ElementsAre(JobAnswer::locked, JobAnswer::done)
    );
    const auto taken = store_.executor().acquire_one("j000", claim_of("by hand"), clock_.now());
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
        JobPlace::executable,
        std::vector<Job>{
            a_job("a").of_instance("i").not_exclusive(),
            a_job("b").of_instance("i").not_exclusive()}
    );
    const std::vector<Job> jobs = claim();
    insert(JobPlace::executable, a_job("c").of_instance("i").not_exclusive().build());
    EXPECT_EQ(store_.jobs().suspend(SuspensionScope::instance, "i", clock_.now()), 1);
    EXPECT_EQ(place_of("a"), "executable");
    EXPECT_EQ(place_of("c"), "suspended");
    EXPECT_THAT(complete(jobs), Each(OutcomeAnswer::done));
}

TEST_P(ClaimedJobsOfOthers, A_bulk_operation_leaves_them_alone) {
    const std::vector<Job> jobs = insert_and_claim(2);
    insert(JobPlace::executable, a_job("z").build());
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
    insert(JobPlace::executable, many_jobs("j", kJobs));
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
