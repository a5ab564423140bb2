#pragma once

#include "schema/time.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>

namespace jobstrand::executor {

/// Notices that jobs are held and none of them runs, comes or goes: whatever has stopped this node,
/// its locks are renewed, and nobody else runs these jobs.
///
/// Thread safety: safe.
class Standstill final {
public:
    struct View {
        std::size_t held = 0;     ///< Jobs that should get on.
        std::size_t running = 0;  ///< Of them.
        std::uint64_t moves = 0;  ///< That have come and gone so far.
    };

    /// Returns how long the standstill has lasted, as far as it was observed; zero: there is none.
    [[nodiscard]] schema::Duration seen(const View& view, schema::SteadyPoint now) {
        const std::lock_guard lock(mutex_);
        if (view.held == 0 || view.running > 0 || view.moves != moves_) {
            moves_ = view.moves;
            since_ = now;
        }
        return std::chrono::floor<schema::Duration>(now - since_);
    }

private:
    std::mutex mutex_;
    std::uint64_t moves_ = 0;      ///< Guarded by mutex_.
    schema::SteadyPoint since_{};  ///< Likewise.
};

}  // namespace jobstrand::executor
