#pragma once

#include "executor/executor_settings.hpp"
#include "executor/loop/activity.hpp"
#include "executor/loop/claim_line.hpp"
#include "executor/loop/job_intake.hpp"
#include "executor/loop/scan_start.hpp"
#include "executor/loop/shared_looks.hpp"
#include "executor/loop/wake_ups.hpp"
#include "persistence/executor_store.hpp"
#include "schema/clock.hpp"
#include "schema/histogram.hpp"
#include "schema/time.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace jobstrand::executor {

/// How fast an acquisition polls; pure. After a pass that found work it comes back at once; while
/// nothing is found the wait grows from `first` to `idle_max` (R057, R058): it is a sixteenth of
/// the time that nothing has been found for, so a table with some traffic is looked at often and an
/// idle one seldom. Up to a tenth less at random keeps nodes from polling in step.
class AcquisitionPace final {
public:
    struct Limits {
        schema::Duration first{std::chrono::milliseconds(10)};
        schema::Duration idle_max{std::chrono::seconds(1)};
    };

    AcquisitionPace(Limits limits, std::uint32_t seed);

    /// `found` jobs in the last pass. Zero: it found work, go on at once.
    [[nodiscard]] schema::Duration next_wait(std::size_t found);

    /// Forgets the idle time: something was announced.
    void reset() { idle_time_ = schema::Duration{0}; }

    [[nodiscard]] bool is_idle() const { return idle_time_ > schema::Duration{0}; }

private:
    const Limits limits_;
    std::uint32_t random_;
    schema::Duration idle_time_{0};  ///< The waits since something was found.
};

/// How much of a page is kept for the further jobs of the instances in it (R087), going by how many
/// the last pages found. The rest is read in order: with too few of those, workers would wait while
/// the jobs of few instances stand behind each other. Thread safety: safe.
class TogetherShare final {
public:
    /// At least `workers` jobs of a page are read in order.
    explicit TogetherShare(std::size_t workers) : workers_(workers) {}

    /// Returns how many places of a page of this size to keep for them.
    [[nodiscard]] std::size_t room_in(std::size_t page) const {
        const auto in_order = static_cast<std::size_t>(static_cast<double>(page) * share_);
        return page - std::max(in_order, std::min(page, workers_));
    }

    /// A page had so many jobs in order, and so many besides where there was room for so many.
    void taken(std::size_t in_order, std::size_t besides, std::size_t room) {
        if (in_order == 0 || room == 0) {
            return;
        }
        const double part = static_cast<double>(in_order) / static_cast<double>(in_order + besides);
        share_ = part * (besides < room ? kOfWhatFits : kWhenThereAreMore);
    }

private:
    /// What is left over shows whether there are more.
    static constexpr double kOfWhatFits = 7.0 / 8;
    static constexpr double kWhenThereAreMore = 1.0 / 2;

    const std::size_t workers_;
    std::atomic<double> share_{1.0 / 8};  ///< Of a page, read in order.
};

/// Takes executable jobs from the table, as many as the queue has room for: the oldest first, or in
/// another order. In a backlog each page begins behind the last one (see ScanStart, and
/// BacklogCursor for other orders).
///
/// One claim after the other leaves a server idle while this process reads what it took, and this
/// process while the server writes. So a second loop (add_beside()) takes pages in a backlog, as
/// long as there is room for one more than the first may take meanwhile.
///
/// Thread safety: run_once() belongs to the loop's strand, that of add_beside() to another one.
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

    /// Returns what claims beside run_once() when it is woken (WakeUps::backlog_is_there). Only for
    /// jobs that are locked by the row, in no order but that of their ids. Where those of an
    /// instance are taken along, the next page may have jobs of instances of this one: then each
    /// looks when the rows of the one before are locked, and hands over behind it (ClaimLine). Call
    /// once, before the first pass.
    [[nodiscard]] Activity& add_beside() {
        has_beside_ = true;
        return beside_;
    }

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
    /// nullopt: no claim waits for another.
    [[nodiscard]] std::optional<ClaimLine::Place> place_in_line();
    [[nodiscard]] std::vector<schema::Job> take_oldest(
        const persistence::LockClaim& claim,
        persistence::PageLimit limit,
        const Look& look,
        std::optional<ClaimLine::Place>& place
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
    bool has_beside_ = false;  ///< Constant after the first pass has begun.

    // Thread-safe.
    std::atomic<std::uint64_t> claims_{0};
    std::atomic<std::uint64_t> empty_claims_{0};
    std::atomic<std::uint64_t> claimed_{0};
    schema::DurationHistogram times_;
    schema::SizeHistogram sizes_;
    ScanStart oldest_;
    std::atomic<std::size_t> nodes_beside_{0};  ///< As a full look has seen them.
    std::optional<TogetherShare> together_;     ///< Where jobs of an instance are taken along.
    ClaimLine line_;

    // Touched only on the strand.
    bool searches_ = false;                          ///< See search_first().
    std::optional<schema::SteadyPoint> nodes_seen_;  ///< When nodes_beside_ was asked for.
    AcquisitionPace pace_;
    BacklogCursor<persistence::RangePositions> ranges_;

    NamedPass beside_{"second job acquisition", [this] { return take_beside(); }};
};

}  // namespace jobstrand::executor
