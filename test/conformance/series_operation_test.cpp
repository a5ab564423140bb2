#include "persistence/sql/db_error.hpp"
#include "test/conformance/series_fixture.hpp"

#include <stdexcept>

namespace jobstrand::test {

namespace {

using persistence::SeriesFilter;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

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

INSTANTIATE_TEST_SUITE_P(
    OnEveryDatabase,
    SeriesOperations,
    testing::ValuesIn(databases_under_test()),
    name_of_database
);

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
    try {
        start(every_ten_minutes(), a_job("other"));
        FAIL() << "no error";
    } catch (const persistence::DbError& error) {
        EXPECT_EQ(error.kind(), persistence::DbErrorKind::duplicate_key);
    }
    EXPECT_EQ(place_of("other"), "nowhere");
}

TEST_P(SeriesOperations, A_series_begins_in_the_transaction_of_its_caller) {
    const auto begin = [&](bool fails) {
        store_.enqueuer().in_transaction(
            [&](Transaction& transaction) {
                (void)store_.enqueuer().create(
                    transaction,
                    {{.series = every_ten_minutes(), .first_turn = a_job("s-1")}},
                    clock_.now()
                );
                if (fails) {
                    throw std::runtime_error("the app has changed its mind");
                }
            },
            {}
        );
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
    store_.jobs().suspend(SuspensionScope::series, "d", clock_.now());
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
    store_.jobs().suspend(SuspensionScope::series, "c", clock_.now());
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
    EXPECT_EQ(store_.jobs().fire_timer("s-1", clock_.now()), JobAnswer::done);
    EXPECT_EQ(place_of("s-1"), "executable");
    EXPECT_EQ(only_job_in(JobPlace::timer).due_date, clock_.now() + 20min);
    EXPECT_EQ(carrying_jobs(), 1);
    // Also if its instruction would leave it out.
    clock_.tick(1h);
    EXPECT_EQ(
        store_.jobs().fire_timer(only_job_in(JobPlace::timer).id, clock_.now()), JobAnswer::done
    );
    EXPECT_EQ(count_rows("ACT_RU_JOB"), 2);
}

TEST_P(SeriesOperations, A_waiting_turn_can_be_given_another_due_date) {
    start(every_ten_minutes());
    EXPECT_EQ(
        store_.jobs().reschedule_timer("s-1", clock_.now() + 34min, clock_.now()), JobAnswer::done
    );
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
    const std::vector<std::string> ids{"s-1"};
    EXPECT_THAT(
        store_.jobs().remove(JobPlace::timer, ids, clock_.now()), ElementsAre(JobAnswer::done)
    );
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

INSTANTIATE_TEST_SUITE_P(
    OnEveryDatabase,
    AdoptedSeries,
    testing::ValuesIn(databases_under_test()),
    name_of_database
);

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

}  // namespace

}  // namespace jobstrand::test
