#pragma once

#include "executor/pool/held_jobs.hpp"
#include "schema/acquisition_order.hpp"

#include <cstddef>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <utility>
#include <vector>

namespace jobstrand::executor {

/// The jobs that wait for a worker, in the order in which they start. Pure.
///
/// A job that has lost starts is suspected to end its process. One whose next lost start would be
/// its last one starts alone: while no other suspected job runs, and none starts until it has
/// ended. So a job that ends its process takes no other with it into the dead letters.
class RunQueue final {
public:
    struct Rules {
        /// As in the table; else, and where it makes no difference, as they came.
        schema::AcquisitionOrder order = {};
        /// Job::lost_starts from which a job starts alone.
        int alone_from = std::numeric_limits<int>::max();
        /// Jobs that go before all those; empty: none. They meet a limit, and while they wait
        /// nobody uses their place.
        std::function<bool(const schema::Job&)> goes_first = {};
    };

    explicit RunQueue(Rules rules) : rules_(std::move(rules)) {}

    void push(HeldJobPtr job);

    /// Whether a job may start now.
    [[nodiscard]] bool has_next() const {
        return may_start_alone() || may_start_suspected() || size_ > 0;
    }

    /// Takes the next one out. Precondition: has_next().
    [[nodiscard]] HeldJobPtr pop();

    /// A run of a job that pop() has given is over; of a suspected one, the outcome is written.
    void ended(const HeldJob& job);

    [[nodiscard]] std::size_t size() const { return size_ + suspected_.size() + alone_.size(); }

    /// Takes out so many of those that would start last, or all that are not suspected.
    [[nodiscard]] std::vector<HeldJobPtr> take_last(std::size_t count);

    /// Empties it.
    [[nodiscard]] std::vector<HeldJobPtr> take_all();

private:
    [[nodiscard]] bool starts_alone(const HeldJob& job) const {
        return job.job.lost_starts >= rules_.alone_from;
    }
    [[nodiscard]] bool may_start_alone() const {
        return !alone_.empty() && !is_one_alone_ && suspected_running_ == 0;
    }
    // Those that start alone wait for the others to end, so no further ones begin meanwhile.
    [[nodiscard]] bool may_start_suspected() const {
        return !suspected_.empty() && !is_one_alone_ && alone_.empty();
    }
    [[nodiscard]] HeldJobPtr pop_waiting();

    const Rules rules_;
    std::map<schema::OrderKey, std::deque<HeldJobPtr>> waiting_;
    std::deque<HeldJobPtr> first_;
    std::size_t size_ = 0;  ///< Of waiting_ and first_.
    std::deque<HeldJobPtr> suspected_;
    std::deque<HeldJobPtr> alone_;
    int suspected_running_ = 0;  ///< Without one that has started alone.
    bool is_one_alone_ = false;
};

}  // namespace jobstrand::executor
