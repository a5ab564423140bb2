#include "tools/handlers/command_handler.hpp"

#include "executor/report/run_records.hpp"
#include "schema/clock.hpp"
#include "test/fixtures/job_builder.hpp"
#include "test/fixtures/recording_log.hpp"
#include "test/fixtures/temporary_directory.hpp"
#include "tools/handlers/handler_payloads.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace jobstrand::cli {

namespace {

using executor::Failed;
using executor::HandlerResult;
using executor::Interrupted;
using executor::Succeeded;
using test::a_job;
using testing::HasSubstr;
using namespace std::chrono_literals;

struct Printed {
    const char* text;
    std::optional<std::string> payload;
};

// R126
TEST(CommandPayload, What_is_printed_is_handed_on_with_the_command_that_printed_it) {
    const Printed cases[] = {
        {R"({"n":1})", R"({"command":"sum","n":1})"},
        {R"({"command":"sum","n":1})", R"({"command":"sum","n":1})"},
        {R"({"n":1,"command":"other"})", R"({"command":"sum","n":1})"},
        {R"({"command":["other"]})", R"({"command":"sum"})"},
        {R"({"command":null,"args":["a"]})", R"({"command":"sum","args":["a"]})"},
        {"{\"a\" : 1.10 ,\n\"b\":{\"command\":\"other\"}}",
         R"({"command":"sum","a":1.10,"b":{"command":"other"}})"},
        {R"({"\u0063ommand":"other"})", R"({"command":"sum"})"},
        {R"({"n\"":1})", R"({"command":"sum","n\"":1})"},
        {" {} \n", R"({"command":"sum"})"},
        {"", std::nullopt},
        {"done", std::nullopt},
        {"null", std::nullopt},
        {"[]", std::nullopt},
        {"{\"n\":1", std::nullopt},
        {"{\"n\":1}{\"n\":2}", std::nullopt},
        {"{\"n\":1,\"n\":2}", std::nullopt},
        {R"({"args":"a"})", std::nullopt},
        {R"({"args":["a\u0000b"]})", std::nullopt},
        {R"({"command":"other","command":"sum"})", std::nullopt},
    };
    for (const Printed& test : cases) {
        EXPECT_EQ(handed_on(test.text, "sum"), test.payload) << test.text;
    }
}

TEST(CommandPayload, What_is_handed_on_is_a_payload_for_the_same_command) {
    const std::string name = "a \"name\" with \\ and \n";
    const auto payload = handed_on(R"({"args":["x"]})", name);
    ASSERT_TRUE(payload);
    EXPECT_EQ(
        parse_command_payload(*payload).value(),
        (CommandPayload{.command = name, .arguments = {"x"}})
    );
}

CommandSettings a_command(const std::string& script) {
    return {.program = "/bin/sh", .arguments = {"-c", script, "script"}};
}

/// A service whose configuration has one command, named `it`.
class CommandHandlerTest : public testing::Test {
protected:
    HandlerResult run(CommandSettings command, const std::string& payload = R"({"command":"it"})") {
        const CommandHandler handler(
            {clock_, log_, guardian_, &counts_}, {{"it", std::move(command)}}, "/usr/bin:/bin"
        );
        schema::Job job = a_job("job-1").of_type("command").with_payload(payload);
        job.repeat = repeat_;
        return handler(
            {.job = job,
             .attempt = 2,
             .deadline = deadline_,
             .stop = stop_.get_token(),
             .fencing_token = 7,
             .trace_parent = trace_parent_}
        );
    }

    Failed failure_of(CommandSettings command, const std::string& payload = R"({"command":"it"})") {
        const HandlerResult result = run(std::move(command), payload);
        const Failed* failed = std::get_if<Failed>(&result);
        EXPECT_NE(failed, nullptr);
        return failed == nullptr ? Failed{} : *failed;
    }

    const test::TemporaryDirectory directory_;
    schema::ManualClock clock_;
    test::RecordingLog log_;
    Guardian guardian_;
    HandlerCounts counts_;
    std::optional<schema::TimePoint> deadline_;
    std::stop_source stop_;
    std::string trace_parent_;
    std::string repeat_;
};

TEST_F(CommandHandlerTest, Exit_code_0_is_success) {
    EXPECT_TRUE(std::holds_alternative<Succeeded>(run(a_command("exit 0"))));
}

// R126
TEST_F(CommandHandlerTest, A_turn_of_a_series_may_print_the_payload_of_the_next_one) {
    const auto handed_on = [&](const std::string& printed) {
        const HandlerResult result = run(a_command("echo '" + printed + "'"));
        return std::get<Succeeded>(result).payload.value_or("none");
    };
    EXPECT_EQ(handed_on(R"({"command":"it","n":2})"), "none") << "this job carries no series on";
    repeat_ = "R/PT1H";
    EXPECT_EQ(handed_on(R"({"command":"it","n":2})"), R"({"command":"it","n":2})");
    EXPECT_EQ(handed_on(R"({"n":2})"), R"({"command":"it","n":2})");
    EXPECT_EQ(handed_on("{}"), R"({"command":"it"})");
    EXPECT_EQ(handed_on(""), "none");
    EXPECT_EQ(handed_on("42 orders summed up"), "none");
    EXPECT_EQ(handed_on("{} {}"), "none");
    EXPECT_EQ(handed_on("[1]"), "none");
}

