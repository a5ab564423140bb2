#include "schema/job_fields.hpp"
#include "schema/limits.hpp"
#include "schema/text/time_text.hpp"
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
using testing::Not;

class CliJob : public CliTest {};

TEST_F(CliJob, Add_takes_every_field_and_prints_the_id) {
    const std::string id = add(
        {"--type",
         "send-invoice",
         "--payload",
         R"({"order":17})",
         "--due",
         "2126-11-20T10:15:30.123+01:00",
         "--retries",
         "7",
         "--retry-cycle",
         "R7/PT5M",
         "--priority",
         "-9223372036854775808",
         "--instance",
         "order-17",
         "--root-instance",
         "root-1",
         "--definition",
         "shipping:3",
         "--execution",
         "execution-1",
         "--element",
         "task-1",
         "--element-name",
         "Send it",
         "--category",
         "mail",
         "--tenant",
         "tenant-1",
         "--correlation-id",
         "invoice-17",
         "--id",
         "my-id",
         "--unique-key",
         "invoice of order 17",
         "--not-exclusive"}
    );
    EXPECT_EQ(id, "my-id");
    json job = json::parse(ok({"job", "show", "my-id", "-o", "json"}));
    job.erase("createTime");
    EXPECT_EQ(job, json::parse(R"({
        "id": "my-id", "correlationId": "invoice-17", "place": "timer",
        "handlerType": "send-invoice", "payload": {"order": 17},
        "dueDate": "2126-11-20T09:15:30.123Z", "repeat": null, "retries": 7,
        "retryCycle": "R7/PT5M", "priority": -9223372036854775808,
        "processInstanceId": "order-17", "rootProcessInstanceId": "root-1",
        "processDefinitionId": "shipping:3", "executionId": "execution-1",
        "elementId": "task-1", "elementName": "Send it", "category": "mail",
        "tenantId": "tenant-1", "exclusive": false, "uniqueKey": "invoice of order 17",
        "lockOwner": null, "lockExpirationTime": null, "exceptionMessage": null,
        "series": null, "attempts": 0, "failedTime": null, "traceparent": null, "callingInstances": [],
        "candidateUsers": [], "candidateGroups": [], "exceptionDetails": null,
        "suspendedBy": null, "waitsFor": null, "nobodyServes": "handler type send-invoice",
        "runsOn": null, "runningSince": null, "lockLeftMs": null
    })"));
}

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

TEST_F(CliJob, A_job_keeps_the_trace_that_it_belongs_to) {
    add();
    const std::string parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    EXPECT_EQ(
        field(add({"--type", "noop", "--traceparent", parent}), "traceparent"), '"' + parent + '"'
    );
}

TEST_F(CliJob, Add_puts_a_job_where_it_belongs) {
    add();
    add({"--type", "noop", "--due-in", "P1D"});
    add({"--type", "noop", "--due-in", "PT0S"});
    add({"--type", "noop", "--external"});
    EXPECT_EQ(places(), "executable=2 timer=1 external=1");
}

TEST_F(CliJob, A_payload_comes_from_a_file_or_from_stdin_too) {
    const std::string path = file("payload.json", R"({"from":"file"})");
    EXPECT_EQ(
        field(add({"--type", "noop", "--payload", "@" + path}), "payload"), R"({"from":"file"})"
    );
    std::string id = ok({"job", "add", "--type", "noop", "--payload", "-"}, R"({"from":"stdin"})");
    id.pop_back();
    EXPECT_EQ(field(id, "payload"), R"({"from":"stdin"})");
}

