#pragma once

#include "persistence/timer_store.hpp"

#include <gmock/gmock.h>

#include <optional>

namespace jobstrand::test {

class MockTimerStore : public persistence::TimerStore {
public:
    using Claim = std::optional<persistence::LockClaim>;
    using Served = persistence::ServedJobs;

    MOCK_METHOD(
        std::optional<schema::TimePoint>,
        next_due,
        (const Served&, std::optional<schema::TimePoint>),
        (override)
    );
    MOCK_METHOD(
        std::optional<schema::TimePoint>,
        next_due_of_others,
        (const Served&, std::optional<schema::TimePoint>, schema::TimePoint),
        (override)
    );
    MOCK_METHOD(
        persistence::DueTimers,
        move_due_timers,
        (persistence::DueWindow, persistence::PageLimit, const Claim&, const Served&),
        (override)
    );
};

}  // namespace jobstrand::test
