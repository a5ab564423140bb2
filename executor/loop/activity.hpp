#pragma once

#include "schema/time.hpp"

#include <string_view>

namespace jobstrand::executor {

/// The answer of a pass that has nothing to do until somebody wakes its loop.
inline constexpr schema::Duration kUntilWoken = schema::Duration::max();

/// A background activity. One pass holds all of its logic; PollingLoop only repeats it, and tests
/// call it with a clock that they turn by hand.
class Activity {
public:
    virtual ~Activity() = default;

    /// Returns the name for log lines, such as "timer mover".
    [[nodiscard]] virtual std::string_view name() const noexcept = 0;

    /// Does one pass and returns how long to wait before the next one; zero: go on at once. Throws
    /// DbError when the database is in trouble: the loop logs it, waits, and calls again.
    [[nodiscard]] virtual schema::Duration run_once() = 0;
};

}  // namespace jobstrand::executor
