#include "test/conformance/rows/unreadable_row_fixture.hpp"

#include <fmt/format.h>

namespace jobstrand::test {

namespace {

using persistence::SuspensionScope;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;
using testing::UnorderedElementsAre;

INSTANTIATE_TEST_SUITE_P(
    OnEveryDatabase,
    UnreadableRows,
    testing::ValuesIn(databases_under_test()),
    name_of_database
);

TEST_P(UnreadableRows, One_that_is_acquired_becomes_a_dead_letter_and_the_others_run) {
    for (const OddValue& odd : unreadable_values(dialect())) {
        SCOPED_TRACE(fmt::format("{} = {}", odd.column, odd.literal));
        insert(JobPlace::executable, std::vector<Job>{a_job("a"), a_job("c")});
        insert_odd(JobPlace::executable, "b", odd);
        EXPECT_THAT(ids_of(acquire()), ElementsAre("a", "c"));
        expect_dead_letter("b", odd.column);
        EXPECT_THAT(acquire(), IsEmpty());
        execute("DELETE FROM ACT_RU_JOB");
        execute("DELETE FROM ACT_RU_DEADLETTER_JOB");
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
    insert(JobPlace::executable, a_job("b"));
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
    EXPECT_EQ(
        store_.executor().acquire_one("b", claim_of("me"), clock_.now()).answer,
        JobAnswer::not_found
    );
    EXPECT_EQ(place_of("b"), "dead");
}

TEST_P(UnreadableRows, A_timer_that_falls_due_becomes_a_dead_letter_and_the_others_move) {
    for (const OddValue& odd : unreadable_values(dialect())) {
        SCOPED_TRACE(fmt::format("{} = {}", odd.column, odd.literal));
        insert(JobPlace::timer, std::vector{a_timer("a"), a_timer("c")});
        insert_odd(JobPlace::timer, "b", odd);
        EXPECT_THAT(move(), UnorderedElementsAre("a", "c"));
        expect_dead_letter("b", odd.column);
        EXPECT_EQ(count_rows("ACT_RU_TIMER_JOB"), 0);
        execute("DELETE FROM ACT_RU_JOB");
        execute("DELETE FROM ACT_RU_DEADLETTER_JOB");
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
        execute("DELETE FROM ACT_RU_TIMER_JOB");
        execute("DELETE FROM ACT_RU_DEADLETTER_JOB");
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
            Job held = a_timer("a");
            held.lock_owner = "dead node";
            held.lock_expiration = clock_.now() - 1s;
            insert(place, held);
            insert_odd(place, "b", {"LOCK_EXP_TIME_", time});
            EXPECT_EQ(reset(place), 1);
            EXPECT_EQ(job("a").lock_owner, "");
            expect_dead_letter("b", "LOCK_EXP_TIME_");
            EXPECT_EQ(reset(place), 0);
            execute(fmt::format("DELETE FROM {}", schema::table_of(place)));
            execute("DELETE FROM ACT_RU_DEADLETTER_JOB");
        }
    }
}

TEST_P(UnreadableRows, A_lock_that_lasts_for_ever_is_a_dead_letter) {
    if (dialect().name == "mysql") {
        GTEST_SKIP() << "its columns hold no such thing";
    }
    const std::string_view for_ever = dialect().name == "sqlite" ? "'forever'" : "'infinity'";
    insert_odd(JobPlace::executable, "b", {"LOCK_EXP_TIME_", for_ever});
    EXPECT_EQ(reset(JobPlace::executable), 0);
    expect_dead_letter("b", "LOCK_EXP_TIME_");
}

TEST_P(UnreadableRows, A_revision_that_cannot_be_raised_does_not_stop_the_reset) {
    execute(
        "INSERT INTO ACT_RU_JOB (ID_, HANDLER_TYPE_, REV_, LOCK_OWNER_, LOCK_EXP_TIME_)"
        " VALUES ('b', 'noop', 2147483647, 'x', '2025-12-31 23:00:00.000')"
    );
    EXPECT_EQ(reset(JobPlace::executable), 0);
    expect_dead_letter("b", "REV_");
}

TEST_P(UnreadableRows, A_suspension_takes_the_others_along) {
    const OddValue odd = unreadable_values(dialect()).front();
    insert(JobPlace::executable, std::vector<Job>{a_job("a").of_instance("i")});
    insert_odd(JobPlace::executable, "b", odd);
    execute("UPDATE ACT_RU_JOB SET PROCESS_INSTANCE_ID_ = 'i'");
    EXPECT_EQ(store_.jobs().suspend(SuspensionScope::instance, "i", clock_.now()), 1);
    EXPECT_EQ(place_of("a"), "suspended");
    expect_dead_letter("b", odd.column);
    execute(fmt::format(
        "INSERT INTO ACT_RU_SUSPENDED_JOB (ID_, HANDLER_TYPE_, PROCESS_INSTANCE_ID_, {}) "
        "VALUES ('c', 'noop', 'i', {})",
        odd.column,
        odd.literal
    ));
    EXPECT_EQ(store_.jobs().activate(SuspensionScope::instance, "i", clock_.now()), 1);
    EXPECT_EQ(place_of("a"), "executable");
    expect_dead_letter("c", odd.column);
}

TEST_P(UnreadableRows, Lists_show_them_with_the_others) {
    for (const JobPlace place : schema::kJobPlaces) {
        SCOPED_TRACE(schema::name_of(place));
        insert(place, std::vector<Job>{a_job("a"), a_job("c")});
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
        EXPECT_THAT(
            store_.jobs().remove(place, std::vector<std::string>{"b", "c"}, clock_.now()),
            ElementsAre(JobAnswer::done, JobAnswer::done)
        );
        EXPECT_EQ(place_of("b"), "nowhere");
    }
}

TEST_P(UnreadableRows, A_timer_is_mended_by_a_new_due_date) {
    insert_odd(JobPlace::timer, "b", {"DUEDATE_", first_of_all_due_dates(dialect())});
    EXPECT_EQ(store_.jobs().reschedule_timer("b", clock_.now(), clock_.now()), JobAnswer::done);
    EXPECT_THAT(move(), ElementsAre("b"));
}

TEST_P(UnreadableRows, A_dead_letter_can_be_requeued) {
    insert_odd(JobPlace::dead_letter, "b", {"DUEDATE_", first_of_all_due_dates(dialect())});
    EXPECT_THAT(
        store_.jobs().requeue(std::vector<std::string>{"b"}, 2, std::nullopt, clock_.now()),
        ElementsAre(JobAnswer::done)
    );
    EXPECT_THAT(ids_of(acquire()), ElementsAre("b"));
}

TEST_P(UnreadableRows, A_change_of_one_mends_it) {
    insert_odd(JobPlace::executable, "b", {"CREATE_TIME_", unreadable_times(dialect()).front()});
    const persistence::JobChanges changes{schema::set_to(&Job::retries, 2)};
    EXPECT_EQ(
        store_.jobs().change(JobPlace::executable, "b", changes, clock_.now()), JobAnswer::done
    );
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
    EXPECT_THAT(
        store_.executor().apply(
            "node-1", std::vector{failed_outcome(held, {.message = "no"}, clock_.now())}
        ),
        ElementsAre(OutcomeAnswer::done)
    );
    EXPECT_EQ(place_of("b"), "timer");
    EXPECT_EQ(job("b").exception_message, "no");
}

TEST_P(UnreadableRows, A_priority_that_is_no_integer_does_not_stop_the_others) {
    if (dialect().name != "sqlite") {
        return;  // Its column holds integers only.
    }
    insert(JobPlace::executable, std::vector<Job>{a_job("a"), a_job("c").with_priority(3)});
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

}  // namespace

}  // namespace jobstrand::test
