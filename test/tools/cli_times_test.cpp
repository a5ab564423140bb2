#include "persistence/drivers/database.hpp"
#include "persistence/drivers/database_url.hpp"
#include "schema/text/time_text.hpp"
#include "test/fixtures/without_root.hpp"
#include "test/tools/cli_fixture.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <filesystem>

namespace jobstrand::test {

namespace {

using cli::ExitCode;
using nlohmann::json;
using testing::HasSubstr;
using namespace std::chrono_literals;

/// Times as people say them, and timer texts as due dates: every option that reads one.
class CliTimes : public CliTest {
protected:
    schema::TimePoint due_of(const std::string& id) {
        const std::string quoted = field(id, "dueDate");
        return schema::parse_instant(quoted.substr(1, quoted.size() - 2)).value();
    }

    schema::TimePoint now() { return engine().clock().now(); }

    /// Adds a job whose due date lies so far ahead.
    void expect_ahead(const std::vector<std::string>& due, schema::Duration distance) {
        std::vector<std::string> arguments{"--type", "noop"};
        arguments.insert(arguments.end(), due.begin(), due.end());
        const schema::TimePoint before = now();
        const schema::TimePoint time = due_of(add(arguments));
        EXPECT_GE(time, before + distance) << due.back();
        EXPECT_LE(time, now() + distance) << due.back();
    }
};

TEST_F(CliTimes, Due_options_read_what_timer_next_reads) {
    expect_ahead({"--due-in", "5m"}, 5min);
    expect_ahead({"--due-in", "1h30m"}, 90min);
    expect_ahead({"--due-in", "PT1H"}, 1h);
    expect_ahead({"--due", "in 2 hours"}, 2h);
    expect_ahead({"--due", "R3/PT10H"}, 10h);
    const std::string exact = add({"--type", "noop", "--due", "2126-01-01T00:00Z/PT10H"});
    EXPECT_EQ(field(exact, "dueDate"), "\"2126-01-01T10:00:00.000Z\"");
    const std::string local =
        add({"--type", "noop", "--due", "2126-01-01 09:00", "--zone", "Europe/Berlin"});
    EXPECT_EQ(field(local, "dueDate"), "\"2126-01-01T08:00:00.000Z\"");
    const std::string own_zone = add({"--type", "noop", "--due", "2126-01-01 09:00 Europe/Berlin"});
    EXPECT_EQ(field(own_zone, "dueDate"), "\"2126-01-01T08:00:00.000Z\"");
}

TEST_F(CliTimes, Business_days_are_those_of_a_calendar) {
    ok({"calendar", "set", "never-monday", "weekly MON"});
    ok({"calendar", "set", "all-days", "holidays 1999-01-01"}, "");
    expect_ahead({"--due", "3 business days", "--calendar", "all-days"}, 72h);
    const std::string id =
        add({"--type", "noop", "--due", "9 business days", "--calendar", "never-monday"});
    EXPECT_GE(due_of(id), now() + 24h * 10 - 1min) << "one Monday at least is left out";
    EXPECT_EQ(
        run({"job", "add", "--type", "x", "--due", "1 business day", "--calendar", "nobodys"}).code,
        ExitCode::wrong_usage
    );
}

TEST_F(CliTimes, A_file_of_jobs_reads_the_same_texts) {
    ok({"calendar", "set", "all-days", "holidays 1999-01-01"});
    const schema::TimePoint before = now();
    ok({"job", "add", "--from", "-"},
       R"({"handlerType":"x","id":"a","dueDate":"5m"})"
       "\n"
       R"({"handlerType":"x","id":"b","dueDate":"2126-01-01T09:00","zone":"Europe/Berlin"})"
       "\n"
       R"({"handlerType":"x","id":"c","dueDate":"2 business days","calendar":"all-days"})"
       "\n");
    EXPECT_GE(due_of("a"), before + 5min);
    EXPECT_LE(due_of("a"), now() + 5min);
    EXPECT_EQ(field("b", "dueDate"), "\"2126-01-01T08:00:00.000Z\"");
    EXPECT_GE(due_of("c"), before + 48h);
}

/// A SQLite file that this user may read and not write, in a directory of the same kind.
class CliReadable : public CliTest {
protected:
    CliReadable() {
        const std::filesystem::path folder = path_of("theirs");
        std::filesystem::permissions(folder.parent_path(), std::filesystem::perms{0755});
        std::filesystem::create_directory(folder);
        EXPECT_EQ(on_file({"schema", "create"}).code, ExitCode::done);
        EXPECT_EQ(on_file({"job", "add", "--type", "mail", "--id", "a"}).code, ExitCode::done);
        std::filesystem::permissions(folder / "jobs.db", std::filesystem::perms{0444});
        std::filesystem::permissions(folder, std::filesystem::perms{0555});
    }

    ~CliReadable() override {
        std::filesystem::permissions(path_of("theirs"), std::filesystem::perms{0755});
    }

    CliResult on_file(std::vector<std::string> arguments) {
        arguments.insert(arguments.end(), {"--db", "sqlite:" + path_of("theirs/jobs.db")});
        return run_bare(arguments);
    }

    CliResult as_somebody(const std::vector<std::string>& arguments) {
        const WithoutRoot somebody;
        return on_file(arguments);
    }
};

TEST_F(CliReadable, Is_read_by_every_command_that_only_reads) {
    for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
             {"stats"},
             {"job", "ls"},
             {"job", "show", "a"},
             {"job", "explain", "a"},
             {"top", "--once"},
             {"schema", "check"},
             {"schema", "index", "priority"},
         }) {
        const CliResult result = as_somebody(command);
        EXPECT_EQ(result.code, ExitCode::done) << result.err;
    }
    EXPECT_THAT(as_somebody({"job", "ls", "-o", "name"}).out, "a\n");
    const CliResult doctor = as_somebody({"doctor"});
    EXPECT_EQ(doctor.code, ExitCode::check_found) << "no node lives";
    EXPECT_THAT(doctor.out, HasSubstr("complete, version"));
}

TEST_F(CliReadable, Refuses_each_change_with_a_sentence) {
    for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
             {"job", "add", "--type", "mail"},
             {"job", "rm", "a"},
             {"schema", "index", "priority", "--create"},
             {"schema", "upgrade"},
         }) {
        const CliResult result = as_somebody(command);
        EXPECT_EQ(result.code, ExitCode::failed);
        EXPECT_EQ(
            result.err,
            "jobstrand: cannot open the database " + path_of("theirs/jobs.db") +
                ": it is read-only for this user: allow writing to the file and its directory (it "
                "opens only for reading)\n"
        );
    }
    EXPECT_EQ(on_file({"job", "ls", "-o", "name"}).out, "a\n");
}

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
