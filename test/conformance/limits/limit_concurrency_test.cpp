#include "persistence/limits/limit_slots.hpp"
#include "test/conformance/store_test.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <iterator>

namespace jobstrand::test {

namespace {

constexpr std::size_t kJobsToRun = 300;
constexpr int kAtOnce = 5;

/// Four nodes that take limited jobs at the same time, and clean up behind each other.
class LimitConcurrency : public StoreTest {
protected:
    LimitConcurrency() {
        schema::JobLimit limit = schema::limit_named("type:noop");
        limit.concurrent = kAtOnce;
        store_.limits().set_limit(limit);
        for (int i = 0; i < 4; ++i) {
            nodes_.push_back(std::make_unique<Node>(*database_, faults_));
            nodes_.back()->store().executor().refresh_limits();
        }
    }

    /// From when a job is locked to before its outcome is written.
    void run(persistence::SqlStore& store, const std::string& node, const std::vector<Job>& jobs) {
        const int size = static_cast<int>(jobs.size());
        const int now = running_ += size;
        EXPECT_LE(now, kAtOnce);
        std::vector<Outcome> outcomes;
        std::ranges::transform(jobs, std::back_inserter(outcomes), completed_outcome);
        running_ -= size;
        for (const OutcomeAnswer answer : store.executor().apply(node, outcomes)) {
            EXPECT_EQ(answer, OutcomeAnswer::done);
            ++completed_;
        }
    }

    std::vector<std::unique_ptr<Node>> nodes_;
    std::atomic<int> running_{0};
    std::atomic<std::size_t> completed_{0};
};

INSTANTIATE_TEST_SUITE_P(
    OnEveryDatabase,
    LimitConcurrency,
    testing::ValuesIn(databases_under_test()),
    name_of_database
);

// B7: exact, and nothing that waits is forgotten.
TEST_P(LimitConcurrency, A_limit_is_never_exceeded_and_all_run_in_the_end) {
    insert(JobPlace::executable, many_jobs("j", kJobsToRun));
    std::vector<std::future<void>> ends;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        ends.push_back(std::async(std::launch::async, [this, i] {
            const std::string node = fmt::format("node-{}", i);
            persistence::SqlStore& store = nodes_[i]->store();
            while (completed_ < kJobsToRun && !HasFailure()) {
                const LockClaim claim = claim_of(node);
                EXPECT_EQ(store.executor().forget_idle_groups({}, clock_.now()), "");
                if (const auto fresh = store.executor().acquire(claim, noop_, 7 + i);
                    !fresh.empty()) {
                    run(store, node, fresh);
                }
                if (const auto next = store.executor().acquire_limited(claim, noop_, 3);
                    !next.jobs.empty()) {
                    run(store, node, next.jobs);
                }
            }
        }));
    }
    for (std::future<void>& end : ends) {
        end.get();
    }
    EXPECT_EQ(completed_, kJobsToRun);
    EXPECT_EQ(count_rows("ACT_RU_JOB"), 0);
    EXPECT_EQ(count_rows("JS_LIMIT_WAITING"), 0);
    EXPECT_LE(count_rows("JS_SLOT"), kAtOnce);
}

TEST_P(LimitConcurrency, A_claim_waits_while_another_node_counts_the_same_group) {
    insert(JobPlace::executable, many_jobs("j", 2));
    ASSERT_EQ(nodes_[0]->store().executor().acquire(claim_of("node-0"), noop_, 1).size(), 1U);
    Transaction counting(*connection_);
    const std::vector<std::string_view> group{"type:noop"};
    (void)persistence::lock_limited(counting, group);
    auto claimed = std::async(std::launch::async, [this] {
        return nodes_[1]->store().executor().acquire(claim_of("node-1"), noop_, 1);
    });
    EXPECT_EQ(claimed.wait_for(200ms), std::future_status::timeout);
    counting.commit();
    EXPECT_EQ(claimed.get().size(), 1U);
}

}  // namespace

}  // namespace jobstrand::test
