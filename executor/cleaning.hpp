#pragma once

#include "executor/loop/activity.hpp"
#include "executor/loop/shared_looks.hpp"
#include "persistence/executor_store.hpp"
#include "persistence/history_store.hpp"
#include "persistence/run_store.hpp"
#include "schema/acquisition.hpp"
#include "schema/clock.hpp"
#include "schema/job_events.hpp"
#include "schema/text/time_text.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace jobstrand::executor {

inline constexpr schema::Duration kLeftoversInterval = std::chrono::seconds(10);

/// Deletes rows that hold nothing any more: unique keys whose period is over, and limited groups in
/// which nothing runs or waits. In an interval 5,000 keys and 200 groups are looked at; of more
/// keys, as many every tenth of it.
///
/// Thread safety: run_once() belongs to the loop's strand.
class Leftovers final : public Activity {
public:
    Leftovers(
        persistence::ExecutorStore& store,
        const schema::Clock& clock,
        schema::Duration interval = kLeftoversInterval,
        const LastView* view = nullptr
    )
        : store_(store), clock_(clock), interval_(interval), view_(view) {}

    [[nodiscard]] std::string_view name() const noexcept override { return "leftovers"; }
    [[nodiscard]] schema::Duration run_once() override;

private:
    // Constant after construction.
    persistence::ExecutorStore& store_;
    const schema::Clock& clock_;
    const schema::Duration interval_;
    const LastView* const view_;

    // Touched only on the strand: how far it has come. Empty: it begins anew.
    std::string keys_behind_;
    std::string groups_behind_;
};

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
