#pragma once

#include "test/conformance/store_test.hpp"

namespace jobstrand::test {

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
        insert(JobPlace::executable, many_jobs("j", count));
        return claim(owner);
    }

    std::vector<OutcomeAnswer>
    complete(const std::vector<Job>& jobs, std::string_view owner = "node-1") {
        std::vector<Outcome> outcomes;
        for (const Job& job : jobs) {
            outcomes.push_back(completed_outcome(job));
        }
        return store_.executor().apply(owner, outcomes);
    }

    [[nodiscard]] std::int64_t count_claims() { return count_rows("JS_CLAIM WHERE ID_ > 0"); }

    /// Rows that have a lock owner.
    [[nodiscard]] std::int64_t count_locked_rows() {
        return count_rows("ACT_RU_JOB WHERE LOCK_OWNER_ IS NOT NULL");
    }

    std::int64_t reset() {
        return store_.executor()
            .reset_expired_locks(JobPlace::executable, {.now = clock_.now()})
            .freed;
    }
};

}  // namespace jobstrand::test