TEST_F(CliJob, Add_refuses_bad_input_and_changes_nothing) {
    const std::string too_long =
        file("long.json", '"' + std::string(schema::limits::kPayloadBytes, 'x') + '"');
    const std::vector<WrongUsage> cases{
        {{}, "say which job: --type TYPE, or --from FILE"},
        {{"--type", ""}, "--type must not be empty"},
        {{"--type", std::string(256, 'x')}, "handlerType is longer than 255 characters"},
        {{"--type", "x", "--payload", "{not json"}, "--payload is not JSON"},
        {{"--type", "x", "--payload", "@" + too_long}, "--payload is longer than 8388608 bytes"},
        {{"--type", "x", "--payload", "@/nowhere/file"}, "cannot read /nowhere/file"},
        {{"--type", "x", "--priority", "9223372036854775808"}, "--priority must be a whole number"},
        {{"--type", "x", "--priority", "1.5"}, "--priority must be a whole number"},
        {{"--type", "x", "--retries", "0"}, "--retries must be a whole number, 1 to 100000"},
        {{"--type", "x", "--retries", "-1"}, "--retries must be a whole number"},
        {{"--type", "x", "--retry-cycle", "R3"}, "retryCycle"},
        {{"--type", "x", "--due", "soon"}, "--due is wrong at character 1: expected a time"},
        {{"--type", "x", "--due", "10000-01-01T00:00:00Z"}, "--due is wrong at character"},
        {{"--type", "x", "--due", "1969-12-31T23:59:59Z"}, "--due is wrong at character"},
        {{"--type", "x", "--due-in", "5"}, "a number without a unit: write 5s, 5m or 5h"},
        {{"--type", "x", "--due-in", "-PT5M"}, "--due-in is wrong at character 1"},
        {{"--type", "x", "--due", "2126-01-01", "--due-in", "PT1S"}, "exclude each other"},
        {{"--type", "x", "--id", std::string(65, 'i')}, "id is longer than 64"},
        {{"--type",
          "x",
          "--id",
          "gr\xc3\xb6\xc3\x9f"
          "e"},
         "id may only hold printable ASCII"},
        {{"--type", "x", "--tenant", "a\xff"}, "tenantId is not UTF-8"},
        {{"--type", "x", "--keep-going"}, "--keep-going goes with --from"},
        {{"--type", "x", "--colour", "red"}, "--colour is not known here"},
        {{"--type"}, "--type"},
    };
    expect_wrong_usage({"job", "add"}, cases);
    EXPECT_EQ(places(), "");
}

TEST_F(CliJob, A_command_that_is_not_on_the_allow_list_is_refused) {
    environment_["JOBSTRAND_CONFIG"] =
        file("jobstrand.toml", "[commands.hash]\nprogram = \"/usr/bin/sha256sum\"\n");
    const CliResult result =
        run({"job", "add", "--type", "command", "--payload", R"({"command":"hsah"})"});
    EXPECT_EQ(result.code, ExitCode::wrong_usage);
    EXPECT_THAT(
        result.err, HasSubstr("command hsah is not in the configuration; did you mean hash?")
    );
    EXPECT_EQ(places(), "");
    add({"--type", "command", "--payload", R"({"command":"hash"})"});
    EXPECT_EQ(places(), "executable=1");
}

TEST_F(CliJob, A_target_that_is_not_configured_is_refused) {
    environment_["JOBSTRAND_CONFIG"] =
        file("jobstrand.toml", "[targets.shop]\nurl = \"http://127.0.0.1/jobs\"\n");
    const auto result_of = [&](const char* payload) {
        return run({"job", "add", "--type", "http", "--payload", payload});
    };
    const CliResult result = result_of(R"({"target":"shpo"})");
    EXPECT_THAT(result.err, HasSubstr("target shpo is not in the configuration; did you mean"));
    EXPECT_THAT(result_of(R"({"order":17})").err, HasSubstr("needs \"target\": \"NAME\""));
    add({"--type", "http", "--payload", R"({"target":"shop"})"});
    EXPECT_EQ(places(), "executable=1");
}

TEST_F(CliJob, Lists_leave_long_payloads_out_and_show_has_them) {
    const std::string payload = '"' + std::string(5000, 'x') + '"';
    add({"--type", "noop", "--id", "long", "--payload", payload});
    add({"--type", "noop", "--id", "short", "--payload", "1"});
    const json jobs = json::parse(ok({"job", "ls", "-o", "json"}));
    EXPECT_EQ(jobs[0].at("payload"), nullptr);
    EXPECT_EQ(jobs[1].at("payload"), 1);
    EXPECT_EQ(field("long", "payload"), payload);
}

TEST_F(CliJob, An_empty_filter_value_is_a_mistake_and_not_everything) {
    add();
    for (const std::string option : {"--type", "--instance", "--tenant", "--error"}) {
        EXPECT_EQ(run({"job", "ls", option, ""}).code, ExitCode::wrong_usage) << option;
        EXPECT_EQ(run({"job", "rm", option, "", "--yes"}).code, ExitCode::wrong_usage) << option;
    }
    EXPECT_EQ(places(), "executable=1");
}

TEST_F(CliJob, Hostile_text_reaches_a_terminal_only_escaped) {
    add({"--type", "a\x1b[2Jb", "--id", "a"});
    EXPECT_THAT(ok({"job", "ls"}), Not(HasSubstr("\x1b")));
    EXPECT_THAT(ok({"job", "show", "a"}), HasSubstr("a\\x1b[2Jb"));
    EXPECT_EQ(json::parse(ok({"job", "show", "a", "-o", "json"})).at("handlerType"), "a\x1b[2Jb");
}

