#pragma once

#include "schema/time.hpp"

#include <cstddef>
#include <cstdint>

namespace jobstrand::executor {

/// How fast an acquisition polls; pure. After a pass that found work it comes back at once; while
/// nothing is found the wait doubles from `first` to `idle_max` (R057, R058), with up to a tenth
/// less at random, so that nodes do not poll in step.
class AcquisitionPace final {
public:
    struct Limits {
        schema::Duration first{std::chrono::milliseconds(10)};
        schema::Duration idle_max{std::chrono::milliseconds(200)};
    };

    AcquisitionPace(Limits limits, std::uint32_t seed);

    /// `found` jobs in the last pass. Zero: it found work, go on at once.
    [[nodiscard]] schema::Duration next_wait(std::size_t found);

    /// Forgets the idle time: something was announced.
    void reset() { idle_wait_ = schema::Duration{0}; }

    [[nodiscard]] bool is_idle() const { return idle_wait_ > schema::Duration{0}; }

private:
    const Limits limits_;
    std::uint32_t random_;
    schema::Duration idle_wait_{0};
};

}  // namespace jobstrand::executor
