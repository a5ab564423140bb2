#pragma once

#include "schema/time.hpp"

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>

namespace jobstrand::service {

/// How fast what waits becomes more or less, as seen by somebody who looks again and again.
class BacklogTrend final {
public:
    /// What was seen before that does not count.
    static constexpr schema::Duration kWindow = std::chrono::minutes(1);

    /// Nothing is said of less.
    static constexpr schema::Duration kLeast = std::chrono::seconds(5);

    /// So many jobs waited then; a time that is not later than the last one counts for nothing.
    void note(schema::TimePoint time, std::int64_t jobs);

    /// By so many jobs it grows in a second, in tenths; negative: it shrinks. nullopt: nobody has
    /// looked for long enough.
    [[nodiscard]] std::optional<double> growth() const;

private:
    struct Seen {
        schema::TimePoint time;
        std::int64_t jobs = 0;
    };

    std::deque<Seen> seen_;
};

}  // namespace jobstrand::service