TEST_F(CliJob, Rm_by_filter_needs_a_yes) {
    add({"--type", "old"});
    add({"--type", "new"});
    const CliResult refused = run({"job", "rm", "--type", "old"});
    EXPECT_EQ(refused.code, ExitCode::refused);
    EXPECT_THAT(refused.err, HasSubstr("This removes 1 jobs of place executable for good: 1 old."));
    EXPECT_EQ(places(), "executable=2");

    is_terminal_ = true;
    EXPECT_EQ(run({"job", "rm", "--type", "old"}, "n\n").code, ExitCode::refused);
    EXPECT_EQ(run({"job", "rm", "--type", "old"}, "").code, ExitCode::refused);
    EXPECT_EQ(places(), "executable=2");
    EXPECT_EQ(run({"job", "rm", "--type", "old"}, "y\n").code, ExitCode::done);
    EXPECT_EQ(places(), "executable=1");
}

// R006
TEST_F(CliJob, Run_runs_one_job_by_hand_with_the_services_handlers) {
    const std::string id = add({"--type", "log", "--payload", R"({"hello":"world"})"});
    const std::string other = add();
    const CliResult result = run({"job", "run", id, "-o", "json"});
    EXPECT_EQ(result.code, ExitCode::done) << result.err;
    EXPECT_EQ(json::parse(result.out).at("outcome"), "completed");
    EXPECT_THAT(result.err, HasSubstr("log job"));
    EXPECT_THAT(result.err, HasSubstr("hello"));
    EXPECT_EQ(ok({"job", "ls", "-o", "name"}), other + "\n");
}

TEST_F(CliJob, Run_of_a_failing_job_says_what_became_of_it) {
    environment_["JOBSTRAND_CONFIG"] = file(
        "jobstrand.toml",
        "[commands.fail]\nprogram = \"/bin/sh\"\nargs = [\"-c\", \"echo no luck; exit 3\"]\n"
    );
    const std::string id =
        add({"--type", "command", "--payload", R"({"command":"fail"})", "--retries", "2"});
    const CliResult first = run({"job", "run", id, "-o", "json"});
    EXPECT_EQ(first.code, ExitCode::failed);
    EXPECT_EQ(json::parse(first.out).at("place"), "timer");
    ok({"timer", "fire", id});
    const CliResult last = run({"job", "run", id, "-o", "json"});
    EXPECT_EQ(json::parse(last.out).at("place"), "dead");
    EXPECT_EQ(
        json::parse(last.out).at("exceptionMessage"),
        "command fail failed with exit code 3: no luck"
    );
    EXPECT_EQ(field(id, "exceptionDetails"), "\"no luck\\n\"");
}

TEST_F(CliJob, Run_refuses_what_is_not_there_waits_is_held_or_is_of_an_unknown_type) {
    EXPECT_EQ(run({"job", "run", "nobody"}).code, ExitCode::not_found);
    const std::string timer = add({"--type", "noop", "--due-in", "P1D"});
    EXPECT_THAT(run({"job", "run", timer}).err, HasSubstr("fire it first"));
    EXPECT_EQ(run({"job", "run", timer}).code, ExitCode::refused);
    EXPECT_EQ(run({"job", "run", add({"--type", "unknown"})}).code, ExitCode::refused);
    const std::string held = add();
    lock(held);
    EXPECT_EQ(run({"job", "run", held}).code, ExitCode::refused);
    EXPECT_EQ(places(), "executable=2 timer=1");
}

class CliJobList : public CliTest {
protected:
    /// How a list said to go on.
    static std::string marked(const CliResult& part) {
        const std::string mark = part.err.substr(part.err.rfind(' ') + 1);
        return mark.substr(0, mark.find('\n'));
    }
};

