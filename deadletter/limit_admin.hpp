#pragma once

#include "deadletter/bulk_change.hpp"
#include "persistence/limit_store.hpp"
#include "schema/job.hpp"

#include <string>
#include <vector>

namespace jobstrand::deadletter {

/// What goes on within a limit.
struct LimitSummary {
    schema::JobLimit limit;
    std::int64_t running = 0;  ///< Jobs; with a limit of each value, of all values together.
    std::int64_t waiting = 0;
};

/// What an operator does with limits. Nodes hear of it within a third of their lease time.
///
/// Thread safety: as that of the store, which must outlive it. All of it throws DbError.
class LimitAdmin final {
public:
    explicit LimitAdmin(persistence::LimitStore& store) : store_(store) {}

    /// Lists the limits in the order of their names.
    [[nodiscard]] std::vector<LimitSummary> list();

    /// New, or with other numbers. Throws std::invalid_argument, one sentence that says what is
    /// wrong with it.
    void set(const schema::JobLimit& limit);

    /// What waits for them runs.
    void remove(const std::vector<std::string>& names, const BulkWatch& watch);

    /// The names of the groups in which a job waits for room, or would have to; empty: it does not
    /// wait for a limit.
    [[nodiscard]] std::vector<std::string> awaited_by(const schema::Job& job);

private:
    persistence::LimitStore& store_;
};

}  // namespace jobstrand::deadletter
