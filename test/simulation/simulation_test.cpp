#include "test/simulation/simulation.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace jobstrand {
namespace {

using test::Broken;
using test::Findings;
using test::Simulation;

/// The environment's, for the long run of docs/correctness.md.
std::uint64_t given(const char* name, std::uint64_t usual) {
    const char* const text = std::getenv(name);
    return text == nullptr ? usual : std::stoull(text);
}

std::string first_of(const Findings& findings) {
    for (const auto& [what, list] :
         {std::pair("lost", &findings.lost),
          std::pair("done twice", &findings.done_twice),
          std::pair("stale", &findings.stale),
          std::pair("overlap", &findings.overlaps),
          std::pair("retry used", &findings.retries_used),
          std::pair("repeat without a fault", &findings.unexplained)}) {
        if (!list->empty()) {
            return fmt::format("{}: {}", what, list->front());
        }
    }
    return {};
}

/// The same seed again, with its story.
std::string story_of(std::uint64_t seed) {
    Simulation again(seed, Broken::nothing, true);
    (void)again.run();
    return fmt::format("{}", fmt::join(again.story(), "\n"));
}

// I1 I2 I3 I4 I5
TEST(SimulationTest, In_any_order_of_events_every_job_is_done_once_and_exclusive_ones_alone) {
    const std::uint64_t first = given("JOBSTRAND_SIMULATION_SEED", 1);
    const std::uint64_t seeds = given("JOBSTRAND_SIMULATION_SEEDS", SIMULATION_SEEDS);
    for (std::uint64_t seed = first; seed < first + seeds; ++seed) {
        const Findings findings = Simulation(seed).run();
        ASSERT_TRUE(findings.are_none())
            << "JOBSTRAND_SIMULATION_SEED=" << seed << ": " << first_of(findings) << "\n"
            << story_of(seed);
    }
}

// The node claimed an instance again in the millisecond of its former claim, and the answer to the
// passing on between the two was lost.
TEST(SimulationTest, A_seed_that_once_found_two_claims_with_one_time_finds_nothing) {
    EXPECT_TRUE(Simulation(145464).run().are_none());
}

TEST(SimulationTest, The_same_seed_tells_the_same_story) {
    EXPECT_EQ(story_of(17), story_of(17));
    EXPECT_NE(story_of(17), story_of(18));
}

/// Whether some of the first thousand seeds notices what is left out.
bool is_noticed(Broken broken) {
    for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
        if (!Simulation(seed, broken).run().are_none()) {
            return true;
        }
    }
    return false;
}

TEST(SimulationTest, Without_the_fence_a_late_run_is_noticed) {
    EXPECT_TRUE(is_noticed(Broken::fence));
}

TEST(SimulationTest, Without_the_renewal_of_locks_a_second_run_is_noticed) {
    EXPECT_TRUE(is_noticed(Broken::renewal));
}

TEST(SimulationTest, Without_the_lock_of_the_instance_two_runs_at_once_are_noticed) {
    EXPECT_TRUE(is_noticed(Broken::instance_lock));
}

}  // namespace
}  // namespace jobstrand
