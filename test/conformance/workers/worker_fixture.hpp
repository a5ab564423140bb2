#pragma once

#include "persistence/worker_store.hpp"
#include "test/conformance/store_test.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::test {

using persistence::HeldJob;
using persistence::WorkerAnswer;
using persistence::WorkerOutcome;

[[nodiscard]] inline JobBuilder an_external_job(std::string id) {
    return a_job(std::move(id)).of_kind(schema::kExternalWorkerType).of_type("invoice");
}

/// Workers that take jobs of the topic "invoice" for five minutes.
class WorkerTest : public StoreTest {
protected:
    /// Inserts free external jobs.
    void give(const std::vector<Job>& jobs) { insert(JobPlace::external_worker, jobs); }

    [[nodiscard]] std::vector<Job> take(
        std::string_view worker = "w-1",
        std::size_t limit = 100,
        persistence::WantedJobs wanted = {}
    ) {
        if (wanted.topics.empty()) {
            wanted.topics = invoices_;
        }
        return store_.workers().acquire_external(claim_of(worker), wanted, limit, clock_.now());
    }

    /// The only job that there is to take.
    Job take_one(std::string_view worker = "w-1") {
        const std::vector<Job> taken = take(worker);
        EXPECT_EQ(taken.size(), 1U);
        return taken.empty() ? Job{} : taken.front();
    }

    std::vector<WorkerAnswer> finish(
        std::string_view worker,
        const std::vector<HeldJob>& jobs,
        const std::function<schema::Transition(const Job&)>& transition
    ) {
        std::vector<WorkerOutcome> outcomes;
        for (const HeldJob& job : jobs) {
            outcomes.push_back({.job = job, .transition = transition, .reads_payload = true});
        }
        return store_.workers().apply_external(worker, outcomes, clock_.now());
    }

    std::vector<WorkerAnswer> complete(std::string_view worker, const std::vector<HeldJob>& jobs) {
        return finish(worker, jobs, [](const Job& row) { return schema::completed(row); });
    }

    std::vector<WorkerAnswer>
    fail(std::string_view worker, const std::vector<HeldJob>& jobs, schema::JobFailure failure) {
        return finish(worker, jobs, [&](const Job& row) {
            return schema::failed(row, failure, {}, clock_.now());
        });
    }

    const std::vector<std::string> invoices_{"invoice"};
};

}  // namespace jobstrand::test
