#pragma once

#include "executor/executor_settings.hpp"
#include "executor/loop/acquisition_pace.hpp"
#include "executor/loop/activity.hpp"
#include "executor/loop/backlog_cursor.hpp"
#include "executor/loop/job_intake.hpp"
#include "executor/loop/last_view.hpp"
#include "executor/loop/scan_start.hpp"
#include "executor/loop/together_share.hpp"
#include "executor/loop/wake_ups.hpp"
#include "persistence/executor_store.hpp"
#include "schema/clock.hpp"
#include "schema/histogram.hpp"

#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

namespace jobstrand::executor {

/// Takes executable jobs from the table, as many as the queue has room for: the oldest first, or in
/// another order. In a backlog each page begins behind the last one (see ScanStart, and
/// BacklogCursor for other orders).
///
/// One claim after the other leaves a server idle while this process reads what it took, and this
/// process while the server writes. So a second loop (beside()) takes pages in a backlog, as long
/// as there is room for one more than the first may take meanwhile.
///
/// Thread safety: run_once() belongs to the loop's strand, that of beside() to another one.
class JobAcquirer final : public Activity {
public:
    JobAcquirer(
        persistence::ExecutorStore& store,
        JobIntake& intake,
        const schema::Clock& clock,
        const WakeUps& wake_ups,
        const ExecutorSettings& settings,
        LastView* view = nullptr  ///< To which it tells what it sees while it is idle.
    );

    /// Call before the first pass: it shall look for recent jobs before it looks at all, because
    /// the database may keep millions of deleted rows in front of them.
    void search_first() { searches_ = !order_.is_any(); }

    [[nodiscard]] std::string_view name() const noexcept override { return "job acquisition"; }
    [[nodiscard]] schema::Duration run_once() override;

    /// Claims beside run_once() when it is woken (WakeUps::backlog_is_there). Only for jobs that
    /// are locked by the row, in no order but that of their ids, and not taken along: the second
    /// page would have jobs of the instances of the first one, which then run out of their order.
    [[nodiscard]] Activity& beside() { return beside_; }

    /// Since it began; from any thread. See ActivityCounts.
    [[nodiscard]] std::uint64_t claims() const { return claims_; }
    [[nodiscard]] std::uint64_t empty_claims() const { return empty_claims_; }
    [[nodiscard]] std::uint64_t claimed() const { return claimed_; }
    [[nodiscard]] const schema::DurationHistogram& times() const { return times_; }
    /// Returns the sizes of the claims that found jobs.
    [[nodiscard]] const schema::SizeHistogram& sizes() const { return sizes_; }

private:
    [[nodiscard]] schema::Duration take_beside();
    [[nodiscard]] persistence::LockClaim next_claim();
    void search_for_recent();
    [[nodiscard]] bool is_any_there();
    [[nodiscard]] bool is_any_there(const Look& look);
    [[nodiscard]] bool may_there_be_older(const Look& look) const;
    void
    leave_to_others(const Look& look, const std::string& first, const persistence::SeenRows& seen);
    void take_in(std::vector<schema::Job> jobs, schema::SteadyPoint locked_at);
    [[nodiscard]] std::vector<schema::Job> take_oldest(
        const persistence::LockClaim& claim,
        persistence::PageLimit limit,
        const Look& look
    );
    [[nodiscard]] std::vector<schema::Job>
    take_in_order(const persistence::LockClaim& claim, persistence::PageLimit limit);

    // Constant after construction.
    persistence::ExecutorStore& store_;
    JobIntake& intake_;
    const schema::Clock& clock_;
    const WakeUps& wake_ups_;
    const persistence::PageLimit page_;
    const schema::Duration queue_full_wait_;
    const schema::AcquisitionOrder order_;
    const std::size_t pages_from_;
    LastView* const view_;

    // Thread-safe.
    std::atomic<std::uint64_t> claims_{0};
    std::atomic<std::uint64_t> empty_claims_{0};
    std::atomic<std::uint64_t> claimed_{0};
    schema::DurationHistogram times_;
    schema::SizeHistogram sizes_;
    ScanStart oldest_;
    std::atomic<std::size_t> nodes_beside_{0};  ///< As a full look has seen them.

    // Touched only on the strand.
    bool searches_ = false;                          ///< See search_first().
    std::optional<schema::SteadyPoint> nodes_seen_;  ///< When nodes_beside_ was asked for.
    AcquisitionPace pace_;
    std::optional<TogetherShare> together_;  ///< Where jobs of an instance are taken along.
    BacklogCursor<persistence::RangePositions> ranges_;

    NamedPass beside_{"second job acquisition", [this] { return take_beside(); }};
};

}  // namespace jobstrand::executor
