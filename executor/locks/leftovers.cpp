#include "executor/locks/leftovers.hpp"

namespace jobstrand::executor {

namespace {

/// How often it goes on among many keys, in an interval.
constexpr int kKeyPartsPerInterval = 10;

}  // namespace

schema::Duration Leftovers::run_once() {
    if (keys_behind_.empty() && groups_behind_.empty() && view_ != nullptr &&
        view_->none_of(&persistence::IdleView::has_leftovers, clock_.steady_now())) {
        return interval_;
    }
    const schema::TimePoint now = clock_.now();
    const bool goes_on = !keys_behind_.empty();
    keys_behind_ = store_.remove_expired_keys({.now = now, .after = keys_behind_}).end;
    if (!goes_on) {
        groups_behind_ = store_.forget_idle_groups(groups_behind_, now);
    }
    return keys_behind_.empty() ? interval_ : interval_ / kKeyPartsPerInterval;
}

}  // namespace jobstrand::executor
