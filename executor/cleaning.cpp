#include "executor/cleaning.hpp"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <utility>

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

namespace {

using persistence::JobLogBounds;

/// Between two full pages.
constexpr schema::Duration kBreath = std::chrono::milliseconds(50);

schema::DayWindow window_of(const schema::HistoryRetention& retention) {
    const auto window = schema::DayWindow::of(retention.window_start, retention.window_end);
    if (!window) {
        throw std::invalid_argument("the window of the history cleaning needs two times of a day");
    }
    return *window;
}

}  // namespace

bool is_to_clean(const schema::HistoryRetention& retention, const schema::ServedScope& scope) {
    return retention.is_enabled && schema::contains_priority(scope, retention.priority);
}

HistoryCleaning::HistoryCleaning(
    persistence::HistoryStore& store,
    const schema::Clock& clock,
    schema::HistoryRetention retention,
    schema::Duration interval
)
    : store_(store),
      clock_(clock),
      retention_(std::move(retention)),
      interval_(interval),
      window_(window_of(retention_)) {}

schema::Duration HistoryCleaning::run_once() {
    const schema::TimePoint now = clock_.now();
    if (!window_.contains(now)) {
        return std::min(window_.wait_at(now), interval_);  // The clock may be set meanwhile.
    }
    JobLogBounds bounds;
    if (retention_.age > schema::Duration{0}) {
        bounds.before = now - retention_.age;
    }
    const bool is_more_incidents = store_.clean_incidents(bounds).is_more;
    if (retention_.rows > 0) {
        bounds.rows = retention_.rows;
    }
    const bool is_more_lines = store_.clean_job_log(bounds).is_more;
    return is_more_incidents || is_more_lines ? kBreath : interval_;
}

namespace {

constexpr schema::Duration kCleanInterval = std::chrono::minutes(1);

}  // namespace

schema::Duration RunCleaning::run_once() {
    persistence::EndedRunBounds bounds;
    if (age_ > schema::Duration{0}) {
        bounds.before = clock_.now() - age_;
    }
    if (most_ > 0) {  // Others may keep some although this node keeps none.
        bounds.of_type = most_;
    }
    return store_.clean_runs(bounds).is_more ? kBreath : kCleanInterval;
}

}  // namespace jobstrand::executor