TEST_F(CommandHandlerTest, What_a_program_prints_never_names_the_next_command) {
    repeat_ = "R/PT1H";
    const HandlerResult result =
        run(a_command(R"(echo '{"n":2,"command":"rm","args":["-r","/"]}')"));
    EXPECT_EQ(std::get<Succeeded>(result).payload, R"({"command":"it","n":2,"args":["-r","/"]})");
}

TEST_F(CommandHandlerTest, Only_standard_output_hands_a_payload_on) {
    repeat_ = "R/PT1H";
    const auto payload_of = [&](const std::string& script) {
        return std::get<Succeeded>(run(a_command(script))).payload.value_or("none");
    };
    EXPECT_EQ(payload_of(R"(echo '{"n":1}' >&2)"), "none");
    EXPECT_EQ(
        payload_of(R"(echo working >&2; echo '{"n":1}'; echo done >&2)"),
        R"({"command":"it","n":1})"
    );
}

TEST_F(CommandHandlerTest, A_turn_that_fails_hands_nothing_on_and_shows_both_outputs) {
    repeat_ = "R/PT1H";
    const Failed failed = failure_of(a_command(R"(echo '{"n":1}'; echo 'no room' >&2; exit 1)"));
    EXPECT_THAT(failed.details, HasSubstr("{\"n\":1}\n"));
    EXPECT_THAT(failed.details, HasSubstr("no room\n"));
}

TEST_F(CommandHandlerTest, A_payload_that_is_longer_than_what_is_kept_is_not_handed_on) {
    repeat_ = "R/PT1H";
    const std::string fill = "head -c 70000 /dev/zero | tr '\\0' ' '; ";
    const HandlerResult cut = run(a_command(fill + "echo '{}'"));
    EXPECT_EQ(std::get<Succeeded>(cut).payload, std::nullopt);
}

TEST_F(CommandHandlerTest, Another_exit_code_is_a_failure_with_the_programs_last_words) {
    const Failed failed = failure_of(a_command("echo working; echo 'cannot read x' >&2; exit 3"));
    EXPECT_EQ(failed.message, "command it failed with exit code 3: cannot read x");
    EXPECT_EQ(failed.details, "working\ncannot read x\n");
    EXPECT_TRUE(failed.retryable);
}

TEST_F(CommandHandlerTest, Exit_code_100_means_do_not_try_again) {
    EXPECT_FALSE(failure_of(a_command("exit 100")).retryable);
}

TEST_F(CommandHandlerTest, A_signal_is_a_failure) {
    const Failed failed = failure_of(a_command("kill -9 $$"));
    EXPECT_EQ(failed.message, "command it was ended by signal 9 (Killed)");
    EXPECT_TRUE(failed.retryable);
}

TEST_F(CommandHandlerTest, The_payload_is_the_stdin_and_its_args_stand_behind_the_configured_ones) {
    const test::TemporaryDirectory directory;
    const std::string out = directory.path() / "out";
    const std::string payload = R"({"command":"it","args":["a b","$c"],"order":17})";
    CommandSettings command = a_command("{ cat; echo; echo \"$1,$2,$3\"; } > " + out);
    command.arguments.emplace_back("first");
    EXPECT_TRUE(std::holds_alternative<Succeeded>(run(command, payload)));
    std::ifstream file(out);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    EXPECT_EQ(text, payload + "\nfirst,a b,$c\n");
}

TEST_F(CommandHandlerTest, The_environment_names_the_job_and_nothing_of_the_service) {
    CommandSettings command = a_command("env | grep -v -E '^(PWD|SHLVL|_|OLDPWD)=' | sort; exit 1");
    command.environment = {{"LANG", "C"}};
    ::setenv("A_SECRET_OF_THE_SERVICE", "x", 1);
    EXPECT_EQ(
        failure_of(command).details,
        "JOBSTRAND_ATTEMPT=2\n"
        "JOBSTRAND_CORRELATION_ID=job-1\n"
        "JOBSTRAND_FENCING_TOKEN=7\n"
        "JOBSTRAND_JOB_ID=job-1\n"
        "LANG=C\n"
        "PATH=/usr/bin:/bin\n"
    );
}

TEST_F(CommandHandlerTest, The_environment_names_the_trace_that_the_job_belongs_to) {
    trace_parent_ = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    EXPECT_EQ(failure_of(a_command("echo \"$TRACEPARENT\"; exit 1")).details, trace_parent_ + "\n");
}

TEST_F(CommandHandlerTest, The_time_limit_is_a_failure) {
    CommandSettings command = a_command("sleep 600");
    command.time_limit = 100ms;
    const Failed failed = failure_of(command);
    EXPECT_EQ(failed.message, "command it was ended at its time limit of PT0.1S");
    EXPECT_EQ(counts_.timed_out, 1);
    EXPECT_TRUE(failed.retryable);
}

