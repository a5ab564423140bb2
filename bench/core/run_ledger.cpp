#include "bench/core/run_ledger.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

namespace jobstrand::bench {

namespace {

constexpr std::size_t kNoNumber = std::numeric_limits<std::size_t>::max();

/// What fills a payload up behind its number.
constexpr char kFiller = '.';

}  // namespace

std::string RunLedger::payload_of(std::size_t number, std::size_t bytes) {
    std::string payload = fmt::to_string(number);
    payload.resize(std::max(payload.size(), bytes), kFiller);
    return payload;
}

std::size_t RunLedger::number_of(const std::string& payload) noexcept {
    std::size_t number = 0;
    const char* const end = payload.data() + payload.size();
    const auto [stop, error] = std::from_chars(payload.data(), end, number);
    const bool is_filled_up = std::all_of(stop, end, [](char each) { return each == kFiller; });
    return error == std::errc{} && is_filled_up ? number : kNoNumber;
}

void RunLedger::succeeded(std::size_t number) noexcept {
    if (number >= successes_.size()) {
        ++unknown_;
        return;
    }
    ++successes_[number];
    // The waiter sets awaited_ before it looks at total_, so one of the two sees the other.
    const std::size_t total = ++total_;
    if (total == 1) {
        first_ = std::chrono::steady_clock::now();
    }
    if (total == awaited_) {
        const std::lock_guard lock(mutex_);
        reached_.notify_all();
    }
}

bool RunLedger::wait_for(std::size_t count, schema::Duration limit) {
    std::unique_lock lock(mutex_);
    awaited_ = count;
    return reached_.wait_for(lock, limit, [&] { return total_ >= count; });
}

std::string RunLedger::mistakes(std::size_t jobs) const {
    std::size_t never = 0;
    std::size_t again = unknown_;
    for (std::size_t i = 0; i < successes_.size(); ++i) {
        const std::size_t expected = i < jobs ? 1 : 0;
        const std::size_t actual = successes_[i];
        never += actual < expected ? 1 : 0;
        again += actual > expected ? actual - expected : 0;
    }
    if (never == 0 && again == 0) {
        return {};
    }
    return fmt::format("{} jobs never succeeded, {} runs were too many", never, again);
}

}  // namespace jobstrand::bench
