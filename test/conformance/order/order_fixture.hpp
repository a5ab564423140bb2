#pragma once

#include "persistence/migration/table_changes.hpp"
#include "schema/acquisition.hpp"
#include "test/conformance/store_test.hpp"

#include <string>
#include <vector>

namespace jobstrand::test {

/// Jobs that are taken in an order, with the index that it needs.
class Orders : public StoreTest {
protected:
    // The tables of a server are those of the next test.
    void TearDown() override {
        if (GetParam().missing) {
            return;
        }
        for (const schema::OptionalIndex& index : schema::optional_indexes()) {
            (void)persistence::drop_index(*connection_, index);
        }
    }

    void use(const schema::AcquisitionOrder& order) {
        order_ = order;
        behind_.clear();
        (void)persistence::create_index(*connection_, schema::index_of(order));
    }

    /// An executable job that was created so long after the clock's start.
    void add(
        std::string id,
        schema::Duration created,
        std::optional<schema::Duration> due = {},
        std::int64_t priority = 0
    ) {
        Job job = a_job(std::move(id)).with_priority(priority);
        job.create_time = start_ + created;
        if (due) {
            job.due_date = start_ + *due;
        }
        insert(JobPlace::executable, std::move(job));
    }

    /// The next page, behind the last one.
    [[nodiscard]] std::vector<Job>
    take_jobs(std::size_t limit, const persistence::ServedJobs& served) {
        std::vector<Job> jobs =
            store_.executor().acquire_in_order(claim_of("node-1"), served, order_, limit, behind_);
        for (const Job& job : jobs) {
            behind_[persistence::range_of(order_, job)] = persistence::position_of(job);
        }
        return jobs;
    }

    [[nodiscard]] std::vector<std::string> take(std::size_t limit = 100) {
        return ids_of(take_jobs(limit, noop_));
    }

    const schema::TimePoint start_ = clock_.now();
    schema::AcquisitionOrder order_;
    persistence::RangePositions behind_;
};

}  // namespace jobstrand::test
