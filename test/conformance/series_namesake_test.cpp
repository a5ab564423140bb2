#include "test/conformance/series_fixture.hpp"

#include <algorithm>

namespace jobstrand::test {

namespace {

/// A job that an app inserts by plain SQL under an id that an older series has for its key.
class Namesakes : public SeriesTest {
protected:
    void insert_plainly(std::string_view id) {
        execute(
            "INSERT INTO ACT_RU_TIMER_JOB (ID_, TYPE_, HANDLER_TYPE_, DUEDATE_, REPEAT_, "
            "HANDLER_CFG_) VALUES (?, 'timer', 'noop', ?, 'R/PT1H', 'namesake')",
            {id, clock_.now() + 5min}
        );
    }

    /// The series that is not the one with the key `s`.
    Series other_series() {
        for (SeriesSummary& summary : store_.series().list_series({}, "", 10)) {
            if (summary.series.key != "s") {
                return summary.series;
            }
        }
        ADD_FAILURE() << "there is none";
        return {};
    }
};

INSTANTIATE_TEST_SUITE_P(
    OnEveryDatabase,
    Namesakes,
    testing::ValuesIn(databases_under_test()),
    name_of_database
);

TEST_P(Namesakes, They_repeat_in_a_series_of_their_own) {
    start(every_ten_minutes());
    insert_plainly("s");
    const Job namesake = fire_after(5min);
    EXPECT_EQ(namesake.id, "s");
    const Series other = other_series();
    EXPECT_EQ(namesake.series, other.key);
    EXPECT_EQ(other.repeat, "R/PT1H");
    EXPECT_EQ(series().repeat, "R/PT10M");
    EXPECT_EQ(series().turn_id, "s-1");
    complete(namesake);
    EXPECT_EQ(carrying_jobs(), 2);
    complete(fire_after(5min));  // The older series.
    std::vector<Job> an_hour_later = (clock_.tick(55min), fire());
    const auto is_namesake = [](const Job& job) { return job.payload == "namesake"; };
    EXPECT_EQ(std::ranges::count_if(an_hour_later, is_namesake), 1);
}

TEST_P(Namesakes, So_do_those_of_a_series_that_has_ended) {
    start({.key = "s", .repeat = "R1/PT10M"});
    complete(fire_after(10min));
    ASSERT_EQ(condition(), SeriesCondition::ended);
    insert_plainly("s");
    const Job namesake = fire_after(5min);
    EXPECT_EQ(namesake.series, other_series().key);
    EXPECT_EQ(only_job_in(JobPlace::timer).due_date, clock_.now() + 1h);
    EXPECT_EQ(condition(), SeriesCondition::ended);
}

TEST_P(Namesakes, Their_removal_does_not_end_the_older_series) {
    start(every_ten_minutes());
    insert_plainly("s");
    EXPECT_EQ(
        store_.jobs().remove(JobPlace::timer, std::vector<std::string>{"s"}, clock_.now()).front(),
        JobAnswer::done
    );
    EXPECT_EQ(condition(), SeriesCondition::waiting);
    EXPECT_EQ(only_job_in(JobPlace::timer).id, "s-1");
}

}  // namespace

}  // namespace jobstrand::test
