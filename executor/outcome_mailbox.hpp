#pragma once

#include "executor/loop/wake_ups.hpp"
#include "executor/pool/held_jobs.hpp"
#include "persistence/outcome.hpp"

#include <cstddef>
#include <deque>
#include <mutex>
#include <vector>

namespace jobstrand::executor {

/// Where runs leave what became of them, until it is written. Whoever writes is woken (WakeUps):
/// the first when something lies here, the second when that fills a transaction.
///
/// Thread safety: safe.
class OutcomeMailbox final {
public:
    explicit OutcomeMailbox(const WakeUps& wake_ups) : wake_ups_(wake_ups) {}

    void add(persistence::Outcome outcome);

    /// Adds one that must not be written before those that were added so earlier: only take() gives
    /// it out.
    void add_in_order(persistence::Outcome outcome);

    /// Adds an outcome that another party has written already.
    void add_written(persistence::Outcome outcome);

    /// Its run has ended, and there is nothing to be written.
    void forget(HeldJobPtr held);

    /// Moves the oldest into `batch`, up to what a transaction takes; those of add_in_order()
    /// first. The caller writes one batch after the other.
    void take(std::vector<persistence::Outcome>& batch);

    /// Takes outcomes only if they fill a transaction. Another caller may write its own beside.
    void take_whole(std::vector<persistence::Outcome>& batch);

    /// What needs no writing any more.
    struct Ended {
        std::vector<persistence::Outcome> written;
        std::vector<HeldJobPtr> forgotten;
    };
    [[nodiscard]] Ended take_ended();

    /// Call when `count` taken outcomes are written.
    void were_written(std::size_t count);

    /// Whether nothing lies here that is to be written.
    [[nodiscard]] bool is_empty() const;

    /// Whether nothing is to be written, here or by those that took it.
    [[nodiscard]] bool is_all_written() const;

private:
    [[nodiscard]] std::size_t waiting() const { return in_order_.size() + waiting_.size(); }

    const WakeUps& wake_ups_;

    // Guarded by mutex_.
    mutable std::mutex mutex_;
    std::deque<persistence::Outcome> in_order_;
    std::deque<persistence::Outcome> waiting_;  ///< The others.
    Ended ended_;
    std::size_t unwritten_ = 0;  ///< Waiting, or being written.
};

}  // namespace jobstrand::executor
