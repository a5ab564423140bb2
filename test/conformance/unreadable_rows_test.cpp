#include "persistence/sql/dialect.hpp"
#include "test/conformance/odd_values.hpp"
#include "test/conformance/series_fixture.hpp"
#include "test/conformance/store_test.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::test {

namespace {

using testing::IsSupersetOf;

/// Rows that a producer's SQL has written wrong: each harms itself alone.
class UnreadableRows : public WithOddValues<StoreTest> {
protected:
    /// A row whose other columns are right; its type is "noop".
    void insert_odd(JobPlace place, std::string_view id, const OddValue& odd) {
        const bool is_timer = place == JobPlace::timer && odd.column != "DUEDATE_";
        execute(fmt::format(
            "INSERT INTO {} (ID_, HANDLER_TYPE_, {}{}) VALUES ('{}', 'noop', {}{})",
            schema::table_of(place),
            odd.column,
            is_timer ? ", DUEDATE_" : "",
            id,
            odd.literal,
            is_timer ? ", '2025-12-31 23:00:00.000'" : ""
        ));
    }

    std::vector<std::string> move() { return ids_of(move_due().locked); }

    /// Between two values that are tried.
    void delete_jobs_of(JobPlace place = JobPlace::executable) {
        execute(fmt::format("DELETE FROM {}", schema::table_of(place)));
        execute("DELETE FROM ACT_RU_DEADLETTER_JOB");
    }

    std::vector<std::string> listed(JobPlace place) {
        return ids_of(store_.jobs().list(place, {}, "", 100));
    }

