#pragma once

#include "schema/limit/job_limit.hpp"

#include <atomic>
#include <memory>
#include <mutex>
#include <utility>

namespace jobstrand::persistence {

/// The limits that this store goes by, as it has last read them. Thread safety: safe.
class LimitBook final {
public:
    [[nodiscard]] std::shared_ptr<const schema::JobLimits> current() const {
        if (!are_any_) {
            return none_;
        }
        const std::lock_guard lock(mutex_);
        return limits_;
    }

    /// Whether one of them counts such a job. Asked for each job that is taken: where there are no
    /// limits, it shares nothing with other threads.
    [[nodiscard]] bool meet(const schema::Job& job) const {
        return are_any_ && current()->meets(job);
    }

    void replace(schema::JobLimits limits) {
        const bool are_any = !limits.are_none();
        {
            const std::lock_guard lock(mutex_);
            limits_ = std::make_shared<const schema::JobLimits>(std::move(limits));
        }
        are_any_ = are_any;
    }

private:
    const std::shared_ptr<const schema::JobLimits> none_ =
        std::make_shared<const schema::JobLimits>();
    std::atomic<bool> are_any_{false};  ///< So that without limits nobody waits for the mutex.

    // Guarded by mutex_.
    mutable std::mutex mutex_;
    std::shared_ptr<const schema::JobLimits> limits_ = none_;
};

}  // namespace jobstrand::persistence
