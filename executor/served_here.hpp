#pragma once

#include "executor/job_handler.hpp"
#include "executor/loop/activity.hpp"
#include "executor/loop/scan_start.hpp"
#include "executor/loop/shared_looks.hpp"
#include "persistence/claim_request.hpp"
#include "persistence/node_store.hpp"
#include "schema/acquisition.hpp"
#include "schema/clock.hpp"
#include "schema/log.hpp"

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>

namespace jobstrand::executor {

/// Which jobs this node takes now (I7): those of its handlers, within its scope. Every look is a
/// whole that does not change any more.
///
/// Thread safety: safe.
class ServedHere final {
public:
    ServedHere(
        const HandlerRegistry& handlers,
        schema::ServedScope scope,
        persistence::Fetching fetching = {}
    );

    [[nodiscard]] std::shared_ptr<const persistence::ServedJobs> now() const;

    /// Handlers have come or gone.
    void look_at_handlers();

    void limit_to(schema::ServedScope scope);

    /// Nor those of these handler types, for now. false: they were left out already.
    bool leave_out(std::set<std::string> types);

private:
    void look(schema::ServedScope scope);

    const HandlerRegistry& handlers_;
    const persistence::Fetching fetching_;
    mutable std::mutex mutex_;
    std::shared_ptr<const persistence::ServedJobs> now_;  ///< Guarded by mutex_.
    std::set<std::string> left_out_;                      ///< Likewise.
};

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