    void expect_dead_letter(std::string_view id, std::string_view column) {
        EXPECT_EQ(place_of(id), "dead") << column;
        EXPECT_THAT(job(id).exception_message, StartsWith(fmt::format("{} \"", column)));
    }
};

ON_EVERY_DATABASE(UnreadableRows);

TEST_P(UnreadableRows, One_that_is_acquired_becomes_a_dead_letter_and_the_others_run) {
    for (const OddValue& odd : unreadable_values(dialect())) {
        SCOPED_TRACE(fmt::format("{} = {}", odd.column, odd.literal));
        insert({a_job("a"), a_job("c")});
        insert_odd(JobPlace::executable, "b", odd);
        EXPECT_THAT(ids_of(acquire()), ElementsAre("a", "c"));
        expect_dead_letter("b", odd.column);
        EXPECT_THAT(acquire(), IsEmpty());
        delete_jobs_of();
    }
}

TEST_P(UnreadableRows, Their_dead_letter_keeps_what_could_be_read) {
    const OddValue odd = unreadable_values(dialect()).front();
    execute(fmt::format(
        "INSERT INTO ACT_RU_JOB (ID_, HANDLER_TYPE_, HANDLER_CFG_, PROCESS_INSTANCE_ID_, PRIORITY_,"
        " EXCEPTION_MSG_, {}) VALUES ('b', 'noop', '[7]', 'order-17', 5, 'it broke', {})",
        odd.column,
        odd.literal
    ));
    EXPECT_THAT(acquire(), IsEmpty());
    const Job dead = job("b");
    EXPECT_EQ(dead.payload, "[7]");
    EXPECT_EQ(dead.process_instance_id, "order-17");
    EXPECT_EQ(dead.priority, 5);
    EXPECT_EQ(dead.attempts, 0);
    EXPECT_THAT(dead.exception_message, StartsWith("REV_ \"2147483647\" is not"));
    EXPECT_THAT(dead.exception_message, HasSubstr("; it broke"));
}

TEST_P(UnreadableRows, Every_column_that_is_wrong_is_named) {
    execute(fmt::format(
        "INSERT INTO ACT_RU_JOB (ID_, HANDLER_TYPE_, REV_, CREATE_TIME_, ATTEMPTS_)"
        " VALUES ('b', 'noop', 2147483647, {}, 2147483647)",
        unreadable_times(dialect()).front()
    ));
    const std::string message = job("b").exception_message;
    for (const std::string_view column : {"REV_ ", "; CREATE_TIME_ ", "; ATTEMPTS_ "}) {
        EXPECT_THAT(message, HasSubstr(column));
    }
}

TEST_P(UnreadableRows, A_page_of_nothing_else_is_not_the_end_of_the_table) {
    const OddValue odd = unreadable_values(dialect()).front();
    for (int i = 0; i < 5; ++i) {
        insert_odd(JobPlace::executable, fmt::format("a{}", i), odd);
    }
    insert(a_job("b"));
    EXPECT_THAT(ids_of(acquire(2)), ElementsAre("b"));
    EXPECT_EQ(count_rows("ACT_RU_DEADLETTER_JOB"), 5);
}

TEST_P(UnreadableRows, One_whose_id_a_dead_letter_has_gets_another_one) {
    insert(JobPlace::dead_letter, a_job("b"));
    insert_odd(JobPlace::executable, "b", unreadable_values(dialect()).front());
    EXPECT_THAT(acquire(), IsEmpty());
    const auto dead = store_.jobs().list(JobPlace::dead_letter, {}, "", 10);
    ASSERT_THAT(dead, SizeIs(2));
    const Job& renamed = dead[0].id == "b" ? dead[1] : dead[0];
    EXPECT_THAT(
        renamed.exception_message, HasSubstr("its id was b, which another dead letter has")
    );
}

TEST_P(UnreadableRows, One_is_not_run_by_hand_with_other_values_than_its_own) {
    insert_odd(JobPlace::executable, "b", unreadable_values(dialect()).front());
    EXPECT_EQ(acquire_one("b", "me").answer, JobAnswer::not_found);
    EXPECT_EQ(place_of("b"), "dead");
}

TEST_P(UnreadableRows, A_timer_that_falls_due_becomes_a_dead_letter_and_the_others_move) {
    for (const OddValue& odd : unreadable_values(dialect())) {
        SCOPED_TRACE(fmt::format("{} = {}", odd.column, odd.literal));
        insert(JobPlace::timer, {a_timer("a"), a_timer("c")});
        insert_odd(JobPlace::timer, "b", odd);
        EXPECT_THAT(move(), UnorderedElementsAre("a", "c"));
        expect_dead_letter("b", odd.column);
        EXPECT_EQ(count_rows("ACT_RU_TIMER_JOB"), 0);
        delete_jobs_of();
    }
}

TEST_P(UnreadableRows, An_unreadable_due_date_does_not_keep_the_others_from_theirs) {
    for (const std::string_view due : unreadable_times(dialect())) {
        SCOPED_TRACE(due);
        insert(JobPlace::timer, a_timer("a", 1h));
        insert_odd(JobPlace::timer, "b", {"DUEDATE_", due});
        EXPECT_EQ(store_.timers().next_due({}), clock_.now() + 1h);
        expect_dead_letter("b", "DUEDATE_");
        EXPECT_EQ(job("b").due_date, std::nullopt);
        delete_jobs_of(JobPlace::timer);
    }
}

TEST_P(UnreadableRows, A_due_date_that_never_comes_is_a_dead_letter_when_nothing_stands_before_it) {
    const bool is_free = dialect().name == "sqlite";
    if (!is_free && dialect().name != "postgresql") {
        GTEST_SKIP() << "its columns hold no such thing";
    }
    insert_odd(JobPlace::timer, "b", {"DUEDATE_", is_free ? "'someday'" : "'infinity'"});
    EXPECT_EQ(store_.timers().next_due({}), std::nullopt);
    expect_dead_letter("b", "DUEDATE_");
}

TEST_P(UnreadableRows, An_unreadable_lock_does_not_keep_the_reset_from_the_others) {
    for (const JobPlace place :
         {JobPlace::executable, JobPlace::external_worker, JobPlace::timer}) {
        for (const std::string_view time : unreadable_times(dialect())) {
            SCOPED_TRACE(fmt::format("{} {}", schema::table_of(place), time));
            insert(place, a_timer("a").locked_by("dead node", clock_.now() - 1s));
            insert_odd(place, "b", {"LOCK_EXP_TIME_", time});
            EXPECT_EQ(reset_locks(place), 1);
            EXPECT_EQ(job("a").lock_owner, "");
            expect_dead_letter("b", "LOCK_EXP_TIME_");
            EXPECT_EQ(reset_locks(place), 0);
            delete_jobs_of(place);
        }
    }
}

TEST_P(UnreadableRows, A_lock_that_lasts_for_ever_is_a_dead_letter) {
    if (dialect().name == "mysql") {
        GTEST_SKIP() << "its columns hold no such thing";
    }
    const std::string_view for_ever = dialect().name == "sqlite" ? "'forever'" : "'infinity'";
    insert_odd(JobPlace::executable, "b", {"LOCK_EXP_TIME_", for_ever});
    EXPECT_EQ(reset_locks(), 0);
    expect_dead_letter("b", "LOCK_EXP_TIME_");
}

TEST_P(UnreadableRows, A_revision_that_cannot_be_raised_does_not_stop_the_reset) {
    execute(
        "INSERT INTO ACT_RU_JOB (ID_, HANDLER_TYPE_, REV_, LOCK_OWNER_, LOCK_EXP_TIME_)"
        " VALUES ('b', 'noop', 2147483647, 'x', '2025-12-31 23:00:00.000')"
    );
    EXPECT_EQ(reset_locks(), 0);
    expect_dead_letter("b", "REV_");
}

TEST_P(UnreadableRows, A_suspension_takes_the_others_along) {
    const OddValue odd = unreadable_values(dialect()).front();
    insert({a_job("a").of_instance("i")});
    insert_odd(JobPlace::executable, "b", odd);
    execute("UPDATE ACT_RU_JOB SET PROCESS_INSTANCE_ID_ = 'i'");
    EXPECT_EQ(suspend(SuspensionScope::instance, "i"), 1);
    EXPECT_EQ(place_of("a"), "suspended");
    expect_dead_letter("b", odd.column);
    execute(fmt::format(
        "INSERT INTO ACT_RU_SUSPENDED_JOB (ID_, HANDLER_TYPE_, PROCESS_INSTANCE_ID_, {}) "
        "VALUES ('c', 'noop', 'i', {})",
        odd.column,
        odd.literal
    ));
    EXPECT_EQ(activate(SuspensionScope::instance, "i"), 1);
    EXPECT_EQ(place_of("a"), "executable");
    expect_dead_letter("c", odd.column);
}

TEST_P(UnreadableRows, Lists_show_them_with_the_others) {
    for (const JobPlace place : schema::kJobPlaces) {
        SCOPED_TRACE(schema::name_of(place));
        insert(place, {a_job("a"), a_job("c")});
        insert_odd(place, "b", {"CREATE_TIME_", unreadable_times(dialect()).front()});
        const auto jobs = store_.jobs().list(place, {}, "", 10);
        ASSERT_THAT(ids_of(jobs), ElementsAre("a", "b", "c"));
        EXPECT_EQ(jobs[0].exception_message, "");
        EXPECT_THAT(jobs[1].exception_message, StartsWith("CREATE_TIME_ \""));
        execute(fmt::format("DELETE FROM {}", schema::table_of(place)));
    }
}

TEST_P(UnreadableRows, Each_can_be_found_and_removed_by_its_id) {
    for (const JobPlace place : schema::kJobPlaces) {
        SCOPED_TRACE(schema::name_of(place));
        insert_odd(place, "b", {"CREATE_TIME_", unreadable_times(dialect()).front()});
        insert_odd(place, "c", {"REV_", "2147483647"});
        EXPECT_EQ(place_of("b"), schema::name_of(place));
        EXPECT_THAT(remove(place, {"b", "c"}), ElementsAre(JobAnswer::done, JobAnswer::done));
        EXPECT_EQ(place_of("b"), "nowhere");
    }
}

TEST_P(UnreadableRows, A_timer_is_mended_by_a_new_due_date) {
    insert_odd(JobPlace::timer, "b", {"DUEDATE_", first_of_all_due_dates(dialect())});
    EXPECT_EQ(reschedule_timer("b", clock_.now()), JobAnswer::done);
    EXPECT_THAT(move(), ElementsAre("b"));
}

TEST_P(UnreadableRows, A_dead_letter_can_be_requeued) {
    insert_odd(JobPlace::dead_letter, "b", {"DUEDATE_", first_of_all_due_dates(dialect())});
    EXPECT_THAT(requeue({"b"}, 2), ElementsAre(JobAnswer::done));
    EXPECT_THAT(ids_of(acquire()), ElementsAre("b"));
}

TEST_P(UnreadableRows, A_change_of_one_mends_it) {
    insert_odd(JobPlace::executable, "b", {"CREATE_TIME_", unreadable_times(dialect()).front()});
    const persistence::JobChanges changes{schema::set_to(&Job::retries, 2)};
    EXPECT_EQ(change(JobPlace::executable, "b", changes), JobAnswer::done);
    const auto held = acquire();
    ASSERT_THAT(ids_of(held), ElementsAre("b"));
    EXPECT_EQ(held[0].retries, 2);
}

// A row may be changed while its job runs.
TEST_P(UnreadableRows, An_outcome_is_written_over_what_cannot_be_read) {
    const Job held = insert_and_acquire(a_job("b"));
    execute(fmt::format(
        "UPDATE ACT_RU_JOB SET CREATE_TIME_ = {} WHERE ID_ = 'b'",
        unreadable_times(dialect()).front()
    ));
    expect_done(failed_outcome(held));
    EXPECT_EQ(place_of("b"), "timer");
    EXPECT_EQ(job("b").exception_message, "no");
}

TEST_P(UnreadableRows, A_priority_that_is_no_integer_does_not_stop_the_others) {
    if (dialect().name != "sqlite") {
        return;  // Its column holds integers only.
    }
    insert({a_job("a"), a_job("c").with_priority(3)});
    insert_odd(JobPlace::executable, "b1", {"PRIORITY_", "1.5"});
    insert_odd(JobPlace::executable, "b2", {"PRIORITY_", "-1e300"});
    insert_odd(JobPlace::executable, "b3", {"PRIORITY_", "'high'"});
    insert_odd(JobPlace::executable, "b4", {"PRIORITY_", "x'01'"});
    EXPECT_THAT(
        ids_of(
            store_.executor().acquire_in_order(claim_of("node-1"), noop_, {.by_priority = true}, 10)
        ),
        ElementsAre("c", "a")
    );
}

/// Ids that no statement finds.
class NamelessRows : public UnreadableRows {
protected:
    void insert_nameless(JobPlace place) {
        execute(fmt::format(
            "INSERT INTO {} (ID_, HANDLER_TYPE_, DUEDATE_) "
            "VALUES ('', 'noop', '2025-12-31 23:00:00.000')",
            schema::table_of(place)
        ));
        if (dialect().name == "sqlite") {
            execute(fmt::format(
                "INSERT INTO {} (ID_, HANDLER_TYPE_, DUEDATE_) VALUES"
                " (x'00FFabcd', 'noop', '2025-12-31 23:00:00.000'),"
                " (x'', 'noop', '2025-12-31 23:00:00.000')",
                schema::table_of(place)
            ));
        }
    }