TEST_F(CliJobList, A_sorted_list_goes_on_behind_texts_with_commas_and_jobs_without_a_value) {
    add({"--type", "a,100%", "--id", "1,x"});
    add({"--type", "a,100%", "--id", "2"});
    add({"--type", "b", "--id", "3", "--priority", "-7"});
    const auto next = [&](const std::string& by, const std::string& after) {
        std::vector<std::string> words{"job", "ls", "-o", "name", "--sort", by, "--limit", "1"};
        if (!after.empty()) {
            words.insert(words.end(), {"--after", after});
        }
        return run(words);
    };
    CliResult page = next("type", "");
    EXPECT_EQ(page.out, "1,x\n");
    EXPECT_EQ(marked(page), "a%2C100%25,1,x");
    page = next("type", marked(page));
    EXPECT_EQ(page.out, "2\n");
    EXPECT_EQ(next("type", marked(page)).out, "3\n");
    page = next("due", "");
    EXPECT_EQ(page.out, "1,x\n");
    EXPECT_EQ(marked(page), ",1,x");
    EXPECT_EQ(next("due", marked(page)).out, "2\n");
    page = next("priority", "");
    EXPECT_EQ(marked(page), "-7,3");
    EXPECT_EQ(next("priority", marked(page)).out, "1,x\n");
    EXPECT_EQ(next("id", "1,x").out, "2\n");
}

TEST_F(CliJobList, Filters_ask_for_ranges_for_one_of_several_and_for_what_is_missing) {
    add({"--type", "noop", "--id", "a", "--priority", "-1", "--tenant", "acme"});
    add({"--type", "mail", "--id", "b", "--priority", "5", "--retries", "9"});
    add({"--type", "log", "--id", "c", "--execution", "e-1", "--root-instance", "r-1"});
    const auto listed = [&](std::vector<std::string> more) {
        more.insert(more.begin(), {"job", "ls", "-o", "name"});
        return ok(more);
    };
    EXPECT_EQ(listed({"--priority-min", "0"}), "b\nc\n");
    EXPECT_EQ(listed({"--priority-min", "-1", "--priority-max", "0"}), "a\nc\n");
    EXPECT_EQ(listed({"--retries-min", "4"}), "b\n");
    EXPECT_EQ(listed({"--retries-max", "3"}), "a\nc\n");
    EXPECT_EQ(listed({"--type", "noop", "--type", "log"}), "a\nc\n");
    EXPECT_EQ(listed({"--without", "tenant"}), "b\nc\n");
    EXPECT_EQ(listed({"--without", "tenant", "--without", "execution"}), "b\n");
    EXPECT_EQ(listed({"--execution", "e-1"}), "c\n");
    EXPECT_EQ(listed({"--root-instance", "r-1"}), "c\n");
    expect_wrong_usage(
        {"job", "ls"},
        {{{"--without", "colour"}, "--without must be one of instance, "},
         {{"--without", "type"}, "--without must be one of instance, "},
         {{"--priority-min", "high"}, "--priority-min must be a whole number"},
         {{"--priority-min", "1", "--priority-min", "2"}, "--priority-min may be given once"},
         {{"--type", "noop", "--type", ""}, "--type must not be empty"}}
    );
}

TEST_F(CliJobList, Ls_tells_locked_jobs_from_free_ones) {
    add({"--type", "noop", "--id", "a"});
    add({"--type", "noop", "--id", "b"});
    lock("a");
    EXPECT_EQ(ok({"job", "ls", "-o", "name", "--locked"}), "a\n");
    EXPECT_EQ(ok({"job", "ls", "-o", "name", "--free"}), "b\n");
}

TEST_F(CliJobList, Ls_tells_jobs_that_have_failed_from_others) {
    add({"--type", "noop", "--id", "a"});
    add({"--type", "noop", "--id", "b", "--due-in", "P1D"});
    const std::string dead = add_dead();
    const std::vector<std::string> all{"job", "ls", "-o", "name", "--place", "all"};
    const auto listed = [&](const std::string& flag) {
        std::vector<std::string> words = all;
        words.push_back(flag);
        return ok(words);
    };
    EXPECT_EQ(listed("--with-exception"), dead + "\n");
    EXPECT_EQ(listed("--without-exception"), "a\nb\n");
    EXPECT_EQ(ok({"dead", "ls", "-o", "name", "--without-exception"}), "");
    EXPECT_EQ(ok({"timer", "ls", "-o", "name", "--with-exception"}), "");
    EXPECT_EQ(
        run({"job", "ls", "--with-exception", "--without-exception"}).code, ExitCode::wrong_usage
    );
    EXPECT_EQ(
        run({"job", "rm", "--with-exception", "--without-exception", "--yes"}).code,
        ExitCode::wrong_usage
    );
}

