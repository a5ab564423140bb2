#pragma once

#include "schema/job_transition.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace jobstrand::executor {

/// What became of the runs of this executor since it began, for whoever watches it.
///
/// Thread safety: safe.
class OutcomeCounts final {
public:
    /// An outcome has been written.
    void add(schema::TransitionReason reason) {
        by_reason_.at(static_cast<std::size_t>(reason)).fetch_add(1, std::memory_order_relaxed);
    }

    /// A result was discarded, because the lock was lost.
    void add_lost() { lost_.fetch_add(1, std::memory_order_relaxed); }

    /// Returns the sum over these reasons.
    [[nodiscard]] std::uint64_t count(std::initializer_list<schema::TransitionReason> reasons
    ) const {
        std::uint64_t sum = 0;
        for (const schema::TransitionReason reason : reasons) {
            sum += by_reason_.at(static_cast<std::size_t>(reason)).load(std::memory_order_relaxed);
        }
        return sum;
    }

    [[nodiscard]] std::uint64_t lost() const { return lost_.load(std::memory_order_relaxed); }

private:
    static constexpr std::size_t kReasons =
        static_cast<std::size_t>(schema::TransitionReason::unreadable) + 1;

    std::array<std::atomic<std::uint64_t>, kReasons> by_reason_{};
    std::atomic<std::uint64_t> lost_{0};
};

}  // namespace jobstrand::executor
