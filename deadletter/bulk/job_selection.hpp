#pragma once

#include "persistence/job_filter.hpp"

#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace jobstrand::deadletter {

/// Which jobs a bulk operation means: these, or all that match a filter. No ids mean no jobs, and
/// never all of them.
class JobSelection final {
public:
    [[nodiscard]] static JobSelection these(std::vector<std::string> ids) {
        JobSelection selection;
        selection.filter_.ids = std::move(ids);
        selection.is_by_id_ = true;
        return selection;
    }

    /// An empty filter matches every job.
    [[nodiscard]] static JobSelection matching(persistence::JobFilter filter) {
        JobSelection selection;
        selection.filter_ = std::move(filter);
        return selection;
    }

    [[nodiscard]] bool is_by_id() const { return is_by_id_; }
    [[nodiscard]] bool is_nothing() const { return is_by_id_ && filter_.ids.empty(); }
    [[nodiscard]] const std::vector<std::string>& ids() const { return filter_.ids; }

    /// What finds them in the store. Precondition: !is_nothing().
    [[nodiscard]] const persistence::JobFilter& filter() const { return filter_; }

private:
    JobSelection() = default;

    persistence::JobFilter filter_;
    bool is_by_id_ = false;
};

/// Selects the dead letters of one cause that match a filter. To find them, all that the filter
/// matches is read.
struct CauseSelection {
    std::string cause;  ///< id_of() of it.
    persistence::JobFilter filter = {};
};

/// Which dead letters an operation means: these, all that match a filter, or all of one cause.
using DeadSelection = std::variant<JobSelection, CauseSelection>;

}  // namespace jobstrand::deadletter