TEST_F(CliJobList, Ls_may_be_in_another_order_and_goes_on_behind_what_was_seen) {
    add({"--type", "noop", "--id", "a", "--due-in", "P3D", "--priority", "1"});
    add({"--type", "noop", "--id", "b", "--due-in", "P1D", "--priority", "3"});
    add({"--type", "mail", "--id", "c", "--due-in", "P2D", "--priority", "2"});
    const std::vector<std::string> timers{"job", "ls", "-o", "name", "--place", "timer", "--sort"};
    const auto sorted = [&](std::vector<std::string> more) {
        more.insert(more.begin(), timers.begin(), timers.end());
        return run(more);
    };
    EXPECT_EQ(sorted({"due"}).out, "b\nc\na\n");
    EXPECT_EQ(sorted({"priority", "--desc"}).out, "b\nc\na\n");
    EXPECT_EQ(sorted({"due", "--type", "noop"}).out, "b\na\n");
    const CliResult part = sorted({"due", "--skip", "1", "--limit", "1"});
    EXPECT_EQ(part.out, "c\n");
    EXPECT_THAT(part.err, testing::MatchesRegex("there are more: go on with --after 2.*Z,c\n"));
    EXPECT_EQ(sorted({"due", "--after", marked(part)}).out, "a\n");
    EXPECT_EQ(sorted({"colour"}).code, ExitCode::wrong_usage);
    EXPECT_EQ(sorted({"due", "--after", "a"}).code, ExitCode::wrong_usage);
    EXPECT_EQ(sorted({"due", "--after", "noon,a"}).code, ExitCode::wrong_usage);
    EXPECT_EQ(sorted({"due", "--after", marked(part), "--skip", "1"}).code, ExitCode::wrong_usage);
    EXPECT_EQ(run({"job", "ls", "--place", "all", "--sort", "due"}).code, ExitCode::wrong_usage);
    EXPECT_EQ(run({"job", "ls", "--skip", "1"}).code, ExitCode::wrong_usage);
}

class CliJobSet : public CliTest {};

TEST_F(CliJobSet, Set_refuses_bad_values_locked_jobs_and_unknown_ids) {
    const std::string id = add();
    EXPECT_EQ(run({"job", "set", id}).code, ExitCode::wrong_usage);
    EXPECT_EQ(run({"job", "set", id, "--retries", "x"}).code, ExitCode::wrong_usage);
    EXPECT_EQ(run({"job", "set", id, "--payload", "{"}).code, ExitCode::wrong_usage);
    EXPECT_EQ(run({"job", "set", id, "--retry-cycle", "soon"}).code, ExitCode::wrong_usage);
    EXPECT_EQ(run({"job", "set", "nobody", "--retries", "1"}).code, ExitCode::not_found);
    lock(id);
    EXPECT_EQ(run({"job", "set", id, "--retries", "1"}).code, ExitCode::refused);
    EXPECT_EQ(field(id, "retries"), "3");
    EXPECT_EQ(run({"job", "set", add_dead(), "--retries", "1"}).code, ExitCode::refused);
}

TEST_F(CliJobSet, A_dry_run_and_what_is_not_meant_change_nothing) {
    add({"--type", "mail", "--id", "a"});
    const CliResult dry = run({"job", "set", "--type", "mail", "--retries", "9", "--dry-run"});
    EXPECT_EQ(dry.code, ExitCode::done);
    EXPECT_THAT(dry.err, HasSubstr("1 jobs would be changed; nothing was"));
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"--retries", "9"},
          {"a", "--all", "--retries", "9"},
          {"--type", "mail"},
          {"--type", "mail", "--payload", "1"},
          {"--all", "--place", "nowhere", "--retries", "9"}}) {
        std::vector<std::string> line{"job", "set"};
        line.insert(line.end(), words.begin(), words.end());
        EXPECT_EQ(run(line).code, ExitCode::wrong_usage) << words.back();
    }
    EXPECT_EQ(
        run({"job", "set", "--all", "--place", "dead", "--due", "now"}).code, ExitCode::refused
    );
    EXPECT_EQ(field("a", "retries"), "3");
}

TEST_F(CliJobSet, What_is_refused_among_many_is_counted) {
    add_dead();
    add({"--type", "noop", "--id", "turn", "--series", "s", "--repeat", "R/PT1H"});
    add({"--type", "noop", "--id", "single", "--due-in", "P1D"});
    const CliResult given_up = run({"job", "set", "--all", "--place", "timer", "--retries", "0"});
    EXPECT_EQ(given_up.code, ExitCode::partly_done);
    EXPECT_EQ(places(), "timer=1 dead=2");
    const CliResult dead = run({"job", "set", "--all", "--place", "dead", "--retries", "5"});
    EXPECT_EQ(dead.code, ExitCode::refused);
    EXPECT_THAT(dead.err, HasSubstr("2 jobs are refused"));
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
