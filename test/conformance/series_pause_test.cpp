#include "test/conformance/series_fixture.hpp"

#include <stdexcept>

namespace jobstrand::test {

namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class PausedSeries : public SeriesTest {
protected:
    std::int64_t pause(std::string_view key) {
        return store_.jobs().suspend(SuspensionScope::series, key, clock_.now());
    }
    std::int64_t resume(std::string_view key) {
        return store_.jobs().activate(SuspensionScope::series, key, clock_.now());
    }
    std::int64_t pause_group(std::string_view group) {
        return store_.jobs().suspend(SuspensionScope::timer_group, group, clock_.now());
    }
    std::int64_t resume_group(std::string_view group) {
        return store_.jobs().activate(SuspensionScope::timer_group, group, clock_.now());
    }

    Series in_group(std::string key, std::string group = "g") {
        return {.key = std::move(key), .group = std::move(group), .repeat = "R/PT10M"};
    }
};

INSTANTIATE_TEST_SUITE_P(
    OnEveryDatabase,
    PausedSeries,
    testing::ValuesIn(databases_under_test()),
    name_of_database
);

// R127
TEST_P(PausedSeries, A_paused_turn_keeps_its_due_date_and_is_a_misfire_when_it_comes_back_late) {
    start({.key = "s", .repeat = "0 0/10 * * * ?", .misfire = "do-nothing"});
    EXPECT_EQ(pause("s"), 1);
    EXPECT_EQ(pause("s"), 0);
    EXPECT_EQ(condition(), SeriesCondition::paused);
    const Job waiting = only_job_in(JobPlace::suspended);
    EXPECT_EQ(waiting.repeat, "0 0/10 * * * ?");
    clock_.tick(1h);
    EXPECT_THAT(fire(), IsEmpty());
    EXPECT_EQ(resume("s"), 1);
    EXPECT_EQ(only_job_in(JobPlace::timer).due_date, waiting.due_date);
    EXPECT_THAT(fire(), IsEmpty());
    EXPECT_EQ(only_job_in(JobPlace::timer).due_date, clock_.now() + 10min);
    EXPECT_EQ(series().fire_count, 0);
}

TEST_P(PausedSeries, A_turn_that_has_fired_runs_and_retries_although_its_series_is_paused) {
    start(in_group("s"));
    const Job fired = fire_after(10min);
    pause("s");
    fail(fired);
    complete(fire_after(1min));
    EXPECT_THAT(store_.jobs().list(JobPlace::suspended, {}, "", 10), testing::SizeIs(1));
}

TEST_P(PausedSeries, Without_overlap_the_turn_after_the_running_one_starts_paused) {
    start({.key = "s", .repeat = "R/PT10M", .overlap = false});
    const Job running = fire_after(10min);
    EXPECT_EQ(pause("s"), 0);
    complete(running);
    EXPECT_EQ(only_job_in(JobPlace::suspended).due_date, series().next_fire);
    EXPECT_EQ(resume("s"), 1);
    const Job next = fire_after(10min);
    EXPECT_EQ(next.due_date, series().previous_fire);
}

// R144, R145: a group needs no series yet, and new ones start paused.
TEST_P(PausedSeries, A_series_of_a_paused_group_starts_paused) {
    EXPECT_EQ(pause_group("g"), 0);
    start(in_group("a"));
    start(in_group("b", "other"));
    EXPECT_EQ(condition("a"), SeriesCondition::paused);
    EXPECT_EQ(place_of("a-1"), "suspended");
    EXPECT_EQ(place_of("b-1"), "timer");
    const auto groups = store_.jobs().suspensions(SuspensionScope::timer_group);
    ASSERT_EQ(groups.size(), 1U);
    EXPECT_EQ(groups[0].id, "g");
    EXPECT_EQ(resume_group("g"), 1);
    EXPECT_EQ(place_of("a-1"), "timer");
    EXPECT_THAT(store_.jobs().suspensions(SuspensionScope::timer_group), IsEmpty());
}

TEST_P(PausedSeries, A_group_is_paused_and_resumed_as_a_whole_but_not_those_paused_by_themselves) {
    start(in_group("a"));
    start(in_group("b"));
    start(in_group("c", "other"));
    pause("b");
    EXPECT_EQ(pause_group("g"), 1);
    EXPECT_EQ(condition("a"), SeriesCondition::paused);
    EXPECT_EQ(condition("c"), SeriesCondition::waiting);
    EXPECT_EQ(resume_group("g"), 1);
    EXPECT_EQ(condition("a"), SeriesCondition::waiting);
    EXPECT_EQ(condition("b"), SeriesCondition::paused);
    EXPECT_EQ(resume("b"), 1);
}

// R145: edits must not change the state.
TEST_P(PausedSeries, A_new_text_leaves_a_paused_series_paused) {
    start(in_group("s"));
    pause_group("g");
    EXPECT_EQ(
        store_.series().reschedule_series({.key = "s", .repeat = "R/PT1H"}, clock_.now()),
        SeriesAnswer::done
    );
    EXPECT_EQ(condition(), SeriesCondition::paused);
    EXPECT_EQ(only_job_in(JobPlace::suspended).due_date, clock_.now() + 1h);
    EXPECT_EQ(store_.series().end_series("s", clock_.now()), SeriesAnswer::done);
    EXPECT_EQ(count_rows("ACT_RU_SUSPENDED_JOB"), 0);
}

// R146: what the mover finds in a paused group becomes paused, not fired.
TEST_P(PausedSeries, A_due_turn_of_a_paused_series_is_put_aside_and_not_fired) {
    start(in_group("s"));
    execute("INSERT INTO JS_SUSPENSION (SCOPE_, ID_) VALUES ('timer group', 'g')");
    clock_.tick(10min);
    EXPECT_THAT(fire(), IsEmpty());
    const Job waiting = only_job_in(JobPlace::suspended);
    EXPECT_EQ(waiting.suspended_from, "timer");
    EXPECT_EQ(series().fire_count, 0);
    EXPECT_EQ(resume_group("g"), 1);
    EXPECT_EQ(fire_after(0ms).id, "s-1");
}

TEST_P(PausedSeries, Suspending_its_instance_holds_a_series_too) {
    start(in_group("s"), a_job("").of_instance("i"));
    EXPECT_EQ(store_.jobs().suspend(SuspensionScope::instance, "i", clock_.now()), 1);
    clock_.tick(30min);
    EXPECT_THAT(fire(), IsEmpty());
    EXPECT_EQ(store_.jobs().activate(SuspensionScope::instance, "i", clock_.now()), 1);
    EXPECT_EQ(fire().size(), 1U);
    EXPECT_EQ(series().next_fire, clock_.now() + 10min);
}

class StoredCalendars : public SeriesTest {
protected:
    std::size_t put(std::string name, std::string text) {
        return store_.series().put_calendar({std::move(name), std::move(text)}, clock_.now());
    }

