#include "timers/due_start.hpp"

#include "executor/loop/scan_start.hpp"

#include <algorithm>

namespace jobstrand::timers {

DueLook DueStart::begin() const {
    const std::lock_guard lock(mutex_);
    return {.from = from_, .round = round_, .start = start_};
}

std::optional<DueLook> DueStart::begin_beside() const {
    const std::lock_guard lock(mutex_);
    if (!from_) {
        return std::nullopt;
    }
    return DueLook{.from = from_, .round = round_, .start = start_, .is_beside = true};
}

void DueStart::found(const DueLook& look, schema::TimePoint end, schema::TimePoint now) {
    const std::lock_guard lock(mutex_);
    if (look.start == start_) {
        round_ = round_.value_or(now);
        from_ = std::max(from_, std::optional(end));
    }
}

void DueStart::ended(
    const DueLook& look,
    std::optional<schema::TimePoint> end,
    schema::TimePoint now
) {
    if (end) {
        found(look, *end, now);
    }
    if (look.is_beside) {
        return;
    }
    const std::lock_guard lock(mutex_);
    if (!end) {
        round_.reset();
    }
    if (!end || ++pages_ == executor::kPagesFromTheStart) {
        begin_at_the_oldest();
    }
}

void DueStart::failed() {
    const std::lock_guard lock(mutex_);
    begin_at_the_oldest();
}

void DueStart::stored(schema::TimePoint due) {
    const std::lock_guard lock(mutex_);
    if (from_ && due < *from_) {
        begin_at_the_oldest();
    }
}

void DueStart::begin_at_the_oldest() {
    from_.reset();
    pages_ = 0;
    ++start_;
}

}  // namespace jobstrand::timers
