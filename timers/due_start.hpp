#pragma once

#include "schema/time.hpp"

#include <cstdint>
#include <mutex>
#include <optional>

namespace jobstrand::timers {

/// A look at the timers in the order of their due dates.
struct DueLook {
    std::optional<schema::TimePoint> from;   ///< Not due before; none: from the oldest.
    std::optional<schema::TimePoint> round;  ///< When its round began; none: it begins one.
    std::uint64_t start = 0;                 ///< How often it had begun at the oldest by then.
    bool is_beside = false;                  ///< Another one is going on.
};

/// Where the next page of due timers begins: in a backlog with the due date that the last one ended
/// with (see executor::BacklogCursor), else at the oldest.
///
/// A backlog is worked off in rounds: one takes what was due when it began, and none of the turns
/// that series make while it lasts. So each series that catches up gets one turn, and then it is
/// the turn of the others.
///
/// A second look may begin beside the first one. What one has found moves the other on before it is
/// moved; where the backlog ends, only the first one says.
///
/// Thread safety: safe.
class DueStart final {
public:
    /// The first look, of which one goes on at a time.
    [[nodiscard]] DueLook begin() const;

    /// nullopt: there is no backlog.
    [[nodiscard]] std::optional<DueLook> begin_beside() const;

    /// The look takes a full page, which ends with this due date.
    void found(const DueLook& look, schema::TimePoint end, schema::TimePoint now);

    /// The look took a page; `end` as in found(), none: it was not full.
    void ended(const DueLook& look, std::optional<schema::TimePoint> end, schema::TimePoint now);

    /// What the look found was not moved: the next one begins at the oldest.
    void failed();

    /// The earliest due date of those that were stored since.
    void stored(schema::TimePoint due);

private:
    void begin_at_the_oldest();

    // Guarded by mutex_.
    mutable std::mutex mutex_;
    std::optional<schema::TimePoint> from_;
    std::optional<schema::TimePoint> round_;
    std::uint64_t start_ = 0;
    int pages_ = 0;  ///< Of the first one, since it began at the oldest.
};

}  // namespace jobstrand::timers
