#include "tools/service/metrics/backlog.hpp"

#include "deadletter/causes/cause_tally.hpp"

#include <algorithm>
#include <utility>

namespace jobstrand::service {

std::optional<BacklogCounts> Backlog::last() const {
    const std::scoped_lock lock(mutex_);
    return last_;
}

std::vector<deadletter::PlaceCount> Backlog::last_places() const {
    const std::scoped_lock lock(mutex_);
    if (!last_ || now_() - looked_ > kOfUse) {
        return {};
    }
    std::vector<deadletter::PlaceCount> places = last_->jobs;
    for (deadletter::PlaceCount& place : places) {
        place.as_of = last_->seen;
    }
    return places;
}

bool Backlog::wants_a_look(int rest) {
    const std::scoped_lock lock(mutex_);
    const schema::SteadyPoint now = now_();
    if (is_looking_ || now < next_ || now < ended_ + rest * (ended_ - looked_)) {
        return false;
    }
    next_ = now + kFresh;
    return true;
}

void Backlog::look() {
    {
        const std::scoped_lock lock(mutex_);
        if (std::exchange(is_looking_, true)) {
            return;
        }
    }
    const schema::SteadyPoint began = now_();
    std::optional<BacklogCounts> seen;
    const auto keep = [&] {
        const schema::SteadyPoint ended = now_();
        const std::scoped_lock lock(mutex_);
        last_ = std::move(seen);
        looked_ = began;
        ended_ = ended;
        next_ = ended + kFresh;
        is_looking_ = false;
    };
    try {
        seen = count();
    } catch (...) {
        keep();
        throw;
    }
    keep();
}

BacklogCounts Backlog::count() {
    const schema::TimePoint now = engine_.clock().now();
    const std::optional<schema::TimePoint> due =
        engine_.timer_store().next_due({engine_.handlers().types()});
    persistence::WatchStore& store = engine_.watch_store();
    std::array<std::int64_t, kAhead.size()> timers_due{};
    std::ranges::transform(kAhead, timers_due.begin(), [&](std::chrono::minutes ahead) {
        return store.count_due(now + ahead, kMostCounted);
    });
    return {
        .jobs = deadletter::JobSearch(engine_.store()).count_places(),
        .open_incidents = engine_.history_store().count_open_incidents(),
        .executable_wait = wait_in(schema::JobPlace::executable, now),
        .external_wait = wait_in(schema::JobPlace::external_worker, now),
        .timer_overdue = due ? std::max(now - *due, schema::Duration{0}) : schema::Duration{0},
        .timers_due = timers_due,
        .waiting_jobs = store.count_waiting(kMostCounted),
        .executable_types = store.free_by_type(schema::JobPlace::executable, kRowsRead, kTypesTold),
        .external_types =
            store.free_by_type(schema::JobPlace::external_worker, kRowsRead, kTypesTold),
        .dead_letters = deadletter::latest_causes(engine_.store(), kLettersRead),
        .symptoms = engine_.symptoms(),
        .seen = now,
    };
}

/// Ids ascend with time, so the first free one is the oldest, or nearly.
schema::Duration Backlog::wait_in(schema::JobPlace place, schema::TimePoint now) {
    const auto first = engine_.store().list(place, {.locked = false}, {}, 1);
    if (first.empty()) {
        return schema::Duration{0};
    }
    const schema::TimePoint since =
        first.front().due_date.value_or(first.front().create_time.value_or(now));
    return std::max(now - since, schema::Duration{0});
}

}  // namespace jobstrand::service
