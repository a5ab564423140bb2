#pragma once

#include "schema/time.hpp"

#include <cstddef>
#include <cstdint>

namespace jobstrand::executor {

/// How fast an acquisition polls; pure. After a pass that found work it comes back at once; while
/// nothing is found the wait grows from `first` to `idle_max` (R057, R058): it is a sixteenth of
/// the time that nothing has been found for, so a table with some traffic is looked at often and an
/// idle one seldom. Up to a tenth less at random keeps nodes from polling in step.
class AcquisitionPace final {
public:
    struct Limits {
        schema::Duration first{std::chrono::milliseconds(10)};
        schema::Duration idle_max{std::chrono::seconds(1)};
    };

    AcquisitionPace(Limits limits, std::uint32_t seed);

    /// `found` jobs in the last pass. Zero: it found work, go on at once.
    [[nodiscard]] schema::Duration next_wait(std::size_t found);

    /// Forgets the idle time: something was announced.
    void reset() { idle_time_ = schema::Duration{0}; }

    [[nodiscard]] bool is_idle() const { return idle_time_ > schema::Duration{0}; }

private:
    const Limits limits_;
    std::uint32_t random_;
    schema::Duration idle_time_{0};  ///< The waits since something was found.
};

}  // namespace jobstrand::executor
