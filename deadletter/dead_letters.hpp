#pragma once

#include "persistence/job_desk.hpp"
#include "schema/clock.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace jobstrand::deadletter {

/// How far a bulk operation has come.
struct Progress {
    std::int64_t total = 0;  ///< Matching jobs when it began.
    std::int64_t done = 0;
    std::int64_t skipped = 0;  ///< Gone meanwhile: somebody else was faster.
};

/// Called after each transaction; false: stop here. What is done stays done.
using OnProgress = std::function<bool(const Progress&)>;

/// How dead letters come back to life.
struct Revival {
    int retries = 3;                            ///< New attempts, at least 1.
    std::optional<schema::TimePoint> due_date;  ///< Later than now: they wait as timers.
};

/// What an operator does with dead letters, in bulk: page by page in id order, each page one
/// transaction, so that an interrupted operation can simply be started again.
///
/// Throws DbError. Thread safety: safe. The store and the clock must outlive it.
class DeadLetters final {
public:
    DeadLetters(persistence::JobDesk& store, const schema::Clock& clock);

    Progress requeue(
        const persistence::JobFilter& filter,
        const Revival& revival,
        const OnProgress& on_progress
    );

    Progress remove(const persistence::JobFilter& filter, const OnProgress& on_progress);

private:
    using PageOperation =
        std::function<std::vector<persistence::JobAnswer>(const std::vector<std::string>& ids)>;

    Progress for_each_page(
        const persistence::JobFilter& filter,
        const PageOperation& operation,
        const OnProgress& on_progress
    );

    persistence::JobDesk& store_;
    const schema::Clock& clock_;
};

}  // namespace jobstrand::deadletter
