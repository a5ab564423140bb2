#pragma once

#include "schema/clock.hpp"
#include "schema/time.hpp"

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>

namespace jobstrand::schema {

/// Makes UUIDv7 texts (RFC 9562, 36 characters, lower case). Ids of one source ascend strictly,
/// also within a millisecond and when the clock steps back, so creation order is primary-key order
/// and inserts go to the end of the index.
///
/// Not thread-safe: one source per thread, or a lock around it.
class Uuid7Source {
public:
    Uuid7Source();
    explicit Uuid7Source(std::uint64_t seed);

    [[nodiscard]] std::string next(TimePoint now);

private:
    /// `new_counter` is where the counter begins in a new millisecond.
    void advance(std::int64_t now_ms, std::uint32_t new_counter);

    std::mt19937_64 random_;
    std::int64_t last_ms_ = 0;
    std::uint32_t counter_ = 0;  ///< 26 bits that ascend within one millisecond.
};

/// A text before all ids that are made then or later, and behind all that were made before, to the
/// millisecond. It is no id itself.
[[nodiscard]] std::string first_uuid7(TimePoint time);

/// When it was made, by whoever made it; nullopt: it is no UUIDv7, or one in capital letters, which
/// does not stand among the others in its order.
[[nodiscard]] std::optional<TimePoint> time_of_uuid7(std::string_view id);

/// Ids of one node: of the jobs that it enqueues, and of what its store makes by itself, such as
/// next turns and long texts. They ascend together, so that whoever goes by ids goes by what came
/// first, whoever made it.
///
/// Thread safety: safe. The clock must outlive it.
class FreshIds final {
public:
    explicit FreshIds(const Clock& clock = machine_clock()) : clock_(clock) {}

    [[nodiscard]] std::string next() { return next(clock_.now()); }

    [[nodiscard]] std::string next(TimePoint now) {
        const std::lock_guard lock(mutex_);
        std::string id = source_.next(now);
        while (fits_ && !fits_(id)) {
            id = source_.next(now);
        }
        return id;
    }

    /// From now on only ids that fit are made: others are passed over.
    void keep_to(std::function<bool(std::string_view)> fits) {
        const std::lock_guard lock(mutex_);
        fits_ = std::move(fits);
    }

private:
    const Clock& clock_;
    std::mutex mutex_;
    Uuid7Source source_;                          ///< Guarded by mutex_.
    std::function<bool(std::string_view)> fits_;  ///< Likewise; empty: every id does.
};

}  // namespace jobstrand::schema
