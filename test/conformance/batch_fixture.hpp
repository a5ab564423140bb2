#pragma once

#include "persistence/batch_store.hpp"
#include "test/conformance/store_test.hpp"

#include <string>
#include <utility>

namespace jobstrand::test {

using persistence::BatchStep;
using persistence::NewBatch;
using schema::Batch;
using schema::BatchOperation;
using schema::BatchOrder;
using schema::BatchState;

/// Bulk operations that are written down, carried out by hand, page by page.
class BatchTest : public StoreTest {
protected:
    /// Dead letters `dead000`, `dead001`, ... that died now.
    std::vector<Job> insert_dead(std::size_t count) {
        std::vector<Job> jobs = many_jobs("dead", count);
        for (Job& job : jobs) {
            job.failed_time = clock_.now();
            job.retries = 0;
        }
        return insert(JobPlace::dead_letter, std::move(jobs));
    }

    Batch begin(BatchOrder order, JobFilter filter = {}) {
        return batches_.create_batch(
            {.order = std::move(order), .filter = std::move(filter)}, clock_.now()
        );
    }
    Batch begin_requeue(JobFilter filter = {}) {
        return begin({.operation = BatchOperation::requeue, .retries = 3}, std::move(filter));
    }

    Batch step(const std::string& id, std::size_t jobs = 1'000) {
        return step(id, BatchStep{.jobs = jobs});
    }
    Batch step(const std::string& id, const BatchStep& step) {
        const auto batch = batches_.step_batch(id, step, clock_.now());
        EXPECT_TRUE(batch);
        return batch.value_or(Batch{});
    }

    /// Until it ends.
    Batch carry_out(const std::string& id, const BatchStep& by = {.jobs = 4}) {
        Batch batch = step(id, by);
        while (batch.state == BatchState::running) {
            batch = step(id, by);
        }
        return batch;
    }

    BatchState set_state(const std::string& id, BatchState state) {
        return batches_.set_batch_state(id, state, clock_.now()).value().state;
    }

    Batch found(const std::string& id) { return batches_.find_batch(id).value_or(Batch{}); }

    persistence::BatchStore& batches_ = store_.batches();
};

}  // namespace jobstrand::test
