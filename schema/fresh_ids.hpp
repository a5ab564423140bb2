#pragma once

#include "schema/clock.hpp"
#include "schema/time.hpp"
#include "schema/uuid7.hpp"

#include <mutex>
#include <string>

namespace jobstrand::schema {

/// Ids of one node: of the jobs that it enqueues, and of what its store makes by itself, such as
/// next turns and long texts. They ascend together, so that whoever goes by ids goes by what came
/// first, whoever made it.
///
/// Thread safety: safe. The clock must outlive it.
class FreshIds final {
public:
    explicit FreshIds(const Clock& clock = machine_clock()) : clock_(clock) {}

    [[nodiscard]] std::string next() { return next(clock_.now()); }

    [[nodiscard]] std::string next(TimePoint now) {
        const std::lock_guard lock(mutex_);
        return source_.next(now);
    }

private:
    const Clock& clock_;
    std::mutex mutex_;
    Uuid7Source source_;  ///< Guarded by mutex_.
};

}  // namespace jobstrand::schema
