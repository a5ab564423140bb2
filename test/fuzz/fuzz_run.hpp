#pragma once

#include "test/fuzz/grammar.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <string>

namespace jobstrand::test {

/// The languages that are tried, each for the same part of the time.
inline constexpr int kFuzzedLanguages = 8;

/// JOBSTRAND_FUZZ_SECONDS for all languages together, else six seconds.
inline std::chrono::milliseconds fuzz_time() {
    const char* given = std::getenv("JOBSTRAND_FUZZ_SECONDS");
    const std::chrono::milliseconds all =
        std::chrono::seconds{given == nullptr ? 6 : std::stoi(given)};
    return all / kFuzzedLanguages;
}

/// How many texts there were, and how many of them were taken.
struct FuzzCount {
    std::int64_t texts = 0;
    std::int64_t taken = 0;
};

/// Tried at least, however busy the machine is.
inline constexpr std::int64_t kLeastTexts = 50;

/// Draws texts and tries them until the time is over. `attempt` says whether the text was taken,
/// and fails the test where the program does not keep what it promises. No text may keep it busy.
///
/// The texts are the same in every run, as far as it comes; JOBSTRAND_TEST_SEED draws others.
inline FuzzCount fuzz(
    const std::function<std::string(Dice&)>& draw,
    const std::function<bool(const std::string&, Dice&)>& attempt
) {
    using Clock = std::chrono::steady_clock;
    Dice dice(timers::test_seed());
    FuzzCount count;
    Clock::duration slowest{};
    std::string slowest_text;
    const auto end = Clock::now() + fuzz_time();
    const auto goes_on = [&](Clock::time_point now) {
        return (now < end || count.texts < kLeastTexts) && !testing::Test::HasFailure();
    };
    for (auto now = Clock::now(); goes_on(now); ++count.texts) {
        const std::string text = draw(dice);
        SCOPED_TRACE("the text between the arrows: -->" + text + "<--");
        EXPECT_NO_THROW(count.taken += attempt(text, dice) ? 1 : 0);
        const auto then = Clock::now();
        if (then - now > slowest) {
            slowest = then - now;
            slowest_text = text.substr(0, 200);
        }
        now = then;
    }
    std::cout << count.texts << " texts, of which " << count.taken << " were taken; slowest: "
              << std::chrono::duration_cast<std::chrono::milliseconds>(slowest).count() << " ms, "
              << slowest_text << "\n";
    // Room for sanitizers on a busy machine.
    EXPECT_LT(slowest, std::chrono::seconds{10}) << slowest_text;
    return count;
}

}  // namespace jobstrand::test
