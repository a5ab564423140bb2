#include "executor/report/throughput_counts.hpp"
#include "schema/job_transition.hpp"
#include "test/fixtures/job_builder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

namespace jobstrand::executor {
namespace {

using namespace std::chrono_literals;
using persistence::Outcome;
using persistence::TypeRuns;
using testing::ElementsAre;
using testing::IsEmpty;

[[nodiscard]] Outcome ended(const std::string& type, schema::TransitionReason reason) {
    schema::Job job = test::a_job("a");
    job.handler_type = type;
    return {
        .job = std::make_shared<const schema::Job>(std::move(job)),
        .transition = {.reason = reason},
    };
}

using Reason = schema::TransitionReason;
const schema::SteadyPoint kBegin = schema::SteadyPoint{} + 1h;

/// Of a node that has been there for a minute.
class RunCountsTest : public testing::Test {
protected:
    RunCountsTest() { (void)counts.last_minute(kBegin - 1min); }

    RunCounts counts;
};

TEST_F(RunCountsTest, Runs_count_by_type_whatever_they_came_to_and_failed_ones_apart) {
    counts.add(std::vector{
        ended("mail", Reason::completed),
        ended("noop", Reason::retry),
        ended("mail", Reason::retries_exhausted),
        ended("mail", Reason::not_retryable),
    });
    counts.add("noop");
    counts.add("pay", true);
    EXPECT_THAT(
        counts.last_minute(kBegin),
        ElementsAre(TypeRuns{"mail", 3, 2}, TypeRuns{"noop", 2, 1}, TypeRuns{"pay", 1, 1})
    );
}

TEST_F(RunCountsTest, What_was_not_run_does_not_count) {
    counts.add(std::vector{
        ended("mail", Reason::released),
        ended("mail", Reason::not_served),
        ended("mail", Reason::interrupted),
    });
    EXPECT_THAT(counts.last_minute(kBegin), IsEmpty());
}

TEST_F(RunCountsTest, After_a_minute_they_are_forgotten) {
    counts.add("mail");
    EXPECT_THAT(counts.last_minute(kBegin), ElementsAre(TypeRuns{"mail", 1}));
    counts.add("mail", true);
    EXPECT_THAT(counts.last_minute(kBegin + 30s), ElementsAre(TypeRuns{"mail", 2, 1, 90s}));
    EXPECT_THAT(counts.last_minute(kBegin + 60s), ElementsAre(TypeRuns{"mail", 1, 1}));
    EXPECT_THAT(counts.last_minute(kBegin + 90s), IsEmpty());
}

TEST(RunCounts, The_time_in_which_they_ended_is_no_longer_than_somebody_has_counted) {
    RunCounts counts;
    EXPECT_THAT(counts.last_minute(kBegin), IsEmpty());
    counts.add("mail");
    EXPECT_THAT(counts.last_minute(kBegin + 2s), ElementsAre(TypeRuns{"mail", 1, 0, 2s}));
    EXPECT_THAT(counts.last_minute(kBegin + 59s), ElementsAre(TypeRuns{"mail", 1, 0, 59s}));
    EXPECT_THAT(counts.last_minute(kBegin + 61s), ElementsAre(TypeRuns{"mail", 1, 0, 61s}))
        << "as far back as what is counted goes";
}

TEST_F(RunCountsTest, Of_very_many_types_the_most_frequent_are_told) {
    for (std::size_t i = 0; i <= persistence::NodeWork::kMost; ++i) {
        counts.add("type-" + std::to_string(1000 + i));
    }
    counts.add("type-1100");
    const auto told = counts.last_minute(kBegin);
    EXPECT_EQ(told.size(), persistence::NodeWork::kMost);
    EXPECT_EQ(told.back(), (TypeRuns{"type-1100", 2}));
}

}  // namespace
}  // namespace jobstrand::executor
