#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <jobstrand/series.hpp>
#include <jobstrand/testing.hpp>

#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace jobstrand::test {

namespace {

using namespace std::chrono_literals;
using std::chrono::sys_days;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

constexpr TimePoint kMonday = sys_days(std::chrono::year{2032} / 3 / 1);

/// An app with series and a clock of its own: nothing but the public headers is used here.
class PublicSeries : public testing::Test {
protected:
    PublicSeries() {
        test_.set_time(kMonday);
        engine_.add_handler("report", [](const JobContext&) { return Succeeded{}; });
    }

    void start(const std::string& key, NewSeries series = {}) {
        series.turn = {.handler_type = "report", .payload = "{}", .retries = 5};
        if (series.repeat.empty()) {
            series.repeat = "0 0 2 * * ?";
        }
        series.key = key;
        engine_.start_series(std::move(series));
    }

    [[nodiscard]] std::vector<std::string> keys(const SeriesQuery& query = {}) {
        std::vector<std::string> keys;
        for (const StoredSeries& series : series_.list(query)) {
            keys.push_back(series.key);
        }
        return keys;
    }

    [[nodiscard]] SeriesState state_of(const std::string& key) {
        return series_.find(key).value().state;
    }

    [[nodiscard]] std::optional<TimePoint> due_of(const std::string& key) {
        return series_.find(key).value().turn.due_date;
    }

