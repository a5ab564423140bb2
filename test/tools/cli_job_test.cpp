#include "schema/job_fields.hpp"
#include "test/tools/cli_fixture.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <pwd.h>
#include <unistd.h>

#include <string>
#include <variant>
#include <vector>

namespace jobstrand::test {

namespace {

using cli::ExitCode;
using nlohmann::json;
using testing::HasSubstr;

/// What no transcript can show: see test/transcripts for the rest.
class CliJob : public CliTest {};

TEST_F(CliJob, Every_text_that_add_takes_is_shown_and_can_be_asked_for) {
    add();
    for (const schema::JobField& field : schema::job_fields()) {
        const bool is_text = std::holds_alternative<std::string schema::Job::*>(field.member);
        const bool has_a_form = field.is_about(&schema::Job::payload) ||
                                field.is_about(&schema::Job::retry_cycle) ||
                                field.is_about(&schema::Job::trace_parent) || field.is_list();
        if (!field.add.is_there() || !is_text || has_a_form) {
            continue;
        }
        const std::string flag(field.add.flags.substr(0, field.add.flags.find(',')));
        const std::string value = "some-" + std::string(field.name);
        const bool is_type = field.is_about(&schema::Job::handler_type);
        const std::string id = is_type ? add({flag, value}) : add({"--type", "noop", flag, value});
        EXPECT_EQ(this->field(id, std::string(field.name)), '"' + value + '"');
        if (field.filter.is_there()) {
            const std::string filter(field.filter.flags);
            EXPECT_EQ(ok({"job", "ls", filter, value, "-o", "name"}), id + "\n") << filter;
        }
    }
}

TEST_F(CliJob, Removal_by_a_filter_asks_on_a_terminal) {
    add({"--type", "old"});
    add({"--type", "new"});
    is_terminal_ = true;
    EXPECT_EQ(run({"job", "rm", "--type", "old"}, "n\n").code, ExitCode::refused);
    EXPECT_EQ(run({"job", "rm", "--type", "old"}, "").code, ExitCode::refused);
    EXPECT_EQ(places(), "executable=2");
    EXPECT_EQ(run({"job", "rm", "--type", "old"}, "y\n").code, ExitCode::done);
    EXPECT_EQ(places(), "executable=1");
}

class CliDead : public CliTest {};

TEST_F(CliDead, On_a_terminal_many_are_asked_for_with_a_count_by_type) {
    add_dead();
    add_dead();
    is_terminal_ = true;
    const CliResult no = run({"dead", "requeue", "--all"}, "n\n");
    EXPECT_EQ(no.code, ExitCode::refused);
    EXPECT_THAT(no.err, HasSubstr("This requeues 2 dead letters: 2 noop. [y/N]"));
    EXPECT_EQ(places(), "dead=2");
    EXPECT_THAT(
        run({"dead", "rm", "--all"}, "n\n").err,
        HasSubstr("This removes 2 dead letters for good: 2 noop.")
    );
    EXPECT_EQ(run({"dead", "requeue", "--type", "noop", "--yes"}).code, ExitCode::done);
    EXPECT_EQ(places(), "executable=2");
    EXPECT_THAT(
        run({"job", "rm", "--all"}, "n\n").err,
        HasSubstr("This removes 2 jobs of place executable for good: 2 noop.")
    );
}

TEST_F(CliDead, The_commands_of_the_document_run_as_they_are_written) {
    EXPECT_GE(run_document("docs/cli.md", "## Dead letters"), 7);
}

class CliSeries : public CliTest {};

TEST_F(CliSeries, On_a_terminal_many_are_asked_for) {
    for (const char* const key : {"a", "b"}) {
        add({"--type", "noop", "--series", key, "--repeat", "R/P1Y", "--paused"});
    }
    is_terminal_ = true;
    const CliResult no = run({"series", "resume", "--all"}, "n\n");
    EXPECT_EQ(no.code, ExitCode::refused);
    EXPECT_THAT(no.err, HasSubstr("2 series"));
    EXPECT_EQ(places(), "suspended=2");
    EXPECT_EQ(run({"series", "resume", "--all"}, "y\n").code, ExitCode::done);
    EXPECT_EQ(places(), "timer=2");
}

/// Who has changed something; the rest is told by test/transcripts/audit.md.
class CliAudit : public CliTest {};

// Timers of systemd and containers have no such variables.
TEST_F(CliAudit, Who_has_no_name_in_the_environment_is_the_owner_of_the_process) {
    environment_.erase("USER");
    environment_.erase("LOGNAME");
    const passwd* const owner = ::getpwuid(::geteuid());
    if (owner == nullptr) {
        GTEST_SKIP() << "the system does not know this user";
    }
    const std::string name = owner->pw_name;
    (void)ok({"limit", "set", "type:a", "--concurrent", "1"});
    EXPECT_EQ(json::parse(ok({"audit", "ls", "-o", "json"})).at(0)["who"], name);
}

}  // namespace

}  // namespace jobstrand::test
