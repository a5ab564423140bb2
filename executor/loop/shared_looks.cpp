#include "executor/loop/shared_looks.hpp"

namespace jobstrand::executor {

namespace {

/// An announcement comes at most as often, and each one is looked after.
constexpr std::chrono::milliseconds kBetweenViews{40};

}  // namespace

bool LastView::is_due(schema::SteadyPoint now) const {
    const std::lock_guard lock(mutex_);
    return !began_ || now - *began_ >= kBetweenViews;
}

void LastView::saw(const persistence::IdleView& view, schema::SteadyPoint began) {
    {
        const std::lock_guard lock(mutex_);
        view_ = view;
        began_ = began;
    }
    // Of the others whoever waits for them hears from the next view in time.
    if (view.next_due && *view.next_due <= view.at + kHolds) {
        wake_ups_.timer_was_stored(*view.next_due);
    }
}

std::optional<schema::Duration> LastView::none_of(Rows rows, schema::SteadyPoint now) const {
    const std::lock_guard lock(mutex_);
    return view_.*rows ? std::nullopt : age(now);
}

bool LastView::do_leases_last(schema::TimePoint until, schema::SteadyPoint now) const {
    const std::lock_guard lock(mutex_);
    return age(now) && view_.first_lease_end && *view_.first_lease_end >= until;
}

std::optional<LastView::NextDue>
LastView::next_due(schema::SteadyPoint news, schema::SteadyPoint now) const {
    const std::lock_guard lock(mutex_);
    const auto old = age(now);
    if (!old || !view_.are_timers_sound || *began_ <= news) {
        return std::nullopt;
    }
    return NextDue{.at = view_.at, .age = *old, .due = view_.next_due};
}

bool LastView::is_recent(schema::SteadyPoint now) const {
    const std::lock_guard lock(mutex_);
    return age(now).has_value();
}

std::optional<schema::Duration> LastView::age(schema::SteadyPoint now) const {
    if (!began_ || now - *began_ > kHolds) {
        return std::nullopt;
    }
    return std::chrono::ceil<schema::Duration>(now - *began_);
}

}  // namespace jobstrand::executor