    TestEngine test_;
    Engine& engine_ = test_.engine();
    SeriesManagement series_{engine_};
};

TEST_F(PublicSeries, One_is_found_with_what_it_was_begun_with_and_how_far_it_is) {
    start("nightly", {.zone = "Europe/Berlin", .group = "reports", .overlap = false});
    test_.run_for(24h);
    const StoredSeries found = series_.find("nightly").value();
    EXPECT_EQ(found.repeat, "0 0 2 * * ?");
    EXPECT_EQ(found.zone, "Europe/Berlin");
    EXPECT_EQ(found.group, "reports");
    EXPECT_FALSE(found.overlap);
    EXPECT_EQ(found.turn.handler_type, "report");
    EXPECT_EQ(found.turn.retries, 5);
    EXPECT_EQ(found.state, SeriesState::waiting);
    EXPECT_EQ(found.fired, 1);
    EXPECT_EQ(found.last_turn, kMonday + 1h);
    EXPECT_EQ(found.turn.due_date, kMonday + 25h);
    EXPECT_EQ(found.create_time, kMonday);
    EXPECT_EQ(engine_.find(found.turn_id).value().series, "nightly");
    EXPECT_EQ(series_.find("nobody"), std::nullopt);
}

TEST_F(PublicSeries, They_are_listed_by_group_and_state_page_by_page) {
    start("a", {.group = "reports"});
    start("b");
    start("c", {.group = "reports"});
    EXPECT_THAT(keys(), ElementsAre("a", "b", "c"));
    EXPECT_THAT(keys({.group = "reports"}), ElementsAre("a", "c"));
    series_.pause("c");
    EXPECT_THAT(keys({.group = "reports", .state = SeriesState::paused}), ElementsAre("c"));
    EXPECT_EQ(series_.list({}, "", 2).back().key, "b");
    EXPECT_EQ(series_.list({}, "b", 2).front().key, "c");
    EXPECT_EQ(name_of(SeriesState::paused), "paused");
}

// R127
TEST_F(PublicSeries, A_paused_one_runs_again_when_it_is_resumed) {
    start("nightly", {.misfire = "do-nothing"});
    EXPECT_EQ(series_.pause("nightly"), ChangeAnswer::done);
    EXPECT_EQ(state_of("nightly"), SeriesState::paused);
    EXPECT_EQ(test_.run_for(3 * 24h), 0U);
    EXPECT_EQ(series_.resume("nightly"), ChangeAnswer::done);
    EXPECT_EQ(state_of("nightly"), SeriesState::waiting);
    EXPECT_EQ(test_.run_for(24h), 1U) << "what was missed is left out";
    EXPECT_EQ(series_.pause("nobody"), ChangeAnswer::not_found);
}

TEST_F(PublicSeries, An_extra_job_changes_nothing_of_the_series) {
    start("nightly");
    const std::string job = series_.fire("nightly").value();
    EXPECT_EQ(engine_.find(job).value().payload, "{}");
    EXPECT_EQ(test_.run_until_idle(), 1U);
    EXPECT_EQ(due_of("nightly"), kMonday + 2h);
    EXPECT_EQ(series_.fire("nobody"), std::nullopt);
}

TEST_F(PublicSeries, A_new_repeat_keeps_what_is_not_said_but_for_start_and_end) {
    start("nightly", {.zone = "Europe/Berlin", .end = kMonday + 48h});
    EXPECT_EQ(series_.reschedule("nightly", {.repeat = "0 0 3 * * ?"}), ChangeAnswer::done);
    EXPECT_EQ(due_of("nightly"), kMonday + 2h) << "in Berlin still";
    EXPECT_EQ(series_.find("nightly").value().end, std::nullopt);
    EXPECT_EQ(
        series_.reschedule("nightly", {.repeat = "R/PT6H", .zone = "UTC", .start = kMonday + 5h}),
        ChangeAnswer::done
    );
    EXPECT_EQ(due_of("nightly"), kMonday + 5h);
    EXPECT_EQ(series_.reschedule("nobody", {.repeat = "R/PT6H"}), ChangeAnswer::not_found);
}

TEST_F(PublicSeries, A_text_that_cannot_be_read_changes_nothing) {
    start("nightly");
    EXPECT_THROW(series_.reschedule("nightly", {.repeat = "daily"}), std::invalid_argument);
    EXPECT_THROW(series_.reschedule("nightly", {}), std::invalid_argument);
    EXPECT_THROW(
        series_.reschedule("nightly", {.repeat = "R/PT6H", .calendar = "nobody"}),
        std::invalid_argument
    );
    EXPECT_THROW(series_.set_calendar("work", "weekly NODAY"), std::invalid_argument);
    EXPECT_EQ(series_.find("nightly").value().repeat, "0 0 2 * * ?");
    EXPECT_THAT(series_.calendars(), IsEmpty());
}

TEST_F(PublicSeries, One_that_has_ended_is_looked_at_until_it_is_removed) {
    start("nightly");
    EXPECT_EQ(series_.remove("nightly"), ChangeAnswer::refused);
    EXPECT_EQ(series_.end("nightly"), ChangeAnswer::done);
    EXPECT_EQ(state_of("nightly"), SeriesState::ended);
    EXPECT_THAT(test_.waiting(), IsEmpty());
    EXPECT_EQ(series_.pause("nightly"), ChangeAnswer::refused);
    EXPECT_EQ(series_.fire("nightly"), std::nullopt);
    EXPECT_EQ(series_.reschedule("nightly", {.repeat = "R/PT6H"}), ChangeAnswer::refused);
    EXPECT_THAT(series_.next_turns("nightly"), IsEmpty());
    EXPECT_EQ(series_.remove("nightly"), ChangeAnswer::done);
    EXPECT_EQ(series_.remove("nightly"), ChangeAnswer::not_found);
    EXPECT_THAT(keys(), IsEmpty());
}

// R144
TEST_F(PublicSeries, A_group_is_paused_with_those_that_are_yet_to_come) {
    start("a", {.group = "reports"});
    EXPECT_EQ(series_.pause_group("reports"), 1);
    test_.advance(1h);
    start("b", {.group = "reports"});
    start("c");
    EXPECT_THAT(keys({.state = SeriesState::paused}), ElementsAre("a", "b"));
    EXPECT_EQ(series_.resume("a"), ChangeAnswer::refused) << "its group is paused";
    EXPECT_THAT(
        series_.groups(),
        ElementsAre(
            SeriesGroup{.name = "DEFAULT", .series = 1},
            SeriesGroup{.name = "reports", .series = 2, .paused_since = kMonday}
        )
    );
    EXPECT_EQ(series_.resume_group("reports"), 2);
    EXPECT_THAT(keys({.state = SeriesState::paused}), IsEmpty());
}

// The program, whose clock is the machine's, would move the turn to a day of its own.
TEST_F(PublicSeries, A_calendar_moves_turns_by_the_clock_of_the_engine) {
    EXPECT_EQ(series_.set_calendar("work", "weekly SUN"), 0U);
    start("nightly", {.calendar = "work"});
    EXPECT_EQ(due_of("nightly"), kMonday + 2h);
    EXPECT_EQ(series_.set_calendar("work", "weekly SUN MON"), 1U);
    EXPECT_EQ(due_of("nightly"), kMonday + 26h);
    EXPECT_THAT(series_.calendars(), ElementsAre(Pair("work", "weekly SUN MON")));
    EXPECT_EQ(series_.remove_calendar("work"), ChangeAnswer::refused);
    series_.end("nightly");
    EXPECT_EQ(series_.remove_calendar("work"), ChangeAnswer::done);
    EXPECT_EQ(series_.remove_calendar("work"), ChangeAnswer::not_found);
}

TEST_F(PublicSeries, The_next_turns_are_told_as_they_will_be_taken) {
    series_.set_calendar("work", "weekly TUE");
    start("nightly", {.calendar = "work"});
    EXPECT_THAT(
        series_.next_turns("nightly", 3), ElementsAre(kMonday + 2h, kMonday + 50h, kMonday + 74h)
    );
    EXPECT_THAT(
        series_.next_turns("nightly", 2, kMonday + 50h), ElementsAre(kMonday + 74h, kMonday + 98h)
    );
    EXPECT_THAT(series_.next_turns("nobody"), IsEmpty());
    test_.advance(2h);
    EXPECT_THAT(series_.next_turns("nightly", 1), ElementsAre(kMonday + 2h)) << "it is due";
    EXPECT_EQ(test_.run_until_idle(), 1U);
    EXPECT_THAT(series_.next_turns("nightly", 1), ElementsAre(kMonday + 50h));
}

TEST_F(PublicSeries, The_turns_of_a_series_are_shown_before_it_is_begun) {
    EXPECT_THAT(
        series_.next_turns({.repeat = "0 0 2 * * ?", .zone = "Europe/Berlin"}, 2),
        ElementsAre(kMonday + 1h, kMonday + 25h)
    );
    EXPECT_THAT(
        series_.next_turns({.turn = {.due = "PT90M"}, .repeat = "R2/PT1H"}),
        ElementsAre(kMonday + 90min, kMonday + 150min)
    );
    EXPECT_THROW((void)series_.next_turns({.repeat = "daily"}), std::invalid_argument);
    EXPECT_THAT(keys(), IsEmpty());
}

TEST_F(PublicSeries, Nothing_is_changed_beside_a_transaction_that_would_be_waited_for) {
    start("nightly");
    engine_.in_transaction([&](Transaction&) {
        EXPECT_THROW(series_.pause("nightly"), std::logic_error);
    });
    EXPECT_EQ(state_of("nightly"), SeriesState::waiting);
}

}  // namespace

}  // namespace jobstrand::test
