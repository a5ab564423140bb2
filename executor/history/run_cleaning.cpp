#include "executor/history/run_cleaning.hpp"

#include <chrono>

namespace jobstrand::executor {

namespace {

/// Between two full pages.
constexpr schema::Duration kPause = std::chrono::milliseconds(50);

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
    return store_.clean_runs(bounds).is_more ? kPause : kCleanInterval;
}

}  // namespace jobstrand::executor
