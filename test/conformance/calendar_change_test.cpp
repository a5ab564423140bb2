#include "test/conformance/series_fixture.hpp"

#include <algorithm>

namespace jobstrand::test {

namespace {

/// The planner of the program; it tells the test before it looks for a due date.
class WatchedPlanner final : public schema::SeriesSchedule {
public:
    using Plan = schema::ParseResult<schema::TurnPlan>;
    using Texts = schema::CalendarTexts;
    using Time = schema::TimePoint;

    Plan begin(const Series& series, const Texts& texts, std::optional<Time> due, Time now)
        const override {
        return planner_.begin(series, texts, due, now);
    }
    Plan plan(const Series& series, const Texts& texts, Time due, Time now) const override {
        return planner_.plan(series, texts, due, now);
    }
    schema::ParseResult<std::optional<Time>>
    due_by_calendar(const Series& series, const Texts& texts, Time due, Time now) const override {
        looked_at.push_back(series.key);
        if (auto now_once = std::exchange(before_looking, {})) {
            now_once();
        }
        return planner_.due_by_calendar(series, texts, due, now);
    }
    std::string repeat_of(const Series& series) const override {
        return planner_.repeat_of(series);
    }
    std::optional<schema::ParseError>
    problem_of_calendar(const std::string& name, const Texts& texts) const override {
        return planner_.problem_of_calendar(name, texts);
    }
    bool hangs_on(std::string_view name, std::string_view base, const Texts& texts) const override {
        return planner_.hangs_on(name, base, texts);
    }

    mutable std::vector<std::string> looked_at;    ///< Keys, one for each look.
    mutable std::function<void()> before_looking;  ///< Once.

private:
    timers::SeriesPlanner planner_;
};

/// What a changed calendar does to series, on every database. 2026-01-01 is a Thursday.
class CalendarChanges : public SeriesTest {
protected:
    CalendarChanges()
        : pool_([this](auto access) { return database_->connect(access); }, {}, 10s),
          operator_(pool_, log_, planner_, {.attempts = 10, .wait = 1ms}) {}

    /// As an operator does it, beside the store of the fixture.
    std::size_t put(std::string name, std::string text) {
        return operator_.series().put_calendar({std::move(name), std::move(text)}, clock_.now());
    }

    std::string refusal_of(const std::string& name, const std::string& text) {
        try {
            put(name, text);
        } catch (const std::invalid_argument& error) {
            return error.what();
        }
        return "not refused";
    }

    [[nodiscard]] schema::TimePoint due(const std::string& key) {
        return job(key + "-1").due_date.value();
    }

    [[nodiscard]] std::string text_of(const std::string& name) {
        for (const auto& calendar : store_.series().calendars()) {
            if (calendar.name == name) {
                return calendar.text;
            }
        }
        return "none";
    }

