#include "schema/text/time_text.hpp"
#include "test/fixtures/without_root.hpp"
#include "test/tools/cli_fixture.hpp"

#include <gmock/gmock.h>

#include <chrono>
#include <filesystem>

namespace jobstrand::test {

namespace {

using cli::ExitCode;
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

}  // namespace

}  // namespace jobstrand::test
