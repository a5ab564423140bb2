#include "persistence/sql/db_error.hpp"
#include "test/conformance/store_test.hpp"

#include <fmt/format.h>

namespace jobstrand::test {

namespace {

/// What an app or a Flowable node writes, and what becomes of it here.
class PlainSql : public StoreTest {};

ON_EVERY_DATABASE(PlainSql);

TEST_P(PlainSql, Three_columns_make_a_job) {
    execute("INSERT INTO ACT_RU_JOB (ID_, HANDLER_TYPE_, HANDLER_CFG_) VALUES ('a', 'noop', '{}')");
    const std::vector<Job> acquired = acquire();
    ASSERT_THAT(ids_of(acquired), ElementsAre("a"));
    EXPECT_EQ(acquired[0].payload, "{}");
    EXPECT_EQ(acquired[0].type, schema::kMessageType);
    EXPECT_EQ(acquired[0].retries, 3);
    EXPECT_TRUE(acquired[0].exclusive);
    EXPECT_EQ(acquired[0].revision, 2);
    EXPECT_EQ(acquired[0].priority, 0);
    EXPECT_TRUE(acquired[0].create_time.has_value());
    expect_done(completed_outcome(acquired[0]));
}

TEST_P(PlainSql, Columns_that_are_NULL_against_their_sense_read_as_their_defaults) {
    execute(
        "INSERT INTO ACT_RU_JOB (ID_, REV_, HANDLER_TYPE_, EXCLUSIVE_, RETRIES_, CREATE_TIME_, "
        "TENANT_ID_) VALUES ('a', NULL, 'noop', NULL, NULL, NULL, NULL)"
    );
    const Job stored = job("a");
    EXPECT_EQ(stored.revision, 1);
    EXPECT_TRUE(stored.exclusive);
    EXPECT_EQ(stored.retries, 3);
    EXPECT_EQ(stored.create_time, std::nullopt);
    EXPECT_EQ(stored.tenant_id, "");
    const Job held = acquire().at(0);
    EXPECT_EQ(held, job("a"));
    apply({failed_outcome(held)});
    EXPECT_EQ(place_of("a"), "timer");
    EXPECT_EQ(job("a").retries, 2);
}

TEST_P(PlainSql, A_row_with_all_of_Flowables_columns_goes_through_a_life) {
    execute(
        "INSERT INTO ACT_RU_TIMER_JOB (ID_, REV_, CATEGORY_, TYPE_, LOCK_EXP_TIME_, LOCK_OWNER_, "
        "EXCLUSIVE_, EXECUTION_ID_, PROCESS_INSTANCE_ID_, PROC_DEF_ID_, ELEMENT_ID_, "
        "ELEMENT_NAME_, SCOPE_ID_, SUB_SCOPE_ID_, SCOPE_TYPE_, SCOPE_DEFINITION_ID_, "
        "CORRELATION_ID_, RETRIES_, EXCEPTION_STACK_ID_, EXCEPTION_MSG_, DUEDATE_, REPEAT_, "
        "HANDLER_TYPE_, HANDLER_CFG_, CUSTOM_VALUES_ID_, CREATE_TIME_, TENANT_ID_) "
        "VALUES ('a', 1, 'cat', 'timer', NULL, NULL, ?, 'exec', 'inst', 'def', 'elem', 'Name', "
        "'scope', 'sub', 'bpmn', 'scope-def', 'corr', 3, NULL, NULL, '2025-12-31 23:59:59.123', "
        "'R2/PT1H', 'noop', 'cfg', NULL, '2025-12-31 23:00:00.001', '')",
        {false}
    );
    const auto due = move_due(10);
    const Job fired = due.locked.at(0);
    EXPECT_EQ(fired.category, "cat");
    EXPECT_FALSE(fired.exclusive);
    EXPECT_EQ(fired.scope_definition_id, "scope-def");
    EXPECT_EQ(fired.repeat, "");  // The next turn has it.
    EXPECT_EQ(fired.due_date, clock_.now() - 877ms);
    EXPECT_EQ(fired.create_time, clock_.now() - 1h + 1ms);
    apply({completed_outcome(fired)});
    EXPECT_EQ(place_of("a"), "nowhere");
    const Job next = store_.jobs().list(JobPlace::timer, {}, "", 10).at(0);
    EXPECT_EQ(next.repeat, "R1/2025-12-31T23:59:59.123Z/PT1H");
    EXPECT_EQ(next.scope_definition_id, "scope-def");
}

// Flowable asks for the jobs without tenant by TENANT_ID_ = ''.
TEST_P(PlainSql, Without_a_tenant_the_column_holds_the_empty_text) {
    insert(JobPlace::timer, a_job("a").due_at(clock_.now()));
    EXPECT_EQ(move_due_free(10).moved, 1U);
    EXPECT_EQ(execute("DELETE FROM ACT_RU_JOB WHERE TENANT_ID_ = ''"), 1);
}

TEST_P(PlainSql, Other_empty_texts_are_stored_as_NULL) {
    insert(a_job("a"));
    EXPECT_EQ(
        execute(
            "DELETE FROM ACT_RU_JOB WHERE CATEGORY_ IS NULL AND LOCK_OWNER_ IS NULL "
            "AND PROCESS_INSTANCE_ID_ IS NULL AND HANDLER_CFG_ IS NULL AND EXCEPTION_MSG_ IS NULL"
        ),
        1
    );
}

// To MySQL and MariaDB the two are the same name.
TEST_P(PlainSql, A_handler_type_with_blanks_behind_it_is_served_or_left_alone) {
    execute("INSERT INTO ACT_RU_JOB (ID_, HANDLER_TYPE_) VALUES ('a', 'noop ')");
    for (const Job& held : acquire()) {
        EXPECT_EQ(held.handler_type, "noop");
        EXPECT_EQ(job(held.id).handler_type, "noop ");
    }
}

/// What a table made by this program refuses, so that the producer hears of it.
class Refusals : public StoreTest {
protected:
    /// What the producer is told; empty: the row is there.
    std::string told_about(std::string_view column, std::string_view literal) {
        try {
            execute(fmt::format(
                "INSERT INTO ACT_RU_TIMER_JOB ({}HANDLER_TYPE_, {}) VALUES ({}'noop', {})",
                column == "ID_" ? "" : "ID_, ",
                column,
                column == "ID_" ? "" : "'a', ",
                literal
            ));
            execute("DELETE FROM ACT_RU_TIMER_JOB");
            return {};
        } catch (const DbError& error) {
            return error.what();
        }
    }
};

ON_SQLITE(Refusals);

struct Refused {
    std::string_view column;
    std::string_view literal;
    std::string_view told;
};

TEST_P(Refusals, Say_what_may_stand_there) {
    for (const auto& [column, literal, told] :
         {Refused{"ID_", "x'00ff'", "ID_ is a text and not empty"},
          Refused{"ID_", "''", "ID_ is a text and not empty"},
          Refused{"RETRIES_", "'many'", "RETRIES_ is an integer"},
          Refused{"RETRIES_", "1.5", "RETRIES_ is an integer"},
          Refused{"PRIORITY_", "'high'", "PRIORITY_ is an integer"},
          Refused{"DUEDATE_", "''", "DUEDATE_ is a text in UTC: YYYY-MM-DD HH:MM:SS.SSS"},
          Refused{"DUEDATE_", "'2026-01-01'", "YYYY-MM-DD HH:MM:SS.SSS"},
          Refused{"DUEDATE_", "'2026-01-01T09:00:00.000'", "YYYY-MM-DD HH:MM:SS.SSS"},
          Refused{"DUEDATE_", "'2026-01-01 09:00:00+00:00'", "YYYY-MM-DD HH:MM:SS.SSS"},
          Refused{"DUEDATE_", "1767225600", "YYYY-MM-DD HH:MM:SS.SSS"}}) {
        EXPECT_THAT(told_about(column, literal), HasSubstr(told)) << literal;
    }
}

TEST_P(Refusals, Do_not_meet_what_is_right) {
    for (const auto& [column, literal, told] :
         {Refused{"ID_", "lower(hex(randomblob(16)))", ""},
          Refused{"ID_", "7", ""},
          Refused{"RETRIES_", "'3'", ""},
          Refused{"RETRIES_", "3.0", ""},
          Refused{"RETRIES_", "NULL", ""},
          Refused{"PRIORITY_", "-9223372036854775808", ""},
          Refused{"DUEDATE_", "NULL", ""},
          Refused{"DUEDATE_", "strftime('%Y-%m-%d %H:%M:%f', 'now', '+1 hour')", ""},
          Refused{"DUEDATE_", "'2030-01-01 09:00:00.000'", ""}}) {
        EXPECT_EQ(told_about(column, literal), told) << literal;
    }
}

}  // namespace

}  // namespace jobstrand::test
