#pragma once

#include "executor/loop/activity.hpp"
#include "executor/loop/backlog_cursor.hpp"
#include "executor/loop/last_view.hpp"
#include "executor/loop/node_turns.hpp"
#include "persistence/served_store.hpp"
#include "schema/clock.hpp"
#include "schema/log.hpp"

#include <functional>
#include <map>
#include <utility>

namespace jobstrand::executor {

/// Says which jobs wait in vain because no living node takes them (I7): once per kind and hour.
/// Several nodes share the looks, as NodeTurns say. After a gap in this node's lease nothing is
/// said until all that live have theirs again.
///
/// Thread safety: run_once() belongs to the loop's strand.
class UnservedJobs final : public Activity {
public:
    UnservedJobs(
        persistence::ServedStore& store,
        const schema::Clock& clock,
        schema::Log& log,
        const LastView* view = nullptr,
        NodeTurns* turns = nullptr,
        std::function<bool()> sees_others = {}
    )
        : store_(store),
          clock_(clock),
          log_(log),
          view_(view),
          turns_(turns),
          sees_others_(std::move(sees_others)) {}

    [[nodiscard]] std::string_view name() const noexcept override { return "unserved jobs"; }
    [[nodiscard]] schema::Duration run_once() override;

private:
    persistence::ServedStore& store_;
    const schema::Clock& clock_;
    schema::Log& log_;
    const LastView* const view_;
    NodeTurns* const turns_;                   ///< nullptr: there is no other node.
    const std::function<bool()> sees_others_;  ///< See NodeLease; empty: likewise.

    // Touched only on the strand.
    std::map<persistence::JobKind, schema::SteadyPoint> said_;  ///< And when.
    FullLooks looks_;
};

}  // namespace jobstrand::executor
