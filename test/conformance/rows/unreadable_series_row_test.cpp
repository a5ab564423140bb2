#include "persistence/sql/dialect.hpp"
#include "test/conformance/rows/odd_values.hpp"
#include "test/conformance/series_fixture.hpp"

#include <fmt/format.h>

namespace jobstrand::test {

namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::SizeIs;
using testing::StartsWith;
using testing::UnorderedElementsAre;

/// Rows of JS_SERIES that somebody's SQL has changed into what they cannot mean: each harms itself
/// alone.
class UnreadableSeries : public SeriesTest {
protected:
    void SetUp() override {
        SeriesTest::SetUp();
        if (!IsSkipped()) {
            allow_odd_values(*connection_);
        }
    }

    [[nodiscard]] const persistence::Dialect& dialect() const { return connection_->dialect(); }

    void spoil(std::string_view key, const OddValue& odd) {
        execute(fmt::format(
            "UPDATE JS_SERIES SET {} = {} WHERE ID_ = '{}'", odd.column, odd.literal, key
        ));
    }

    /// A count that nobody can count with, on every database.
    static constexpr OddValue kOdd{"TURNS_TAKEN_", "9223372036854775807"};

    static Series without_overlap(std::string key) {
        return {.key = std::move(key), .repeat = "R/PT10M", .overlap = false};
    }

    [[nodiscard]] std::string complaint(std::string_view key = "odd") {
        return store_.series().find_series(key).value().complaint;
    }

    void expect_ended(std::string_view key = "odd") {
        EXPECT_EQ(condition(key), SeriesCondition::ended);
        EXPECT_EQ(complaint(key), "");
        EXPECT_EQ(series(key).next_fire, std::nullopt);
    }

