#include "persistence/sql/db_error.hpp"
#include "test/conformance/series_fixture.hpp"

#include <algorithm>
#include <stdexcept>

namespace jobstrand::test {

namespace {

using persistence::SeriesFilter;

class SeriesOperations : public SeriesTest {
protected:
    std::string error_of_start(Series series) {
        try {
            start(std::move(series), a_job("x"));
            return "none";
        } catch (const std::invalid_argument& error) {
            return error.what();
        }
    }

    std::vector<std::string> keys(const SeriesFilter& filter, std::string_view after = "") {
        std::vector<std::string> found;
        for (const SeriesSummary& one : store_.series().list_series(filter, after, 2)) {
            found.push_back(one.series.key);
        }
        return found;
    }
};

ON_EVERY_DATABASE(SeriesOperations);

TEST_P(SeriesOperations, Every_column_of_a_series_is_stored) {
    const Series given{
        .key = "s",
        .group = "g",
        .description = "d",
        .handler_type = "h",
        .repeat = "R3/2026-01-01T01:00:00Z/PT1H/2026-02-01T00:00:00Z",
        .zone = "Europe/Berlin",
        .dst_rule = "run-once",
        .misfire = "ignore",
        .misfire_threshold = 5s,
        .overlap = false,
        .keep_data = true,
        .recovery = false,
        .stop_on_dead_letter = true,
        .retries = 7};
    start(given);
    Series expected = given;
    expected.start = clock_.now() + 1h;
    expected.end = clock_.now() + 31 * 24h;
    expected.total_turns = 3;
    expected.next_fire = clock_.now() + 1h;
    expected.turn_id = "s-1";
    expected.create_time = clock_.now();
    EXPECT_EQ(series(), expected);
}

TEST_P(SeriesOperations, Without_a_key_the_first_turn_gives_its_id) {
    Job turn = a_job("first");
    turn.repeat = "R/PT10M";
    EXPECT_EQ(start({}, turn), "first");
    EXPECT_EQ(series("first").repeat, "R/PT10M");
}

TEST_P(SeriesOperations, What_is_wrong_with_a_new_series_is_said_and_nothing_is_stored) {
    EXPECT_EQ(error_of_start({.key = "s"}), "repeat must be given");
    EXPECT_EQ(
        error_of_start({.key = "s", .repeat = "R3/PT"}),
        "repeat \"R3/PT\" at position 5: expected a number"
    );
    EXPECT_EQ(
        error_of_start({.key = "s", .repeat = "R/PT1H", .calendar = "none"}),
        "repeat \"R/PT1H\": there is no calendar \"none\""
    );
    EXPECT_EQ(
        error_of_start({.key = std::string(65, 'k'), .repeat = "R/PT1H"}),
        "series is longer than 64 characters"
    );
    EXPECT_EQ(
        error_of_start({.key = "s", .group = "", .repeat = "R/PT1H"}), "group must not be empty"
    );
    EXPECT_EQ(count_rows("JS_SERIES"), 0);
    EXPECT_EQ(count_rows("ACT_RU_TIMER_JOB"), 0);
}

TEST_P(SeriesOperations, A_key_is_given_once) {
    start(every_ten_minutes());
    expect_error(DbErrorKind::duplicate_key, [&] { start(every_ten_minutes(), a_job("other")); });
    EXPECT_EQ(place_of("other"), "nowhere");
}

TEST_P(SeriesOperations, A_series_begins_in_the_transaction_of_its_caller) {
    const auto begin = [&](bool fails) {
        in_transaction([&](Transaction& transaction) {
            (void)store_.enqueuer().create(
                transaction,
                {{.series = every_ten_minutes(), .first_turn = a_job("s-1")}},
                clock_.now()
            );
            if (fails) {
                throw std::runtime_error("the app has changed its mind");
            }
        });
    };
    EXPECT_THROW(begin(true), std::runtime_error);
    EXPECT_EQ(count_rows("JS_SERIES"), 0);
    begin(false);
    EXPECT_EQ(place_of("s-1"), "timer");
}

// R141
TEST_P(SeriesOperations, Series_are_listed_by_key_group_and_condition) {
    start({.key = "a", .group = "x", .repeat = "R/PT10M", .overlap = false});
    start({.key = "b", .group = "y", .repeat = "R/PT1H"});
    start({.key = "c", .group = "y", .repeat = "R1/PT10M"});
    start({.key = "d", .group = "y", .repeat = "R/PT1H"});
    clock_.tick(10min);
    (void)fire();
    suspend(SuspensionScope::series, "d");
    EXPECT_THAT(keys({}), ElementsAre("a", "b"));
    EXPECT_THAT(keys({}, "b"), ElementsAre("c", "d"));
    EXPECT_THAT(keys({.group = "y"}), ElementsAre("b", "c"));
    EXPECT_THAT(keys({.condition = SeriesCondition::running}), ElementsAre("a"));
    EXPECT_THAT(keys({.condition = SeriesCondition::waiting}), ElementsAre("b"));
    EXPECT_THAT(keys({.condition = SeriesCondition::ended}), ElementsAre("c"));
    EXPECT_THAT(keys({.condition = SeriesCondition::paused}), ElementsAre("d"));
    EXPECT_THAT(keys({.group = "x", .condition = SeriesCondition::paused}), IsEmpty());
    EXPECT_EQ(store_.series().find_series("none"), std::nullopt);
}

TEST_P(SeriesOperations, Groups_are_counted_by_their_series_that_have_not_ended) {
    EXPECT_THAT(store_.series().count_groups(), IsEmpty());
    start({.key = "a", .group = "x", .repeat = "R/PT1H"});
    start({.key = "b", .group = "y", .repeat = "R/PT1H"});
    start({.key = "c", .group = "y", .repeat = "R/PT1H"});
    start({.key = "d", .group = "z", .repeat = "R/PT1H"});
    suspend(SuspensionScope::series, "c");
    EXPECT_EQ(store_.series().end_series("d", clock_.now()), SeriesAnswer::done);
    EXPECT_THAT(store_.series().count_groups(), ElementsAre(Pair("x", 1), Pair("y", 2)));
}

TEST_P(SeriesOperations, A_new_text_moves_the_waiting_turn_and_begins_the_count_anew) {
    start({.key = "s", .group = "g", .repeat = "R3/PT10M", .retries = 5});
    (void)fire_after(10min);
    const Series times{.key = "s", .repeat = "R2/PT1H"};
    EXPECT_EQ(store_.series().reschedule_series(times, clock_.now()), SeriesAnswer::done);
    const Job turn = only_job_in(JobPlace::timer);
    EXPECT_EQ(turn.due_date, clock_.now() + 1h);
    EXPECT_EQ(turn.repeat, "R2/2026-01-01T00:10:00Z/PT1H");
    EXPECT_EQ(series().group, "g");
    EXPECT_EQ(series().retries, 5);
    EXPECT_EQ(series().fire_count, 1);
    EXPECT_EQ(series().total_turns, 2);
    (void)fire_after(1h);
    (void)fire_after(1h);
    EXPECT_EQ(condition(), SeriesCondition::ended);
    EXPECT_EQ(store_.series().reschedule_series(times, clock_.now()), SeriesAnswer::not_found);
}

TEST_P(SeriesOperations, A_new_text_counts_for_the_turn_after_the_one_that_runs) {
    start({.key = "s", .repeat = "R/PT10M", .overlap = false});
    const Job running = fire_after(10min);
    const Series times{.key = "s", .repeat = "R/PT1H"};
    EXPECT_EQ(store_.series().reschedule_series(times, clock_.now()), SeriesAnswer::done);
    EXPECT_EQ(condition(), SeriesCondition::running);
    complete(running);
    const Job next = only_job_in(JobPlace::timer);
    EXPECT_EQ(next.due_date, clock_.now() + 1h);
    EXPECT_EQ(next.repeat, "R/2026-01-01T00:10:00Z/PT1H");
}

TEST_P(SeriesOperations, A_text_that_is_wrong_changes_nothing) {
    start(every_ten_minutes());
    const Series before = series();
    const Series times{.key = "s", .repeat = "R/PT1H", .misfire = "do-nothing"};
    EXPECT_THROW(
        (void)store_.series().reschedule_series(times, clock_.now()), std::invalid_argument
    );
    EXPECT_EQ(series(), before);
    EXPECT_EQ(
        store_.series().reschedule_series({.key = "none", .repeat = "R/PT1H"}, clock_.now()),
        SeriesAnswer::not_found
    );
}

TEST_P(SeriesOperations, An_extra_job_can_be_fired_and_the_series_does_not_notice) {
    const std::string payload(5000, 'x');
    start(every_ten_minutes(), a_job("").with_payload(payload).with_retries(5));
    const Series before = series();
    const auto id = store_.series().fire_series("s", clock_.now());
    ASSERT_TRUE(id);
    const Job extra = acquire().at(0);
    EXPECT_EQ(extra.id, *id);
    EXPECT_EQ(extra.payload, payload);
    EXPECT_EQ(extra.retries, 5);
    EXPECT_EQ(extra.repeat, "");
    EXPECT_EQ(extra.series, "s");
    EXPECT_EQ(extra.due_date, std::nullopt);
    complete(extra);
    EXPECT_EQ(series(), before);
    EXPECT_EQ(only_job_in(JobPlace::timer).payload, payload);
    EXPECT_EQ(store_.series().fire_series("none", clock_.now()), std::nullopt);
}

TEST_P(SeriesOperations, A_turn_that_is_fired_by_hand_is_that_turn_taken_early) {
    start({.key = "s", .repeat = "R/PT10M", .misfire = "next-with-existing"});
    EXPECT_EQ(fire_timer("s-1"), JobAnswer::done);
    EXPECT_EQ(place_of("s-1"), "executable");
    EXPECT_EQ(only_job_in(JobPlace::timer).due_date, clock_.now() + 20min);
    EXPECT_EQ(carrying_jobs(), 1);
    // Also if its instruction would leave it out.
    clock_.tick(1h);
    EXPECT_EQ(fire_timer(only_job_in(JobPlace::timer).id), JobAnswer::done);
    EXPECT_EQ(count_rows("ACT_RU_JOB"), 2);
}

TEST_P(SeriesOperations, A_waiting_turn_can_be_given_another_due_date) {
    start(every_ten_minutes());
    EXPECT_EQ(reschedule_timer("s-1", clock_.now() + 34min), JobAnswer::done);
    EXPECT_EQ(series().next_fire, clock_.now() + 34min);
    (void)fire_after(34min);
    EXPECT_EQ(series().next_fire, clock_.now() + 6min);
}

TEST_P(SeriesOperations, An_ended_series_has_no_further_turn_and_its_row_stays) {
    start(every_ten_minutes(), a_job("").with_payload(std::string(5000, 'x')));
    const Job running = fire_after(10min);
    EXPECT_EQ(store_.series().remove_series("s"), SeriesAnswer::not_ended);
    EXPECT_EQ(store_.series().end_series("s", clock_.now()), SeriesAnswer::done);
    EXPECT_EQ(store_.series().end_series("s", clock_.now()), SeriesAnswer::done);
    EXPECT_EQ(count_rows("ACT_RU_TIMER_JOB"), 0);
    EXPECT_EQ(condition(), SeriesCondition::ended);
    complete(running);
    EXPECT_EQ(count_rows("ACT_GE_BYTEARRAY"), 0);
    EXPECT_EQ(store_.series().remove_series("s"), SeriesAnswer::done);
    EXPECT_EQ(store_.series().remove_series("s"), SeriesAnswer::not_found);
    EXPECT_EQ(store_.series().end_series("s", clock_.now()), SeriesAnswer::not_found);
}

TEST_P(SeriesOperations, A_series_that_ends_while_its_turn_runs_or_waits_for_a_retry_stays_ended) {
    for (const bool fails : {false, true}) {
        const std::string key = fails ? "a" : "b";
        start({.key = key, .repeat = "R/PT10M", .overlap = false});
        const Job running = fire_after(10min);
        EXPECT_EQ(store_.series().end_series(key, clock_.now()), SeriesAnswer::done);
        if (fails) {
            fail(running);
            complete(fire_after(1min));
        } else {
            complete(running);
        }
        EXPECT_EQ(carrying_jobs(), 0);
        EXPECT_EQ(condition(key), SeriesCondition::ended);
    }
}

TEST_P(SeriesOperations, A_series_ends_with_its_waiting_turn_when_that_is_removed) {
    start(every_ten_minutes());
    EXPECT_THAT(remove(JobPlace::timer, {"s-1"}), ElementsAre(JobAnswer::done));
    EXPECT_EQ(condition(), SeriesCondition::ended);
}

class AdoptedSeries : public SeriesTest {
protected:
    /// As an app writes it, or Flowable.
    void insert_by_sql(std::string_view table, std::string_view repeat) {
        const std::string sql =
            "INSERT INTO " + std::string(table) +
            " (ID_, TYPE_, HANDLER_TYPE_, DUEDATE_, REPEAT_) VALUES (?, 'timer', 'noop', ?, ?)";
        execute(sql, {std::string_view("t"), clock_.now(), repeat});
    }
};

ON_EVERY_DATABASE(AdoptedSeries);

TEST_P(AdoptedSeries, A_plain_insert_with_a_repeat_becomes_a_series_when_it_fires) {
    insert_by_sql("ACT_RU_TIMER_JOB", "R3/PT10M");
    const Job first = fire_after(0ms);
    EXPECT_EQ(first.series, "t");
    EXPECT_EQ(first.repeat, "");
    const Job next = only_job_in(JobPlace::timer);
    EXPECT_EQ(next.due_date, clock_.now() + 10min);
    EXPECT_EQ(next.repeat, "R2/2026-01-01T00:00:00Z/PT10M");
    EXPECT_EQ(series("t").group, schema::kDefaultSeriesGroup);
    EXPECT_EQ(series("t").handler_type, "noop");
    EXPECT_EQ(series("t").fire_count, 1);
    (void)fire_after(10min);
    (void)fire_after(10min);
    EXPECT_EQ(condition("t"), SeriesCondition::ended);
}

TEST_P(AdoptedSeries, Flowables_cycle_goes_on_where_it_is) {
    insert_by_sql("ACT_RU_TIMER_JOB", "R2/2025-12-31T23:00:00Z/PT20M");
    (void)fire_after(0ms);
    const Job next = only_job_in(JobPlace::timer);
    EXPECT_EQ(next.due_date, clock_.now() + 20min);
    EXPECT_EQ(next.repeat, "R1/2025-12-31T23:00:00Z/PT20M");
}

TEST_P(AdoptedSeries, The_zone_may_stand_in_the_text) {
    insert_by_sql("ACT_RU_TIMER_JOB", "0 0 12 * * ? DSTZONE:America/New_York");
    (void)fire_after(0ms);
    EXPECT_EQ(only_job_in(JobPlace::timer).due_date, clock_.now() + 17h);
}

TEST_P(AdoptedSeries, An_executable_row_brings_its_next_turn_when_it_is_done) {
    insert_by_sql("ACT_RU_JOB", "R/PT10M");
    complete(acquire().at(0));
    EXPECT_EQ(only_job_in(JobPlace::timer).due_date, clock_.now() + 10min);
    EXPECT_EQ(series("t").fire_count, 1);
}

TEST_P(AdoptedSeries, A_repeat_that_cannot_be_read_runs_once) {
    insert_by_sql("ACT_RU_TIMER_JOB", "every now and then");
    const Job fired = fire_after(0ms);
    EXPECT_EQ(fired.id, "t");
    complete(fired);
    EXPECT_EQ(count_rows("ACT_RU_TIMER_JOB"), 0);
    EXPECT_EQ(count_rows("JS_SERIES"), 0);
}

// Apps may delete free rows (docs/sql.md).
TEST_P(SeriesOperations, One_whose_turn_was_deleted_is_found_and_gets_it_back) {
    start(every_ten_minutes("lost"), a_job("").with_payload("17"));
    start(every_ten_minutes("well"));
    EXPECT_THAT(store_.series().series_without_turn("", 10), IsEmpty());
    EXPECT_EQ(store_.series().restore_turn("lost", clock_.now()), std::nullopt)
        << "it has its turn";
    const auto due = store_.series().find_series("lost")->series.next_fire;
    execute("DELETE FROM ACT_RU_TIMER_JOB WHERE ID_ = 'lost-1'");
    EXPECT_THAT(store_.series().series_without_turn("", 10), ElementsAre("lost"));
    EXPECT_THAT(store_.series().series_without_turn("lost", 10), ElementsAre("lost"));
    EXPECT_THAT(store_.series().series_without_turn("k", 10), IsEmpty())
        << "it stands behind that key";
    const auto turn = store_.series().restore_turn("lost", clock_.now());
    ASSERT_TRUE(turn.has_value());
    EXPECT_EQ(job(*turn).due_date, due);
    EXPECT_EQ(job(*turn).handler_type, "noop");
    EXPECT_THAT(store_.series().series_without_turn("", 10), IsEmpty());
    clock_.tick(10min);
    EXPECT_EQ(fire().size(), 2U);
    EXPECT_THAT(store_.series().series_without_turn("", 10), IsEmpty()) << "it goes on";
    EXPECT_EQ(store_.series().restore_turn("none", clock_.now()), std::nullopt);
}

TEST_P(SeriesOperations, A_turn_that_is_brought_back_is_like_the_last_job_of_its_series) {
    start(every_ten_minutes(), a_job("").with_payload("17"));
    const Job first = fire_after(10min);
    execute("DELETE FROM ACT_RU_TIMER_JOB");
    const auto turn = store_.series().restore_turn("s", clock_.now());
    ASSERT_TRUE(turn.has_value());
    EXPECT_EQ(job(*turn).payload, "17");
    complete(first);
    EXPECT_EQ(fire_after(10min).payload, "17");
}

TEST_P(SeriesOperations, Without_overlap_the_turn_that_ran_is_followed_by_the_next) {
    Series series = every_ten_minutes();
    series.overlap = false;
    start(series);
    (void)fire_after(10min);
    execute("DELETE FROM ACT_RU_JOB");
    EXPECT_THAT(store_.series().series_without_turn("", 10), ElementsAre("s"));
    ASSERT_TRUE(store_.series().restore_turn("s", clock_.now()).has_value());
    EXPECT_EQ(store_.series().find_series("s")->condition, SeriesCondition::waiting);
    (void)fire_after(10min);
}

class PausedSeries : public SeriesTest {
protected:
    std::int64_t pause(std::string_view key) { return suspend(SuspensionScope::series, key); }
    std::int64_t resume(std::string_view key) { return activate(SuspensionScope::series, key); }
    std::int64_t pause_group(std::string_view group) {
        return suspend(SuspensionScope::timer_group, group);
    }
    std::int64_t resume_group(std::string_view group) {
        return activate(SuspensionScope::timer_group, group);
    }

