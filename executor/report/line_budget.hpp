#pragma once

#include "schema/time.hpp"

#include <cstdint>
#include <optional>

namespace jobstrand::executor {

/// Which of many equal lines are written: the first few of each second. The others are counted, and
/// the count is said once. Pure.
class LineBudget final {
public:
    explicit LineBudget(int lines_a_second) : most_(lines_a_second) {}

    /// Another line is there: whether it is to be written.
    [[nodiscard]] bool allows(schema::SteadyPoint now);

    /// How many were left out since it was last asked, when their second is over; 0: none, or the
    /// second is not over yet.
    [[nodiscard]] std::int64_t take_left_out(schema::SteadyPoint now);

    /// When take_left_out() will have something to say; nullopt: nothing was left out.
    [[nodiscard]] std::optional<schema::SteadyPoint> next_count() const;

private:
    const int most_;
    std::optional<schema::SteadyPoint> second_;  ///< When it began.
    int written_ = 0;                            ///< In this second.
    std::int64_t left_out_ = 0;
};

}  // namespace jobstrand::executor