    void delete_all() {
        for (const JobPlace place : schema::kJobPlaces) {
            execute(fmt::format("DELETE FROM {}", schema::table_of(place)));
        }
        execute("DELETE FROM JS_SERIES");
    }
};

INSTANTIATE_TEST_SUITE_P(
    OnEveryDatabase,
    UnreadableSeries,
    testing::ValuesIn(databases_under_test()),
    name_of_database
);

TEST_P(UnreadableSeries, One_has_its_turn_and_ends_and_the_others_go_on) {
    for (const OddValue& odd : unreadable_series_values(dialect())) {
        SCOPED_TRACE(fmt::format("{} = {}", odd.column, odd.literal));
        start(every_ten_minutes("good"));
        start(every_ten_minutes("odd"));
        insert(JobPlace::timer, a_job("timer").due_at(clock_.now() + 10min));
        spoil("odd", odd);
        clock_.tick(10min);
        EXPECT_THAT(ids_of(fire()), UnorderedElementsAre("good-1", "odd-1", "timer"));
        expect_ended();
        EXPECT_EQ(condition("good"), SeriesCondition::waiting);
        clock_.tick(10min);
        EXPECT_THAT(fire(), SizeIs(1));
        EXPECT_EQ(store_.series().remove_series("odd"), SeriesAnswer::done);
        delete_all();
    }
}

TEST_P(UnreadableSeries, One_is_listed_with_what_is_wrong_and_ended_and_removed_by_its_key) {
    for (const OddValue& odd : unreadable_series_values(dialect())) {
        SCOPED_TRACE(fmt::format("{} = {}", odd.column, odd.literal));
        start(every_ten_minutes("a"));
        start(every_ten_minutes("odd"));
        spoil("odd", odd);
        const auto listed = store_.series().list_series({}, "", 10);
        ASSERT_THAT(listed, SizeIs(2));
        EXPECT_EQ(listed[0].complaint, "");
        EXPECT_THAT(listed[1].complaint, StartsWith(fmt::format("{} \"", odd.column)));
        EXPECT_THAT(
            store_.series().list_series({.condition = SeriesCondition::waiting}, "", 10), SizeIs(2)
        );
        EXPECT_EQ(store_.series().remove_series("odd"), SeriesAnswer::not_ended);
        EXPECT_EQ(store_.series().end_series("odd", clock_.now()), SeriesAnswer::done);
        EXPECT_EQ(place_of("odd-1"), "nowhere");
        expect_ended();
        EXPECT_EQ(store_.series().remove_series("odd"), SeriesAnswer::done);
        EXPECT_EQ(store_.series().find_series("odd"), std::nullopt);
        delete_all();
    }
}

TEST_P(UnreadableSeries, One_that_runs_ends_with_its_turn_and_other_outcomes_are_written) {
    for (const OddValue& odd : unreadable_series_values(dialect())) {
        SCOPED_TRACE(fmt::format("{} = {}", odd.column, odd.literal));
        start(without_overlap("odd"));
        const Job turn = fire_after(10min);
        const Job other = insert_and_acquire(a_job("other"));
        spoil("odd", odd);
        const std::vector outcomes{completed_outcome(turn), completed_outcome(other)};
        EXPECT_THAT(
            store_.executor().apply("node-1", outcomes),
            ElementsAre(OutcomeAnswer::done, OutcomeAnswer::done)
        );
        expect_ended();
        EXPECT_THAT(store_.jobs().list(JobPlace::timer, {}, "", 10), IsEmpty());
        delete_all();
    }
}

TEST_P(UnreadableSeries, A_turn_that_fails_has_its_retries) {
    start(without_overlap("odd"));
    fail(fire_after(10min));
    spoil("odd", kOdd);
    const Job again = fire_after(1min);
    EXPECT_EQ(again.id, "odd-1");
    EXPECT_THAT(complaint(), StartsWith("TURNS_TAKEN_ "));
    kill_job(again);
    EXPECT_EQ(place_of("odd-1"), "dead");
    expect_ended();
}

TEST_P(UnreadableSeries, Every_column_that_is_wrong_is_named) {
    start(every_ten_minutes("odd"));
    spoil("odd", kOdd);
    spoil("odd", {"STATE_", "'x'"});
    spoil("odd", {"RETRIES_", "2147483647"});
    EXPECT_EQ(
        complaint(),
        "RETRIES_ \"2147483647\" is not a number that can be counted with; "
        "TURNS_TAKEN_ \"9223372036854775807\" is not a number that can be counted with; "
        "STATE_ \"x\" is not the state of a series"
    );
}

TEST_P(UnreadableSeries, One_is_mended_by_new_times) {
    start(every_ten_minutes("odd"));
    spoil("odd", {"STATE_", "'x'"});
    const Series times{.key = "odd", .repeat = "R/PT20M"};
    EXPECT_EQ(store_.series().reschedule_series(times, clock_.now()), SeriesAnswer::done);
    EXPECT_EQ(complaint(), "");
    fire_after(20min);
    EXPECT_EQ(series("odd").fire_count, 1);
    EXPECT_EQ(condition("odd"), SeriesCondition::waiting);
}

// Else it would lose its end, or the number of its turns.
TEST_P(UnreadableSeries, Another_date_for_its_turn_does_not_mend_one) {
    start(every_ten_minutes("odd"));
    spoil("odd", kOdd);
    EXPECT_EQ(
        store_.jobs().reschedule_timer("odd-1", clock_.now() + 1min, clock_.now()), JobAnswer::done
    );
    EXPECT_THAT(complaint(), StartsWith("TURNS_TAKEN_ "));
    fire_after(1min);
    expect_ended();
}

TEST_P(UnreadableSeries, One_is_fired_by_hand) {
    start(every_ten_minutes("odd"));
    spoil("odd", {"RETRIES_", "2147483647"});
    const auto extra = store_.series().fire_series("odd", clock_.now());
    ASSERT_TRUE(extra);
    EXPECT_EQ(job(*extra).retries, schema::kDefaultRetries);
    EXPECT_EQ(store_.jobs().fire_timer("odd-1", clock_.now()), JobAnswer::done);
    EXPECT_EQ(place_of("odd-1"), "executable");
    expect_ended();
}

TEST_P(UnreadableSeries, One_ends_when_its_turn_is_removed) {
    start(every_ten_minutes("odd"));
    spoil("odd", kOdd);
    const std::vector<std::string> turn{"odd-1"};
    EXPECT_THAT(
        store_.jobs().remove(JobPlace::timer, turn, clock_.now()), ElementsAre(JobAnswer::done)
    );
    expect_ended();
}

TEST_P(UnreadableSeries, One_is_paused_and_resumed) {
    start(every_ten_minutes("odd"));
    spoil("odd", {"STATE_", "'x'"});
    EXPECT_EQ(store_.jobs().suspend(SuspensionScope::series, "odd", clock_.now()), 1);
    EXPECT_EQ(condition("odd"), SeriesCondition::paused);
    EXPECT_EQ(store_.jobs().activate(SuspensionScope::series, "odd", clock_.now()), 1);
    EXPECT_EQ(condition("odd"), SeriesCondition::waiting);
}

TEST_P(UnreadableSeries, A_changed_calendar_leaves_one_alone_and_moves_the_others) {
    store_.series().put_calendar({"base", "weekly SUN"}, clock_.now());
    for (const char* const key : {"a", "odd", "z"}) {
        start({.key = key, .repeat = "0 0 9 * * ?", .calendar = "base"});
    }
    const auto due = job("odd-1").due_date;
    spoil("odd", {"STATE_", "'x'"});
    spoil("z", {"REV_", "2147483647"});
    EXPECT_EQ(store_.series().put_calendar({"base", "weekly THU"}, clock_.now()), 2U);
    EXPECT_EQ(job("odd-1").due_date, due);
    EXPECT_EQ(job("a-1").due_date, job("z-1").due_date);
    EXPECT_NE(job("a-1").due_date, due);
}

TEST_P(UnreadableSeries, A_key_that_nothing_finds_does_not_stop_a_change_of_its_calendar) {
    store_.series().put_calendar({"base", "weekly SUN"}, clock_.now());
    for (const char* const key : {"a", "odd"}) {
        start({.key = key, .repeat = "0 0 9 * * ?", .calendar = "base"});
    }
    spoil("odd", {"ID_", dialect().name == "sqlite" ? "x'00ff'" : "''"});
    EXPECT_EQ(store_.series().put_calendar({"base", "weekly THU"}, clock_.now()), 1U);
    clock_.tick(40h);
    EXPECT_THAT(ids_of(fire()), IsSupersetOf({"a-1", "odd-1"}));
    EXPECT_EQ(condition("odd"), SeriesCondition::waiting) << "adopted: there is no such series";
}

TEST_P(UnreadableSeries, A_revision_that_cannot_be_raised_begins_anew) {
    std::vector<std::string_view> revisions{"2147483647"};
    if (dialect().name == "sqlite") {
        revisions.insert(revisions.end(), {"'x'", "x'01'", "9223372036854775807", "1e300"});
    }
    start(every_ten_minutes());
    for (const std::string_view revision : revisions) {
        SCOPED_TRACE(revision);
        spoil("s", {"REV_", revision});
        complete(fire_after(10min));
        EXPECT_EQ(count_rows("JS_SERIES WHERE REV_ = 1"), 1);
        EXPECT_EQ(condition(), SeriesCondition::waiting);
    }
}

/// Right, nearly right, and absurd: whatever its columns take, the others go on.
TEST_P(UnreadableSeries, No_value_in_any_column_harms_others) {
    const auto& table =
        *std::ranges::find(schema::tables(), std::string_view("JS_SERIES"), &schema::Table::name);
    for (const schema::Column& column : table.columns) {
        SCOPED_TRACE(column.name);
        int number = 0;
        for (const std::string& literal : literals_for(column.kind, dialect())) {
            const std::string key = fmt::format("odd{}", number++);
            start(every_ten_minutes(key));
            try {
                spoil(key, {column.name, literal});
            } catch (const persistence::DbError&) {
                continue;  // The table does not take it.
            }
            (void)store_.series().find_series(key);
        }
        start(every_ten_minutes("good"));
        (void)store_.series().list_series({}, "", 1000);
        clock_.tick(10min);
        const std::vector<Job> fired = fire();
        EXPECT_THAT(ids_of(fired), testing::Contains("good-1"));
        for (const Job& turn : fired) {
            complete(turn);
        }
        for (const SeriesSummary& one : store_.series().list_series({}, "", 1000)) {
            (void)store_.series().end_series(one.series.key, clock_.now());
            (void)store_.series().remove_series(one.series.key);
        }
        EXPECT_EQ(store_.series().find_series("good"), std::nullopt);
        delete_all();
    }
}

}  // namespace

}  // namespace jobstrand::test