    schema::SilentLog log_;
    const WatchedPlanner planner_;
    SessionPool pool_;
    persistence::SqlStore operator_;
};

ON_EVERY_DATABASE(CalendarChanges);

TEST_P(CalendarChanges, Only_the_series_that_hang_on_it_are_looked_at) {
    put("base", "weekly SUN");
    put("firm", "based on base; annual 12-25");
    put("branch", "based on firm");
    put("other", "weekly SUN");
    start_daily("direct", "base");
    start_daily("by way of one", "firm");
    start_daily("by way of two", "branch");
    start_daily("unconcerned", "other");
    start({.key = "without", .repeat = "0 0 9 * * ?"});
    EXPECT_EQ(put("base", "weekly THU"), 3U);
    EXPECT_EQ(std::ranges::count(planner_.looked_at, "unconcerned"), 0);
    EXPECT_EQ(std::ranges::count(planner_.looked_at, "without"), 0);
    EXPECT_EQ(due("by way of two"), clock_.now() + 33h);
    EXPECT_EQ(due("unconcerned"), clock_.now() + 9h);
    planner_.looked_at.clear();
    EXPECT_EQ(put("branch", "based on firm; annual 07-14"), 0U);
    EXPECT_EQ(std::ranges::count(planner_.looked_at, "by way of two"), 2) << "before and after";
    EXPECT_EQ(planner_.looked_at.size(), 2U);
}

TEST_P(CalendarChanges, A_new_calendar_looks_at_no_series) {
    put("base", "weekly SUN");
    start_daily("s", "base");
    EXPECT_EQ(put("unused", "weekly THU"), 0U);
    EXPECT_THAT(planner_.looked_at, IsEmpty());
}

TEST_P(CalendarChanges, Due_dates_are_looked_for_while_others_may_write) {
    put("base", "weekly SUN");
    start_daily("s", "base");
    planner_.before_looking = [this] { insert(a_job("beside")); };
    EXPECT_EQ(put("base", "weekly THU"), 1U);
    EXPECT_EQ(place_of("beside"), "executable");
    EXPECT_EQ(due("s"), clock_.now() + 33h);
}

TEST_P(CalendarChanges, A_series_that_was_changed_meanwhile_is_looked_at_again) {
    put("base", "weekly SUN");
    start_daily("s", "base");
    planner_.before_looking = [this] {
        EXPECT_EQ(
            store_.series().reschedule_series(
                {.key = "s", .repeat = "0 0 12 * * ?", .calendar = "base"}, clock_.now()
            ),
            SeriesAnswer::done
        );
    };
    EXPECT_EQ(put("base", "weekly THU"), 1U);
    EXPECT_EQ(due("s"), clock_.now() + 36h);
}

TEST_P(CalendarChanges, A_series_that_began_meanwhile_moves_too) {
    put("base", "weekly SUN");
    start_daily("first", "base");
    planner_.before_looking = [this] { start_daily("second", "base"); };
    EXPECT_EQ(put("base", "weekly THU"), 2U);
    EXPECT_EQ(due("second"), clock_.now() + 33h);
}

TEST_P(CalendarChanges, A_series_that_ended_meanwhile_stays_ended) {
    put("base", "weekly SUN");
    start_daily("s", "base");
    planner_.before_looking = [this] {
        EXPECT_EQ(store_.series().end_series("s", clock_.now()), SeriesAnswer::done);
    };
    EXPECT_EQ(put("base", "weekly THU"), 0U);
    EXPECT_EQ(condition("s"), SeriesCondition::ended);
    EXPECT_EQ(text_of("base"), "weekly THU");
}

TEST_P(CalendarChanges, A_turn_that_fired_meanwhile_is_not_called_back) {
    put("base", "weekly SUN");
    start({.key = "s", .repeat = "R/PT9H", .calendar = "base"});
    planner_.before_looking = [this] { (void)fire_after(9h); };
    (void)put("base", "weekly THU");
    EXPECT_EQ(place_of("s-1"), "executable");
    EXPECT_EQ(only_job_in(JobPlace::timer).due_date, series("s").next_fire);
    EXPECT_EQ(series("s").next_fire, clock_.now() - 9h + 27h) << "the first of the grid on Friday";
    EXPECT_EQ(carrying_jobs(), 1);
}

TEST_P(CalendarChanges, When_another_calendar_was_changed_meanwhile_all_is_looked_at_anew) {
    put("base", "weekly SUN");
    put("firm", "based on base");
    start_daily("s", "firm");
    planner_.before_looking = [this] {
        store_.series().put_calendar({"base", "weekly FRI"}, clock_.now());
    };
    EXPECT_EQ(put("firm", "based on base; weekly THU"), 1U);
    EXPECT_EQ(text_of("base"), "weekly FRI");
    EXPECT_EQ(due("s"), clock_.now() + 57h) << "neither Thursday nor Friday";
}

TEST_P(CalendarChanges, A_turn_that_a_node_holds_is_left_to_it) {
    put("base", "weekly SUN");
    start_daily("s", "base");
    execute(
        "UPDATE ACT_RU_TIMER_JOB SET LOCK_OWNER_ = 'node-2', LOCK_EXP_TIME_ = ?",
        {clock_.now() + 1min}
    );
    EXPECT_EQ(put("base", "weekly THU"), 0U);
    EXPECT_EQ(due("s"), clock_.now() + 9h);
}

TEST_P(CalendarChanges, What_makes_no_difference_to_a_series_leaves_its_rows_alone) {
    put("base", "weekly SUN");
    start_daily("changed", "base");
    start({.key = "monthly", .repeat = "0 0 9 15 * ?", .calendar = "base"});
    const Job before = job("monthly-1");
    EXPECT_EQ(put("base", "weekly THU; annual 03-01"), 2U) << "15 January is a Thursday";
    EXPECT_EQ(put("base", "weekly THU; annual 03-02"), 0U);
    EXPECT_EQ(job("monthly-1").revision, before.revision + 1);
}

TEST_P(CalendarChanges, A_text_that_leaves_a_series_never_due_is_refused) {
    put("base", "weekly SUN");
    put("firm", "based on base");
    start_daily("daily", "base");
    start({.key = "mondays", .repeat = "0 0 9 ? * MON", .calendar = "firm"});
    start({.key = "of a grid", .repeat = "R/2026-01-05T09:00Z/P7D", .calendar = "base"});
    EXPECT_EQ(
        refusal_of("base", "weekly MON"),
        "with this text of the calendar \"base\" these series would never be due again: mondays, "
        "of "
        "a grid"
    );
    EXPECT_EQ(text_of("base"), "weekly SUN");
    for (const char* key : {"daily", "mondays", "of a grid"}) {
        EXPECT_EQ(condition(key), SeriesCondition::waiting) << key;
    }
    EXPECT_EQ(store_.series().end_series("mondays", clock_.now()), SeriesAnswer::done);
    EXPECT_EQ(store_.series().end_series("of a grid", clock_.now()), SeriesAnswer::done);
    EXPECT_EQ(refusal_of("base", "weekly MON"), "not refused");
}

TEST_P(CalendarChanges, Of_many_series_that_would_never_be_due_a_few_are_named) {
    put("base", "weekly SUN");
    for (const char* key : {"a", "b", "c", "d", "e"}) {
        start({.key = key, .repeat = "0 0 9 ? * MON", .calendar = "base"});
    }
    EXPECT_THAT(refusal_of("base", "weekly MON"), HasSubstr("again: a, b, c and more"));
    EXPECT_EQ(std::ranges::count(planner_.looked_at, "e"), 0) << "such a search takes longest";
}

TEST_P(CalendarChanges, A_series_that_would_never_be_due_since_a_moment_ago_is_found_too) {
    put("base", "weekly SUN");
    start_daily("first", "base");
    planner_.before_looking = [this] {
        start({.key = "mondays", .repeat = "0 0 9 ? * MON", .calendar = "base"});
    };
    EXPECT_THAT(refusal_of("base", "weekly MON THU"), HasSubstr("again: mondays"));
    EXPECT_EQ(text_of("base"), "weekly SUN");
    EXPECT_EQ(due("first"), clock_.now() + 9h);
}

TEST_P(CalendarChanges, A_series_with_an_end_ends_when_it_has_no_time_left_before_it) {
    put("base", "weekly SUN");
    start({.key = "s", .repeat = "0 0 9 * * ?", .calendar = "base", .end = clock_.now() + 30h});
    EXPECT_EQ(put("base", "weekly THU FRI"), 1U);
    EXPECT_EQ(condition("s"), SeriesCondition::ended);
    EXPECT_EQ(place_of("s-1"), "nowhere");
}

TEST_P(CalendarChanges, A_series_that_is_never_due_is_not_begun) {
    put("base", "weekly MON");
    EXPECT_THROW(
        start({.key = "s", .repeat = "0 0 9 ? * MON", .calendar = "base"}), std::invalid_argument
    );
    EXPECT_FALSE(store_.series().find_series("s"));
}

TEST_P(CalendarChanges, Hundreds_of_series_move_in_one_transaction) {
    put("base", "weekly SUN");
    constexpr int count = 700;
    std::vector<persistence::NewSeries> all;
    for (const Job& turn : many_jobs("t", count)) {
        Series daily{.key = turn.id, .repeat = "0 0 9 * * ?", .calendar = "base"};
        all.push_back({.series = std::move(daily), .first_turn = turn});
    }
    (void)store_.enqueuer().create(std::move(all), clock_.now());
    EXPECT_EQ(put("base", "weekly THU"), static_cast<std::size_t>(count));
    for (const Job& turn : store_.jobs().list(JobPlace::timer, {}, "", count)) {
        EXPECT_EQ(turn.due_date, clock_.now() + 33h);
    }
    EXPECT_EQ(carrying_jobs(), count);
}

}  // namespace

}  // namespace jobstrand::test