TEST_F(CommandHandlerTest, The_deadline_of_the_run_shortens_the_time_limit) {
    deadline_ = clock_.now() + 200ms;
    EXPECT_THAT(failure_of(a_command("sleep 600")).message, HasSubstr("time limit of PT0.2S"));
}

TEST_F(CommandHandlerTest, A_stop_is_no_failure) {
    stop_.request_stop();
    EXPECT_TRUE(std::holds_alternative<Interrupted>(run(a_command("sleep 600"))));
}

TEST_F(CommandHandlerTest, A_job_that_cannot_begin_here_is_given_back_and_the_log_says_why) {
    const test::TemporaryDirectory directory;
    const std::filesystem::path text = directory.path() / "text";
    std::ofstream(text) << "not a program\n";
    CommandSettings lost = a_command("true");
    lost.working_directory = "/nowhere";
    const std::vector<std::pair<CommandSettings, std::string>> cases{
        {{.program = "/nowhere/program"}, "cannot run /nowhere/program: No such file or directory"},
        {{.program = text}, "Permission denied"},
        {lost, "there is no directory /nowhere"}};
    for (const auto& [command, why] : cases) {
        const std::size_t before = log_.lines().size();
        EXPECT_TRUE(std::holds_alternative<Interrupted>(run(command))) << why;
        ASSERT_EQ(log_.lines().size(), before + 1);
        EXPECT_THAT(log_.lines().back().fields, HasSubstr(why));
    }
}

// I7
TEST_F(CommandHandlerTest, A_command_that_this_service_lacks_is_no_failure) {
    for (const char* const other : {R"({"command":"other"})", R"({"command":"/bin/sh"})"}) {
        EXPECT_TRUE(std::holds_alternative<Interrupted>(run(a_command("exit 0"), other))) << other;
    }
}

TEST(CommandNeeds, A_command_job_needs_the_table_that_its_payload_names) {
    EXPECT_EQ(need_of_command(R"({"command":"backup","args":["x"]})"), "[commands.backup]");
    EXPECT_EQ(need_of_command(R"({"command":"a b"})"), need_named("a b"));
    EXPECT_NE(need_of_command(R"({"command":"backup "})"), need_named("backup"));
}

TEST(CommandNeeds, A_payload_that_no_configuration_could_make_right_needs_nothing) {
    for (const char* const payload :
         {"",
          "{}",
          "[]",
          R"({"command":""})",
          R"({"command":["x"]})",
          R"({"command":"x","args":1})"}) {
        EXPECT_EQ(need_of_command(payload), "") << payload;
    }
}

struct BadPayload {
    const char* payload;
    const char* message;
};

TEST_F(CommandHandlerTest, What_the_payload_may_not_say_is_refused_for_good) {
    const BadPayload cases[] = {
        {R"({"args":[]})", "needs \"command\": \"NAME\""},
        {R"({"command":["it"]})", "command in the payload must be a string"},
        {R"({"command":"it","args":"x"})", "args in the payload must be a list of strings"},
        {R"({"command":"it","args":[1]})", "args in the payload must be a list of strings"},
        {R"({"command":"it","args":["a\u0000b"]})", "must not have NUL"},
        {R"({"command":"it","command":"it"})", "command is given twice"},
        {R"(["it"])", "must be a JSON object"},
        {R"({"command":"it")", "the payload of a command job"},
        {"", "the payload of a command job"},
    };
    for (const BadPayload& test : cases) {
        const Failed failed = failure_of(a_command("exit 0"), test.payload);
        EXPECT_THAT(failed.message, HasSubstr(test.message)) << test.payload;
        EXPECT_FALSE(failed.retryable) << test.payload;
    }
}

TEST_F(CommandHandlerTest, What_a_command_puts_out_is_told_while_it_runs) {
    executor::HeldJob held(
        a_job("job-1").of_type("command").with_payload(R"({"command":"it"})"), clock_.steady_now()
    );
    held.is_running = true;
    const auto book = std::make_shared<executor::RunNewsBook>("node-1");
    const std::string go = directory_.path() / "go";
    const CommandHandler handler(
        {clock_, log_, guardian_, &counts_},
        {{"it",
          a_command("echo out; echo err >&2; while ! test -e " + go + "; do sleep 0.01; done")}},
        "/usr/bin:/bin"
    );
    book->when_told([&] { std::ofstream(go) << "told"; });
    const HandlerResult result = handler({.job = held.job, .stop = {}, .news = book, .run = &held});
    EXPECT_TRUE(std::holds_alternative<Succeeded>(result));
    const auto told = book->take(clock_.now()).told;
    ASSERT_EQ(told.size(), 1U);
    EXPECT_THAT(told[0].news.lines, HasSubstr("out\n"));
    EXPECT_THAT(told[0].news.lines, HasSubstr("err\n"));
}

}  // namespace

}  // namespace jobstrand::cli
