#pragma once

#include "executor/loop/activity.hpp"
#include "persistence/history_store.hpp"
#include "persistence/run_store.hpp"
#include "schema/clock.hpp"
#include "schema/history/day_window.hpp"
#include "schema/history/history_rules.hpp"
#include "schema/served_scope.hpp"

#include <chrono>
#include <cstdint>
#include <string_view>

namespace jobstrand::executor {

/// Whether a node with this scope forgets anything (R055).
[[nodiscard]] bool
is_to_clean(const schema::HistoryRetention& retention, const schema::ServedScope& scope);

/// Forgets the past of jobs: lines of the job log that are too old or too many, and resolved
/// incidents that are too old. A pass removes at most a page of each, in a transaction of its own,
/// and leaves to other nodes what they are removing; as long as pages are full it goes on after a
/// breath, so that what jobs need comes first.
///
/// Thread safety: run_once() belongs to the loop's strand.
class HistoryCleaning final : public Activity {
public:
    /// Throws std::invalid_argument for times of the day that are none.
    HistoryCleaning(
        persistence::HistoryStore& store,
        const schema::Clock& clock,
        schema::HistoryRetention retention,
        schema::Duration interval = std::chrono::minutes(10)
    );

    [[nodiscard]] std::string_view name() const noexcept override { return "history cleaning"; }
    [[nodiscard]] schema::Duration run_once() override;

private:
    persistence::HistoryStore& store_;
    const schema::Clock& clock_;
    const schema::HistoryRetention retention_;
    const schema::Duration interval_;
    const schema::DayWindow window_;
};

/// Forgets the last runs that are too old or too many of their type, every minute and at any time
/// of the day, because some are written each second. It goes by pages, as HistoryCleaning does.
///
/// Thread safety: run_once() belongs to the loop's strand.
class RunCleaning final : public Activity {
public:
    RunCleaning(
        persistence::RunStore& store,
        const schema::Clock& clock,
        const schema::HistoryRetention& retention
    )
        : store_(store), clock_(clock), most_(retention.runs), age_(retention.runs_age) {}

    [[nodiscard]] std::string_view name() const noexcept override { return "last runs cleaning"; }
    [[nodiscard]] schema::Duration run_once() override;

private:
    persistence::RunStore& store_;
    const schema::Clock& clock_;
    const std::int64_t most_;
    const schema::Duration age_;
};

}  // namespace jobstrand::executor
