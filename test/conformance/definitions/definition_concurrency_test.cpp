#include "test/conformance/store_test.hpp"

#include <atomic>
#include <future>
#include <set>
#include <thread>

namespace jobstrand::test {

namespace {

using persistence::SuspensionScope;

/// Of the definition that is changed: every second one of the first, and all behind them.
constexpr std::size_t kMixed = 3000;
constexpr std::size_t kBehind = 1000;

/// A whole definition is changed while two nodes work on another one, in the same tables.
class DefinitionConcurrency : public StoreTest {
protected:
    DefinitionConcurrency() : one_(*database_, faults_), other_(*database_, faults_) {}

    void insert_jobs() {
        std::vector<Job> jobs = many_jobs("j", kMixed + kBehind);
        for (std::size_t i = 0; i < jobs.size(); ++i) {
            const bool is_meant = i >= kMixed || i % 2 == 0;
            jobs[i].process_definition_id = is_meant ? "shipping:3" : "billing:1";
            jobs[i].handler_type = is_meant ? "ship" : "noop";
            others_ += is_meant ? 0 : 1;
        }
        insert(JobPlace::executable, std::move(jobs));
    }

    /// Takes and completes jobs of the other definition until there are none.
    std::set<std::string> work(persistence::SqlStore& store, const std::string& node) {
        std::set<std::string> done;
        while (true) {
            const std::vector<Job> jobs = store.executor().acquire(claim_of(node), noop_, 50);
            if (jobs.empty() && !is_changing_) {
                return done;
            }
            std::vector<Outcome> outcomes;
            for (const Job& job : jobs) {
                outcomes.push_back(completed_outcome(job));
                EXPECT_TRUE(done.insert(job.id).second) << job.id << " ran twice";
            }
            (void)store.executor().apply(node, outcomes);
        }
    }

    std::int64_t cascade(std::int64_t priority) {
        std::int64_t changed = 0;
        std::optional<persistence::OverridePosition> position{std::in_place};
        while (position) {
            const auto step = store_.definitions().override_priorities(
                schema::job_definition_named("shipping:3"), priority, *position, clock_.now()
            );
            changed += step.changed;
            position = step.next;
        }
        return changed;
    }

    Node one_;
    Node other_;
    std::atomic<bool> is_changing_{true};
    std::size_t others_ = 0;
};

INSTANTIATE_TEST_SUITE_P(
    OnEveryDatabase,
    DefinitionConcurrency,
    testing::ValuesIn(databases_under_test()),
    name_of_database
);

// R026
TEST_P(DefinitionConcurrency, Cascade_and_suspension_lose_nothing_beside_nodes_at_work) {
    insert_jobs();
    const auto meant = static_cast<std::int64_t>(kMixed + kBehind - others_);
    auto first = std::async(std::launch::async, [this] { return work(one_.store(), "node-1"); });
    auto second = std::async(std::launch::async, [this] { return work(other_.store(), "node-2"); });
    std::int64_t changed = cascade(-10);
    const std::int64_t moved =
        store_.jobs().suspend(SuspensionScope::definition, "shipping:3", clock_.now());
    const std::int64_t back =
        store_.jobs().activate(SuspensionScope::definition, "shipping:3", clock_.now());
    is_changing_ = false;
    std::set<std::string> done = first.get();
    done.merge(second.get());
    EXPECT_EQ(done.size(), others_);
    // What was passed over, because a claim was reading it, is met by the next one.
    changed += cascade(-10);
    EXPECT_EQ(changed, meant);
    EXPECT_LE(moved, meant);
    EXPECT_EQ(moved, back);
    EXPECT_EQ(count_rows("ACT_RU_JOB"), meant);
}

}  // namespace

}  // namespace jobstrand::test
