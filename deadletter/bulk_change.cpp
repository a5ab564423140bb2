#include "deadletter/bulk_change.hpp"

#include "schema/ensure.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace jobstrand::deadletter {

namespace {

[[nodiscard]] std::int64_t& count_of(BulkCounts& counts, ItemAnswer answer) {
    switch (answer) {
        case ItemAnswer::done:
            return counts.done;
        case ItemAnswer::unchanged:
            return counts.skipped;
        case ItemAnswer::not_found:
            return counts.not_found;
        case ItemAnswer::locked:
            return counts.locked;
        case ItemAnswer::refused:
            break;
    }
    return counts.refused;
}

}  // namespace

BulkTally::BulkTally(std::int64_t total, const BulkWatch& watch) : watch_(watch) {
    counts_.total = total;
}

bool BulkTally::add(std::span<const ItemResult> items) {
    for (const ItemResult& item : items) {
        ++count_of(counts_, item.answer);
        if (watch_.on_item) {
            watch_.on_item(item);
        }
    }
    return !watch_.on_page || watch_.on_page(counts_);
}

namespace {

using std::chrono::duration_cast;

[[nodiscard]] std::int64_t handled(const BulkCounts& counts) {
    return counts.done + counts.skipped + counts.not_found + counts.locked + counts.refused;
}

}  // namespace

schema::Duration time_for(std::int64_t items, std::int64_t per_second) {
    // Whole seconds apart, so that nothing overflows.
    return std::chrono::seconds(items / per_second) +
           std::chrono::milliseconds(items % per_second * 1000 / per_second);
}

BulkWatch paced(BulkWatch watch, BulkPace pace, const schema::Clock& clock) {
    JOBSTRAND_ENSURE(pace.per_second >= 1);
    const schema::SteadyPoint started = clock.steady_now();
    auto look_on = std::move(watch.on_page);
    watch.on_page = [look_on = std::move(look_on), pace = std::move(pace), &clock, started](
                        const BulkCounts& counts
                    ) {
        if (look_on && !look_on(counts)) {
            return false;
        }
        const auto ready = started + time_for(handled(counts), pace.per_second);
        const auto left = duration_cast<schema::Duration>(ready - clock.steady_now());
        if (handled(counts) < counts.total && left > schema::Duration{0}) {
            pace.wait(left);
        }
        return true;
    };
    return watch;
}

namespace {

constexpr int kTimesAsLong = 4;

/// A transaction that was slow because it waited for others says nothing of their need.
constexpr schema::Duration kLongest{std::chrono::seconds(5)};

}  // namespace

BulkRest::BulkRest(const schema::Clock& clock, Wait wait)
    : clock_(clock), wait_(std::move(wait)), began_(clock.steady_now()) {}

void BulkRest::take() {
    const auto took = clock_.steady_now() - began_;
    wait_(std::min(std::chrono::duration_cast<schema::Duration>(kTimesAsLong * took), kLongest));
    began_ = clock_.steady_now();
}

}  // namespace jobstrand::deadletter
