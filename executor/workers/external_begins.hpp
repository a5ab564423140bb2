#pragma once

#include "schema/job.hpp"
#include "schema/time.hpp"

#include <cstddef>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>

namespace jobstrand::executor {

/// Since when external workers have held jobs that they took here. It remembers at least the latest
/// kLeast, and never more than twice as many.
///
/// Thread safety: safe.
class ExternalBegins final {
public:
    static constexpr std::size_t kLeast = 10'000;

    void add(std::span<const schema::Job> jobs, schema::TimePoint now) {
        const std::lock_guard lock(mutex_);
        if (young_.size() >= kLeast) {
            old_ = std::exchange(young_, {});
        }
        for (const schema::Job& job : jobs) {
            young_[job.id] = now;
        }
    }

    /// Forgets it; nullopt: it was not taken here, or too many were since.
    [[nodiscard]] std::optional<schema::TimePoint> take(const std::string& job) {
        const std::lock_guard lock(mutex_);
        auto taken = young_.extract(job);
        auto older = old_.extract(job);
        if (taken.empty()) {
            taken = std::move(older);
        }
        return taken.empty() ? std::nullopt : std::optional(taken.mapped());
    }

private:
    // Guarded by mutex_.
    std::mutex mutex_;
    std::unordered_map<std::string, schema::TimePoint> young_;
    std::unordered_map<std::string, schema::TimePoint> old_;
};

}  // namespace jobstrand::executor
