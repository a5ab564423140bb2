#pragma once

#include "executor/loop/activity.hpp"
#include "persistence/run_store.hpp"
#include "schema/clock.hpp"
#include "schema/history/history_retention.hpp"

#include <cstdint>
#include <string_view>

namespace jobstrand::executor {

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
