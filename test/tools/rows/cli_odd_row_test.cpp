#include "persistence/drivers/database.hpp"
#include "persistence/drivers/database_url.hpp"
#include "test/tools/cli_fixture.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace jobstrand::test {
namespace {

using cli::ExitCode;
using nlohmann::json;
using testing::HasSubstr;

/// What an operator sees of rows that plain SQL wrote wrong, in tables that refuse nothing.
class CliOddRow : public CliTest {
protected:
    void run_sql(const std::string& sql) {
        const auto pool =
            persistence::open_database(persistence::parse_database_url(url()).value());
        pool->lease(persistence::SessionPool::Access::write)
            ->run_script("PRAGMA ignore_check_constraints = ON; " + sql);
    }

    void insert(const std::string& table, const std::string& columns, const std::string& values) {
        run_sql("INSERT INTO " + table + " (ID_, HANDLER_TYPE_, " + columns + ") VALUES " + values);
    }

    /// A job that can be read between two that cannot.
    void insert_three() {
        insert("ACT_RU_JOB", "RETRIES_, PRIORITY_", "('a', 'noop', 'many', 'high')");
        insert("ACT_RU_JOB", "RETRIES_", "('b', 'noop', 5)");
        insert("ACT_RU_JOB", "CREATE_TIME_", "('c', 'noop', 'yesterday')");
    }
};

TEST_F(CliOddRow, Lists_show_it_among_the_others_with_what_is_wrong) {
    insert_three();
    EXPECT_EQ(ok({"job", "ls", "-o", "name"}), "a\nb\nc\n");
    const json jobs = json::parse(ok({"job", "ls", "-o", "json"}));
    ASSERT_EQ(jobs.size(), 3U);
    EXPECT_EQ(
        jobs[0]["exceptionMessage"],
        "RETRIES_ \"many\" is not an integer; PRIORITY_ \"high\" is not an integer"
    );
    EXPECT_EQ(jobs[0]["retries"], 3);
    EXPECT_EQ(jobs[1]["exceptionMessage"], nullptr);
    EXPECT_EQ(jobs[1]["retries"], 5);
    EXPECT_EQ(jobs[2]["createTime"], nullptr);
    EXPECT_THAT(ok({"stats"}), HasSubstr("3"));
}

TEST_F(CliOddRow, It_is_shown_and_removed_by_its_id) {
    insert_three();
    EXPECT_THAT(ok({"job", "show", "c"}), HasSubstr("CREATE_TIME_ \"yesterday\" is not a time"));
    EXPECT_EQ(ok({"job", "rm", "c", "-o", "name"}), "c\n");
    EXPECT_EQ(ok({"job", "rm", "a", "-o", "name"}), "a\n");
    EXPECT_EQ(places(), "executable=1");
}

TEST_F(CliOddRow, It_is_removed_with_all_others_too) {
    insert_three();
    ok({"job", "rm", "--all", "--yes"});
    EXPECT_EQ(places(), "");
}

TEST_F(CliOddRow, A_change_mends_it) {
    insert_three();
    ok({"job", "set", "a", "--retries", "2", "--priority", "9"});
    EXPECT_EQ(field("a", "retries"), "2");
    EXPECT_EQ(field("a", "priority"), "9");
    ok({"job", "rm", "c"});
    ok({"schema", "check"});
}

TEST_F(CliOddRow, A_timer_gets_a_due_date_that_can_be_read) {
    insert("ACT_RU_TIMER_JOB", "DUEDATE_", "('t', 'noop', 'next tuesday')");
    EXPECT_THAT(ok({"timer", "show", "t"}), HasSubstr("DUEDATE_ \"next tuesday\" is not a time"));
    EXPECT_EQ(field("t", "dueDate"), "null");
    ok({"timer", "reschedule", "t", "--due", "2126-12-24T18:00:00Z"});
    EXPECT_EQ(field("t", "dueDate"), "\"2126-12-24T18:00:00.000Z\"");
    insert("ACT_RU_TIMER_JOB", "DUEDATE_", "('u', 'noop', '')");
    ok({"timer", "fire", "u"});
    EXPECT_EQ(places(), "executable=1 timer=1");
}

TEST_F(CliOddRow, A_dead_letter_is_shown_requeued_and_removed) {
    insert("ACT_RU_DEADLETTER_JOB", "PRIORITY_", "('d', 'noop', 'high'), ('e', 'noop', 'low')");
    EXPECT_THAT(ok({"dead", "show", "d"}), HasSubstr("PRIORITY_ \"high\" is not an integer"));
    EXPECT_EQ(ok({"dead", "ls", "-o", "name"}), "d\ne\n");
    ok({"dead", "requeue", "d"});
    EXPECT_EQ(field("d", "priority"), "0");
    ok({"dead", "rm", "e"});
    EXPECT_EQ(places(), "executable=1");
}

TEST_F(CliOddRow, A_series_is_shown_with_its_timer_ended_and_removed) {
    add({"--type", "noop", "--id", "t", "--series", "s", "--repeat", "R/P1Y"});
    run_sql("UPDATE JS_SERIES SET TURNS_TAKEN_ = 'many'");
    const std::string complaint = "TURNS_TAKEN_ \"many\" is not an integer";
    for (const std::string noun : {"series", "timer"}) {
        EXPECT_THAT(ok({noun, "ls"}), HasSubstr("UNREADABLE")) << noun;
        EXPECT_THAT(ok({noun, "ls"}), HasSubstr(complaint)) << noun;
        const std::string name = noun == "series" ? "s" : "t";
        const json shown = json::parse(ok({noun, "show", name, "-o", "json"}));
        EXPECT_EQ(shown["unreadableSeries"], complaint) << noun;
    }
    ok({"series", "end", "s"});
    EXPECT_EQ(json::parse(ok({"series", "show", "s", "-o", "json"}))["unreadableSeries"], nullptr);
    ok({"series", "rm", "s"});
    EXPECT_EQ(places(), "");
}

TEST_F(CliOddRow, A_series_is_mended_by_new_times) {
    add({"--type", "noop", "--id", "t", "--series", "s", "--repeat", "R/P1Y"});
    run_sql("UPDATE JS_SERIES SET STATE_ = 'x'");
    EXPECT_THAT(
        ok({"series", "show", "s"}), HasSubstr("STATE_ \"x\" is not the state of a series")
    );
    ok({"series", "reschedule", "s", "--repeat", "R/P2Y"});
    EXPECT_EQ(json::parse(ok({"series", "show", "s", "-o", "json"}))["unreadableSeries"], nullptr);
}

TEST_F(CliOddRow, Bytes_for_an_id_become_a_text_that_can_be_typed) {
    insert("ACT_RU_JOB", "RETRIES_", "(x'00FFAB', 'noop', 3), ('', 'noop', 3)");
    const std::string ids = ok({"job", "ls", "-o", "name"});
    EXPECT_THAT(ids, HasSubstr("00ffab\n"));
    EXPECT_EQ(std::ranges::count(ids, '\n'), 2);
    ok({"job", "rm", "00ffab"});
    EXPECT_EQ(places(), "executable=1");
}

TEST_F(CliOddRow, Texts_that_are_no_UTF_8_can_be_printed) {
    insert(
        "ACT_RU_JOB", "HANDLER_CFG_, CATEGORY_", "('a', CAST(x'6eff' AS TEXT), x'ff', x'fe00fe')"
    );
    for (const std::string format : {"json", "jsonl", "csv", "table", "name"}) {
        EXPECT_THAT(ok({"job", "ls", "-o", format}), HasSubstr("a")) << format;
        EXPECT_EQ(run({"job", "show", "a", "-o", "json"}).code, ExitCode::done);
    }
    EXPECT_TRUE(json::accept(ok({"job", "ls", "-o", "json"})));
}

TEST_F(CliOddRow, Schema_check_finds_it_and_says_how_it_is_mended) {
    EXPECT_EQ(run({"schema", "check"}).code, ExitCode::done);
    insert_three();
    const CliResult found = run({"schema", "check"});
    EXPECT_EQ(found.code, ExitCode::check_found);
    EXPECT_THAT(
        found.out,
        HasSubstr("ACT_RU_JOB has a row whose RETRIES_ is no integer, or too large, such as the "
                  "job \"a\"")
    );
    EXPECT_THAT(found.out, HasSubstr("\n  UPDATE ACT_RU_JOB SET RETRIES_ = 3 WHERE ("));
    EXPECT_THAT(found.out, HasSubstr("UPDATE ACT_RU_JOB SET PRIORITY_ = 0 WHERE ("));
}

}  // namespace
}  // namespace jobstrand::test
