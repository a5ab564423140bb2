#pragma once

#include "schema/clock.hpp"

namespace jobstrand::test_kit {

/// A clock that stands until it is turned. Both its times go forward together.
///
/// Thread safety: none needed: all runs in the thread of the test.
class ManualClock final : public schema::Clock {
public:
    explicit ManualClock(schema::TimePoint start) : now_(start) {}

    [[nodiscard]] schema::TimePoint now() const override { return now_; }
    [[nodiscard]] schema::SteadyPoint steady_now() const override { return steady_; }

    void advance(schema::Duration by) {
        now_ += by;
        steady_ += by;
    }

private:
    schema::TimePoint now_;
    schema::SteadyPoint steady_{};
};

}  // namespace jobstrand::test_kit
