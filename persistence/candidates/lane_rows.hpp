#pragma once

#include "persistence/lane_positions.hpp"
#include "persistence/rows/job_row.hpp"
#include "persistence/served_jobs.hpp"
#include "persistence/sql/id_lists.hpp"
#include "persistence/sql/transaction.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace jobstrand::persistence {

/// Reads free jobs of lanes for update, in their order; those that another node is claiming right
/// now are passed over.
class LaneRows final {
public:
    LaneRows(
        Transaction& transaction,
        const ServedJobs& served,
        const schema::AcquisitionOrder& order
    );

    /// Appends up to `limit` rows of the lane behind the position; nullptr: from its start.
    void append(JobRows& rows, const Lane& lane, const LanePosition* behind, std::size_t limit);

    /// The first `most` tenants that have any jobs.
    [[nodiscard]] std::vector<std::string> tenants(std::int64_t most);

    /// The highest priority up to `highest` that any job has; nullopt: there is none.
    [[nodiscard]] std::optional<std::int64_t> next_priority(std::int64_t highest);

private:
    struct Condition;

    [[nodiscard]] Condition condition_of(const Lane& lane, const LanePosition* behind) const;

    Transaction& transaction_;
    const bool is_by_priority_;
    const std::string by_order_;  ///< Makes the database take the index.
    const BoundStatement served_;
};

/// One lane, read ahead.
class LaneReader final {
public:
    /// It goes on behind its position, if it has one.
    LaneReader(Lane lane, const LanePositions& positions);

    /// Whether there is a job, which may ask the database for up to `ahead` of them. What cannot be
    /// read goes to `page`.
    [[nodiscard]] bool has_next(LaneRows& source, std::size_t ahead, JobRows& page);

    /// Precondition for both: has_next() has said so.
    [[nodiscard]] const schema::Job& next() const { return waiting_.front(); }
    [[nodiscard]] schema::Job take_next();

private:
    void read(LaneRows& source, std::size_t ahead, JobRows& page);

    Lane lane_;
    std::optional<LanePosition> position_;
    std::deque<schema::Job> waiting_;
    bool is_end_ = false;
};

}  // namespace jobstrand::persistence
