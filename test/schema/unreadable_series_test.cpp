#include "schema/series_transition.hpp"
#include "test/fixtures/job_builder.hpp"

#include <gtest/gtest.h>

namespace jobstrand::schema {
namespace {

using Reason = TransitionReason;

/// A series without overlap whose turn runs, and whose row cannot be read: the schedule's answer is
/// an error, although nothing is asked.
class UnreadableSeries : public testing::Test {
protected:
    UnreadableSeries() {
        series_.stop_on_dead_letter = true;
        turn_.series = series_.key;
        turn_.repeat = series_.repeat;
    }

    [[nodiscard]] SeriesTransition transition_because(Reason reason) const {
        return series_transition(&series_, turn_, {.reason = reason}, unreadable_, TimePoint{});
    }

    Series series_{
        .key = "s",
        .repeat = "R/PT10M",
        .overlap = false,
        .next_fire = TimePoint{},
        .state = SeriesState::running,
        .turn_id = "turn-1",
    };
    Job turn_ = test::a_job("turn-1");
    const ParseResult<TurnPlan> unreadable_ = ParseError{"RETRIES_ \"many\" is not an integer", 0};
};

TEST_F(UnreadableSeries, Ends_with_the_turn_that_runs_and_says_so) {
    for (const Reason reason : {Reason::completed, Reason::retries_exhausted}) {
        const SeriesTransition result = transition_because(reason);
        EXPECT_EQ(result.turn, TurnOutcome::moves);
        EXPECT_FALSE(result.still_carries);
        EXPECT_FALSE(result.next_turn);
        EXPECT_FALSE(result.pauses);
        ASSERT_TRUE(result.series);
        EXPECT_EQ(result.series->state, SeriesState::ended);
        EXPECT_EQ(result.series->next_fire, std::nullopt);
        EXPECT_EQ(result.notes, std::vector{unplanned(unreadable_.error())});
    }
}

TEST_F(UnreadableSeries, Leaves_the_turn_its_retries) {
    const SeriesTransition result = transition_because(Reason::fell_due);
    EXPECT_EQ(result.turn, TurnOutcome::moves);
    EXPECT_TRUE(result.still_carries);
    EXPECT_FALSE(result.series);
}

}  // namespace
}  // namespace jobstrand::schema
