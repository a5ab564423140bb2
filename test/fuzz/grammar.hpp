#pragma once

#include "test/timers/random_cron.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::test {

using timers::Dice;

/// Draws texts of a language from its rules, one after the other:
///
///     greeting ::= hello, <name>! | <greeting> <greeting>
///     name     ::= Ann
///                | Bo | <nothing>
///
/// `<name>` stands for what the rule of that name draws; `<nothing>`, `<blank>`, `<tab>`, `<cr>`
/// and
/// `<nl>` for what could not be seen here. An alternative that is written twice is drawn twice as
/// often. Where the drawing has gone deep, rules give their first alternative, so let that be one
/// that ends.
class Grammar final {
public:
    /// Throws std::invalid_argument for a line that is no part of a rule, and for names that no
    /// rule has.
    explicit Grammar(std::string_view rules);

    /// Throws std::out_of_range for a name that no rule has.
    [[nodiscard]] std::string draw(std::string_view name, Dice& dice) const;

private:
    using Alternatives = std::vector<std::string>;

    Alternatives& rule_of(std::string_view& line);
    void check_names() const;
    void append(std::string& text, std::string_view name, Dice& dice, int depth) const;

    std::map<std::string, Alternatives, std::less<>> rules_;
    Alternatives* last_rule_ = nullptr;  ///< While the rules are read.
};

/// A text with a few mistakes of the kind that fingers, editors and broken copies make: characters
/// that are gone, doubled, swapped or changed, pieces that stand twice, bytes that are no UTF-8.
[[nodiscard]] std::string damaged(std::string text, Dice& dice);

/// Mostly as it was drawn; every third one with mistakes.
[[nodiscard]] std::string nearly_valid(const Grammar& grammar, std::string_view name, Dice& dice);

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
