#pragma once

#include "schema/time.hpp"

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace jobstrand::persistence {

/// When each of several jobs is due.
class DueDates final {
public:
    /// All jobs are due at once.
    DueDates() = default;

    // Implicit on purpose: mostly all are due at the same time.
    DueDates(std::optional<schema::TimePoint> of_all) : of_all_(of_all) {}
    DueDates(std::nullopt_t) {}
    DueDates(schema::TimePoint of_all) : of_all_(of_all) {}

    /// Each job has its own, in the order in which the jobs are named.
    explicit DueDates(std::vector<schema::TimePoint> of_each) : of_each_(std::move(of_each)) {}

    /// Returns the due date of the job with this index, which must exist if each has its own.
    [[nodiscard]] std::optional<schema::TimePoint> of(std::size_t index) const {
        return of_each_.empty() ? of_all_ : std::optional(of_each_.at(index));
    }

    /// What all have; nullopt: at once, or each has its own.
    [[nodiscard]] std::optional<schema::TimePoint> of_all() const { return of_all_; }

private:
    std::optional<schema::TimePoint> of_all_ = {};
    std::vector<schema::TimePoint> of_each_ = {};
};

}  // namespace jobstrand::persistence