    [[nodiscard]] std::size_t nameless() const { return dialect().name == "sqlite" ? 3 : 1; }
};

ON_EVERY_DATABASE(NamelessRows);

TEST_P(NamelessRows, They_get_an_id_and_run_once) {
    insert_nameless(JobPlace::executable);
    insert(a_job("a"));
    std::vector<Job> held = acquire();
    for (std::vector<Job> more = acquire(); !more.empty(); more = acquire()) {
        held.insert(held.end(), more.begin(), more.end());
    }
    EXPECT_THAT(held, SizeIs(1 + nameless()));
    if (dialect().name == "sqlite") {
        EXPECT_THAT(ids_of(held), testing::Contains("00ffabcd"));
    }
    for (const Job& job : held) {
        EXPECT_EQ(place_of(job.id), "executable");
        expect_done(completed_outcome(job));
    }
}

TEST_P(NamelessRows, Timers_get_an_id_before_they_move) {
    insert_nameless(JobPlace::timer);
    insert(JobPlace::timer, a_timer("a"));
    std::vector<std::string> moved = move();
    for (auto more = move(); !more.empty(); more = move()) {
        moved.insert(moved.end(), more.begin(), more.end());
    }
    EXPECT_THAT(moved, SizeIs(1 + nameless()));
    EXPECT_EQ(count_rows("ACT_RU_TIMER_JOB"), 0);
}

TEST_P(NamelessRows, Lists_give_them_one_by_which_they_can_be_removed) {
    for (const JobPlace place : schema::kJobPlaces) {
        SCOPED_TRACE(schema::name_of(place));
        insert_nameless(place);
        insert(place, a_job("a"));
        std::vector<std::string> ids = listed(place);
        ASSERT_THAT(ids, SizeIs(1 + nameless()));
        EXPECT_EQ(store_.jobs().list_ids(place, {}, "", 100), ids);
        EXPECT_EQ(
            ids_of(store_.jobs().list(place, {}, ids.back(), 100)), std::vector<std::string>{}
        );
        EXPECT_THAT(remove(place, ids), Each(JobAnswer::done));
        EXPECT_EQ(count_rows(schema::table_of(place)), 0);
    }
}

TEST_P(NamelessRows, They_do_not_keep_the_reset_from_the_others) {
    insert(a_job("a").locked_by("dead node", clock_.now() - 1s));
    insert_nameless(JobPlace::executable);
    execute("UPDATE ACT_RU_JOB SET LOCK_EXP_TIME_ = '2025-12-31 23:00:00.000'");
    std::int64_t freed = 0;
    for (int pass = 0; pass < 3; ++pass) {
        freed += reset_locks();
    }
    EXPECT_EQ(freed, static_cast<std::int64_t>(1 + nameless()));
}

TEST_P(NamelessRows, Bytes_whose_text_is_taken_get_a_longer_one) {
    if (dialect().name != "sqlite") {
        return;  // Its column holds texts only.
    }
    insert(a_job("abcd"));
    execute("INSERT INTO ACT_RU_JOB (ID_, HANDLER_TYPE_) VALUES (x'ABCD', 'noop')");
    const auto ids = listed(JobPlace::executable);
    ASSERT_THAT(ids, SizeIs(2));
    EXPECT_EQ(ids[0], "abcd");
    EXPECT_THAT(ids[1], StartsWith("abcd-"));
}

/// Where times are texts, a form of its own changes where a due date stands.
class TextTimes : public UnreadableRows {
protected:
    void insert_due(std::string_view id, std::string_view due) {
        insert_odd(JobPlace::timer, id, {"DUEDATE_", fmt::format("'{}'", due)});
    }
};

ON_SQLITE(TextTimes);

TEST_P(TextTimes, Each_form_that_has_one_meaning_is_due_at_its_time) {
    for (const std::string_view due :
         {"2026-01-01T01:00:00Z",
          "2026-01-01T01:00:00",
          "2026-01-01 01:00:00",
          "2026-01-01 01:00:00.0",
          "2026-01-01 01:00:00.000000000",
          "2026-01-01 01:00:00+00:00",
          "2026-01-01 06:30:00+05:30",
          "2025-12-31 20:00:00-05:00",
          "2025-12-31T20:00:00.000-0500"}) {
        SCOPED_TRACE(due);
        insert_due("a", due);
        EXPECT_EQ(store_.timers().next_due({}), clock_.now() + 1h);
        EXPECT_THAT(move(), IsEmpty());
        clock_.tick(1h);
        EXPECT_THAT(move(), ElementsAre("a"));
        clock_.tick(-1h);
        execute("DELETE FROM ACT_RU_JOB");
    }
}

TEST_P(TextTimes, One_that_sorts_too_early_is_stored_anew_and_does_not_fire) {
    insert(JobPlace::timer, a_timer("a"));
    insert_due("b", "2025-12-31 20:00:00-05:00");
    EXPECT_THAT(move(), ElementsAre("a"));
    EXPECT_EQ(place_of("b"), "timer");
    EXPECT_EQ(
        execute("DELETE FROM ACT_RU_TIMER_JOB WHERE DUEDATE_ = '2026-01-01 01:00:00.000'"), 1
    );
}

TEST_P(TextTimes, One_that_stands_first_does_not_hide_who_is_due_before_it) {
    insert_due("a", "2025-12-31 20:00:00-05:00");
    insert(JobPlace::timer, a_timer("b", 1min));
    EXPECT_EQ(store_.timers().next_due({}), clock_.now() + 1min);
}

/// Rows of JS_SERIES that somebody's SQL has changed into what they cannot mean: each harms itself
/// alone.
class UnreadableSeries : public WithOddValues<SeriesTest> {
protected:
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

ON_EVERY_DATABASE(UnreadableSeries);

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
        EXPECT_THAT(
            apply({completed_outcome(turn), completed_outcome(other)}),
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
    EXPECT_EQ(reschedule_timer("odd-1", clock_.now() + 1min), JobAnswer::done);
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
    EXPECT_EQ(fire_timer("odd-1"), JobAnswer::done);
    EXPECT_EQ(place_of("odd-1"), "executable");
    expect_ended();
}

TEST_P(UnreadableSeries, One_ends_when_its_turn_is_removed) {
    start(every_ten_minutes("odd"));
    spoil("odd", kOdd);
    EXPECT_THAT(remove(JobPlace::timer, {"odd-1"}), ElementsAre(JobAnswer::done));
    expect_ended();
}

TEST_P(UnreadableSeries, One_is_paused_and_resumed) {
    start(every_ten_minutes("odd"));
    spoil("odd", {"STATE_", "'x'"});
    EXPECT_EQ(suspend(SuspensionScope::series, "odd"), 1);
    EXPECT_EQ(condition("odd"), SeriesCondition::paused);
    EXPECT_EQ(activate(SuspensionScope::series, "odd"), 1);
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
            } catch (const DbError&) {
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
