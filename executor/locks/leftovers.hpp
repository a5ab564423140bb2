#pragma once

#include "executor/loop/activity.hpp"
#include "executor/loop/last_view.hpp"
#include "persistence/executor_store.hpp"
#include "schema/clock.hpp"

#include <chrono>
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

}  // namespace jobstrand::executor
