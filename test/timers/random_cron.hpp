#pragma once

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <random>
#include <string>

namespace jobstrand::timers {

/// The seed of tests that draw their cases: JOBSTRAND_TEST_SEED, or always the same. It is printed,
/// so that a failure can be repeated.
inline std::uint64_t test_seed() {
    const char* given = std::getenv("JOBSTRAND_TEST_SEED");
    const std::uint64_t seed = given == nullptr ? 20261120 : std::stoull(given);
    std::cout << "seed " << seed << " (JOBSTRAND_TEST_SEED)\n";
    return seed;
}

/// Draws from one sequence that its seed determines on every machine.
class Dice {
public:
    explicit Dice(std::uint64_t seed) : engine_(seed) {}

    /// `least` to `most`, both included.
    std::int64_t between(std::int64_t least, std::int64_t most) {
        const auto width = static_cast<std::uint64_t>(most - least) + 1;
        return least + static_cast<std::int64_t>(engine_() % width);
    }
    int number(int least, int most) { return static_cast<int>(between(least, most)); }
    bool one_in(int n) { return number(1, n) == 1; }

    template <typename Container>
    const auto& any_of(const Container& container) {
        return container[static_cast<std::size_t>(between(0, std::ssize(container) - 1))];
    }

private:
    std::mt19937_64 engine_;
};

/// A drawn cron text together with what it means, written down without the parser.
struct RandomCron {
    std::string text;
    std::array<bool, 60> seconds{};
    std::array<bool, 60> minutes{};
    std::array<bool, 24> hours{};
    std::array<bool, 13> months{};
    std::function<bool(std::chrono::year_month_day)> day;

    [[nodiscard]] bool matches(std::chrono::local_seconds wall) const;
};

/// A Quartz text in two of three cases, else a Unix text.
[[nodiscard]] RandomCron random_cron(Dice& dice);

}  // namespace jobstrand::timers
