#include "deadletter/bulk/bulk_rest.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace jobstrand::deadletter {

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
