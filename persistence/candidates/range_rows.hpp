#pragma once

#include "persistence/range_positions.hpp"
#include "persistence/rows/job_row.hpp"
#include "persistence/served_jobs.hpp"
#include "persistence/sql/id_lists.hpp"
#include "persistence/sql/sql_transaction.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace jobstrand::persistence {

/// Reads free jobs of ranges for update, in their order; those that another node is claiming right
/// now are passed over.
class RangeRows final {
public:
    RangeRows(
        Transaction& transaction,
        const ServedJobs& served,
        const schema::AcquisitionOrder& order
    );

    /// Appends up to `limit` rows of the range behind the position; nullptr: from its start.
    void
    append(JobRows& rows, const IndexRange& range, const RangePosition* behind, std::size_t limit);

    /// The first `most` tenants that have any jobs.
    [[nodiscard]] std::vector<std::string> tenants(std::int64_t most);

    /// The highest priority up to `highest` that any job has; nullopt: there is none.
    [[nodiscard]] std::optional<std::int64_t> next_priority(std::int64_t highest);

private:
    struct Condition;

    [[nodiscard]] Condition condition_of(const IndexRange& range, const RangePosition* behind)
        const;

    Transaction& transaction_;
    const bool is_by_priority_;
    const std::string by_order_;  ///< Makes the database take the index.
    const BoundStatement served_;
};

/// One range, read ahead.
class RangeReader final {
public:
    /// It goes on behind its position, if it has one.
    RangeReader(IndexRange range, const RangePositions& positions);

    /// Whether there is a job, which may ask the database for up to `ahead` of them. What cannot be
    /// read goes to `page`.
    [[nodiscard]] bool has_next(RangeRows& source, std::size_t ahead, JobRows& page);

    /// Precondition for both: has_next() has said so.
    [[nodiscard]] const schema::Job& next() const { return waiting_.front(); }
    [[nodiscard]] schema::Job take_next();

private:
    void read(RangeRows& source, std::size_t ahead, JobRows& page);

    IndexRange range_;
    std::optional<RangePosition> position_;
    std::deque<schema::Job> waiting_;
    bool is_end_ = false;
};

}  // namespace jobstrand::persistence