    Series in_group(std::string key, std::string group = "g") {
        return {.key = std::move(key), .group = std::move(group), .repeat = "R/PT10M"};
    }
};

ON_EVERY_DATABASE(PausedSeries);

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
    EXPECT_THAT(store_.jobs().list(JobPlace::suspended, {}, "", 10), SizeIs(1));
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
    EXPECT_THAT(places_of({"a-1", "b-1"}), ElementsAre("suspended", "timer"));
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
    EXPECT_EQ(suspend(SuspensionScope::instance, "i"), 1);
    clock_.tick(30min);
    EXPECT_THAT(fire(), IsEmpty());
    EXPECT_EQ(activate(SuspensionScope::instance, "i"), 1);
    EXPECT_EQ(fire().size(), 1U);
    EXPECT_EQ(series().next_fire, clock_.now() + 10min);
}

class StoredCalendars : public SeriesTest {
protected:
    std::size_t put(std::string name, std::string text) {
        return store_.series().put_calendar({std::move(name), std::move(text)}, clock_.now());
    }
};

ON_EVERY_DATABASE(StoredCalendars);

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
    suspend(SuspensionScope::series, "paused");
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

ON_EVERY_DATABASE(Namesakes);

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
    EXPECT_EQ(remove(JobPlace::timer, {"s"}).front(), JobAnswer::done);
    EXPECT_EQ(condition(), SeriesCondition::waiting);
    EXPECT_EQ(only_job_in(JobPlace::timer).id, "s-1");
}

}  // namespace

}  // namespace jobstrand::test