    /// 2026-01-01 is a Thursday.
    void start_daily(std::string key, std::string calendar) {
        start({.key = std::move(key), .repeat = "0 0 9 * * ?", .calendar = std::move(calendar)});
    }
};

INSTANTIATE_TEST_SUITE_P(
    OnEveryDatabase,
    StoredCalendars,
    testing::ValuesIn(databases_under_test()),
    name_of_database
);

TEST_P(StoredCalendars, A_calendar_is_stored_under_its_name) {
    EXPECT_EQ(put("weekend", "weekly SAT SUN"), 0U);
    EXPECT_EQ(put("firm", "based on weekend; annual 12-25"), 0U);
    EXPECT_EQ(put("weekend", "weekly SUN"), 0U);
    const auto stored = store_.series().calendars();
    ASSERT_EQ(stored.size(), 2U);
    EXPECT_EQ(stored[0].name, "firm");
    EXPECT_EQ(stored[1].text, "weekly SUN");
}

TEST_P(StoredCalendars, What_is_wrong_is_refused) {
    put("a", "weekly SUN");
    put("b", "based on a");
    EXPECT_THROW(put("c", "yearly 12-25"), std::invalid_argument);
    EXPECT_THROW(put("a", "based on b"), std::invalid_argument);
    EXPECT_THROW(put("", "weekly SUN"), std::invalid_argument);
    EXPECT_THROW(put("d", "cron " + std::string(4000, ' ') + "x"), std::invalid_argument);
    EXPECT_EQ(store_.series().calendars().size(), 2U);
}

TEST_P(StoredCalendars, Turns_leave_out_what_the_calendar_of_their_series_excludes) {
    put("thursdays", "weekly THU");
    start_daily("s", "thursdays");
    EXPECT_EQ(series().next_fire, clock_.now() + 33h);
    (void)fire_after(33h);
    EXPECT_EQ(series().next_fire, clock_.now() + 24h);
}

TEST_P(StoredCalendars, A_change_moves_the_waiting_turns_of_those_that_use_it) {
    put("base", "weekly SUN");
    put("firm", "based on base");
    put("other", "weekly SUN");
    start_daily("direct", "base");
    start_daily("derived", "firm");
    start_daily("unconcerned", "other");
    start_daily("paused", "base");
    store_.jobs().suspend(SuspensionScope::series, "paused", clock_.now());
    EXPECT_EQ(put("base", "weekly THU"), 3U);
    for (const char* key : {"direct", "derived", "paused"}) {
        EXPECT_EQ(series(key).next_fire, clock_.now() + 33h) << key;
        EXPECT_EQ(job(std::string(key) + "-1").due_date, clock_.now() + 33h) << key;
    }
    EXPECT_EQ(place_of("paused-1"), "suspended");
    EXPECT_EQ(job("unconcerned-1").due_date, clock_.now() + 9h);
}

TEST_P(StoredCalendars, A_calendar_in_use_is_not_removed) {
    put("base", "weekly SUN");
    put("firm", "based on base");
    start_daily("s", "firm");
    EXPECT_EQ(store_.series().remove_calendar("firm"), CalendarAnswer::in_use);
    EXPECT_EQ(store_.series().remove_calendar("base"), CalendarAnswer::in_use);
    EXPECT_EQ(store_.series().end_series("s", clock_.now()), SeriesAnswer::done);
    EXPECT_EQ(store_.series().remove_calendar("firm"), CalendarAnswer::done);
    EXPECT_EQ(store_.series().remove_calendar("base"), CalendarAnswer::done);
    EXPECT_EQ(store_.series().remove_calendar("base"), CalendarAnswer::not_found);
}

}  // namespace

}  // namespace jobstrand::test
