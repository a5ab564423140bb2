#include "executor/pool/held_jobs.hpp"
#include "schema/clock.hpp"
#include "test/fixtures/job_builder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace jobstrand::executor {
namespace {

using namespace std::chrono_literals;
using persistence::LongRun;
using testing::ElementsAre;
using testing::IsEmpty;

class LongRuns : public testing::Test {
protected:
    HeldJobPtr run_since(const std::string& id, schema::Duration ago) {
        schema::Job job = test::a_job(id);
        job.revision = 7;
        auto held = std::make_shared<HeldJob>(std::move(job), clock.steady_now() + 1h);
        held->began = clock.steady_now() - ago;
        return held;
    }

    schema::ManualClock clock;
};

TEST_F(LongRuns, Those_that_have_lasted_are_told_since_when) {
    const std::vector<HeldJobPtr> running{
        run_since("b", 3s), run_since("c", 2999ms), run_since("a", 1h)};
    EXPECT_THAT(
        long_runs(running, 3s, clock),
        ElementsAre(LongRun{"a", 7, clock.now() - 1h}, LongRun{"b", 7, clock.now() - 3s})
    );
    EXPECT_THAT(long_runs({}, 3s, clock), IsEmpty());
}

TEST_F(LongRuns, Of_too_many_the_longest_are_told) {
    std::vector<HeldJobPtr> running{run_since("short", 4s)};
    for (std::size_t i = 0; i < persistence::NodeWork::kMost; ++i) {
        running.push_back(run_since("long-" + std::to_string(i), 5s));
    }
    const std::vector<LongRun> told = long_runs(running, 3s, clock);
    EXPECT_EQ(told.size(), persistence::NodeWork::kMost);
    EXPECT_EQ(std::ranges::count(told, "short", &LongRun::id), 0);
}

}  // namespace
}  // namespace jobstrand::executor
