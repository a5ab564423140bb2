#pragma once

#include <chrono>
#include <cstddef>

namespace jobstrand::bench {

/// Starts when it is made.
class Stopwatch final {
public:
    [[nodiscard]] double seconds() const {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    }

    /// So many per second, since the start.
    [[nodiscard]] double rate(std::size_t count) const {
        return static_cast<double>(count) / seconds();
    }

private:
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace jobstrand::bench
