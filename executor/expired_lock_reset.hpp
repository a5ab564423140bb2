#pragma once

#include "executor/loop/activity.hpp"
#include "executor/loop/clock_comparison.hpp"
#include "executor/loop/scan_start.hpp"
#include "executor/loop/shared_looks.hpp"
#include "executor/loop/wake_ups.hpp"
#include "persistence/executor_store.hpp"
#include "schema/clock.hpp"
#include "schema/log.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

namespace jobstrand::executor {

/// Frees the locks of nodes that died, on all tables, page by page (R175, R176). Uses no retry
/// (I5).
///
/// Every interval it looks at the first 20,000 rows of each table, where claims are. In a longer
/// table a sweep goes through the rest, as many rows every tenth of the interval: by default ten
/// million rows take eight minutes. So a pass costs the same however long the tables are. Nor does
/// it depend on how many deleted rows the database keeps: it begins with the first row that the
/// last one found, and with the very first again as FullLooks say. Several nodes share the looks
/// and the sweeps, as NodeTurns say.
///
/// After a jump of the clock, or while and after the database was away, locks of nodes that live
/// are expired. So nothing is freed until every node has noticed that and renewed its locks.
///
/// Thread safety: run_once() belongs to the loop's strand.
class ExpiredLockReset final : public Activity {
public:
    struct Timing {
        schema::Duration interval{std::chrono::seconds(10)};
        std::size_t page = 500;

        /// How long a lock holds: see ExecutorSettings.
        schema::Duration lock_time{std::chrono::seconds(30)};
    };

    struct Dependencies {
        persistence::ExecutorStore& store;
        const schema::Clock& clock;
        const WakeUps& wake_ups;
        schema::Log& log;
        const LastView* view = nullptr;
        NodeTurns* turns = nullptr;  ///< nullptr: there is no other node.
    };

    ExpiredLockReset(Dependencies dependencies, Timing timing)
        : use_(dependencies), timing_(timing) {}

    [[nodiscard]] std::string_view name() const noexcept override { return "expired lock reset"; }
    [[nodiscard]] schema::Duration run_once() override;

    /// How many locks since it began. From any thread.
    [[nodiscard]] std::uint64_t freed() const { return freed_; }

private:
    [[nodiscard]] bool is_my_turn() const;
    [[nodiscard]] schema::Duration between_parts() const;
    [[nodiscard]] bool is_waiting_after_jump();
    [[nodiscard]] bool is_waiting_after_outage();
    [[nodiscard]] schema::Duration until_there_may_be_any(schema::SteadyPoint now) const;
    [[nodiscard]] std::int64_t look_at_first_rows(schema::TimePoint now);
    [[nodiscard]] std::int64_t look_at_first_rows(schema::JobPlace place, schema::TimePoint now);
    [[nodiscard]] std::int64_t go_on_sweeping(schema::TimePoint now);

    // Constant after construction.
    const Dependencies use_;
    const Timing timing_;

    std::atomic<std::uint64_t> freed_{0};

    // Touched only on the strand.
    ClockJumps clock_jumps_;
    schema::SteadyPoint wait_until_ = schema::SteadyPoint::min();
    schema::SteadyPoint next_first_rows_ = schema::SteadyPoint::min();
    schema::SteadyPoint next_part_ = schema::SteadyPoint::min();  ///< Of a sweep.
    std::map<schema::JobPlace, std::string> swept_;               ///< How far in long tables.

    struct Head {
        std::string behind;  ///< Where its first rows stand; empty: at the very start.
        FullLooks full_looks;
    };
    std::map<schema::JobPlace, Head> heads_;
};

}  // namespace jobstrand::executor
