#pragma once

#include "schema/time.hpp"

#include <chrono>
#include <cstddef>
#include <optional>

namespace jobstrand::executor {

/// How many jobs workers start soon, from how long the last runs have taken. Pure.
///
/// A node that holds more than that keeps jobs from nodes that are idle, and keeps an important job
/// waiting behind what it holds already; one that holds less lets its workers wait for the
/// database.
class RunForecast final {
public:
    /// `ahead`: what counts as soon.
    explicit RunForecast(schema::Duration ahead) : ahead_(ahead) {}

    void ended(std::chrono::nanoseconds run);

    /// Runs that go on have taken that long already.
    void takes_at_least(std::chrono::nanoseconds run);

    /// Whether any run has ended yet.
    [[nodiscard]] bool is_known() const { return mean_.has_value(); }

    /// Jobs that so many workers begin and end within the time ahead; 0: runs are longer than that,
    /// or nobody knows yet.
    [[nodiscard]] std::size_t starts(std::size_t workers) const;

private:
    const schema::Duration ahead_;
    std::optional<std::chrono::nanoseconds> mean_;  ///< Of the last runs, mostly.
};

}  // namespace jobstrand::executor
