#pragma once

#include "persistence/rows/store_context.hpp"
#include "persistence/sql/connection.hpp"
#include "persistence/sql/sql_transaction.hpp"
#include "persistence/timer_store.hpp"
#include "schema/job.hpp"
#include "schema/time.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace jobstrand::persistence {

/// The context must outlive it.
class SqlTimerStore final : public TimerStore {
public:
    explicit SqlTimerStore(const StoreContext& context) : context_(context) {}

    [[nodiscard]] std::optional<schema::TimePoint>
    next_due(const ServedJobs& served, std::optional<schema::TimePoint> from = {}) override;
    [[nodiscard]] std::optional<schema::TimePoint> next_due_of_others(
        const ServedJobs& served,
        std::optional<schema::TimePoint> from,
        schema::TimePoint until
    ) override;
    [[nodiscard]] DueTimers move_due_timers(
        DueWindow window,
        PageLimit limit,
        const std::optional<LockClaim>& claim,
        const ServedJobs& served
    ) override;

private:
    const StoreContext& context_;
};

/// The earliest due date as it stands there.
struct FirstDue {
    std::optional<schema::TimePoint> time = {};  ///< nullopt: none, or one that cannot be read.
    bool is_odd = false;  ///< It cannot be read, or may sort elsewhere than where its time belongs.
};

[[nodiscard]] FirstDue first_due_in(const Row& row, std::size_t column, const Dialect& dialect);

/// Writes those of the timers that are due after `until`, and takes them out of the list. Returns
/// how many. The rows were read for update.
///
/// Where times are texts, a due date in another form than ours may stand earlier or later in the
/// order of the index than its time belongs. Stored in our form, it stands where it belongs.
std::size_t
store_anew(Transaction& transaction, std::vector<schema::Job>& timers, schema::TimePoint until);

}  // namespace jobstrand::persistence
