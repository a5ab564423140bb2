#include "schema/limits.hpp"
#include "test/tools/cli_fixture.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace jobstrand::test {
namespace {

using cli::ExitCode;
using nlohmann::json;
using testing::HasSubstr;

class CliImport : public CliTest {};

std::string lines(int count) {
    std::string text;
    for (int i = 0; i < count; ++i) {
        text += R"({"handlerType":"noop","payload":{"n":)" + std::to_string(i) + "}}\n";
    }
    return text;
}

TEST_F(CliImport, A_file_of_jobs_is_enqueued) {
    const std::string path = file("jobs.jsonl", lines(2500));
    EXPECT_EQ(
        ok({"job", "add", "--from", path, "-o", "json"}),
        "{\"added\":2500,\"badLines\":0,\"suspended\":0,\"keptOut\":0,\"replaced\":0}\n"
    );
    EXPECT_EQ(places(), "executable=2500");
}

TEST_F(CliImport, Stdin_and_pipes_are_read_as_well) {
    ok({"job", "add", "--from", "-"}, "\n" + lines(2) + "  \r\n" + R"({"handlerType":"x"})");
    EXPECT_EQ(places(), "executable=3");
    ok({"job", "add", "--from", "-"}, "");
    EXPECT_EQ(places(), "executable=3");
}

TEST_F(CliImport, Jobs_that_are_stored_suspended_are_counted_with_the_reason) {
    ok({"instance", "suspend", "order-17"});
    ok({"definition", "suspend", "shipping"});
    const std::string jobs =
        R"({"handlerType":"noop","processInstanceId":"order-17"})"
        "\n"
        R"({"handlerType":"noop","processInstanceId":"order-17","processDefinitionId":"shipping"})"
        "\n"
        R"({"handlerType":"noop"})";
    for (const bool keeps_going : {false, true}) {
        std::vector<std::string> arguments{"job", "add", "--from", "-", "-o", "json"};
        if (keeps_going) {
            arguments.emplace_back("--keep-going");
        }
        const CliResult added = run(arguments, jobs);
        EXPECT_EQ(
            added.out, "{\"added\":3,\"badLines\":0,\"suspended\":2,\"keptOut\":0,\"replaced\":0}\n"
        );
        EXPECT_THAT(added.err, HasSubstr("2 of them are stored suspended\n"));
        EXPECT_THAT(added.err, HasSubstr("2: instance order-17 is suspended since "));
        EXPECT_THAT(added.err, HasSubstr("1: definition shipping is suspended since "));
    }
}

TEST_F(CliImport, What_ls_writes_can_be_added_to_another_database) {
    add({"--type", "send", "--payload", "[1.10]", "--instance", "order-17", "--priority", "-3"});
    add({"--type", "send", "--due-in", "P1D", "--retries", "7", "--retry-cycle", "R7/PT1S"});
    add({"--type", "send", "--external"});
    const std::string jobs = ok({"job", "ls", "--place", "all", "-o", "jsonl"});
    const std::string other = "sqlite:" + path_of("other.db");
    ASSERT_EQ(run_bare({"schema", "create", "--db", other}).code, ExitCode::done);
    ASSERT_EQ(run_bare({"job", "add", "--from", "-", "--db", other}, jobs).code, ExitCode::done);
    const CliResult again = run_bare({"job", "ls", "--place", "all", "-o", "jsonl", "--db", other});
    std::istringstream before(jobs);
    std::istringstream after(again.out);
    for (std::string line; std::getline(before, line);) {
        std::string copy;
        std::getline(after, copy);
        json first = json::parse(line);
        json second = json::parse(copy);
        first.erase("createTime");
        second.erase("createTime");
        EXPECT_EQ(first, second);
    }
}

struct BadImport {
    std::string content;
    const char* message;
};

TEST_F(CliImport, One_bad_line_keeps_all_lines_out) {
    const std::string good = R"({"handlerType":"noop"})"
                             "\n";
    const BadImport cases[] = {
        {good + "not json\n" + good, "jobs.jsonl:2: "},
        {good + "\n" +
             R"({"handlerType":""})"
             "\n",
         "jobs.jsonl:3: handlerType must be given"},
        {good + R"({"handlerTyp":"x"})",
         "jobs.jsonl:2: a job has no field handlerTyp; did you mean"},
        {good + R"({"handlerType":"x","priority":99999999999999999999})", "jobs.jsonl:2: priority"},
        {good + R"({"handlerType":"x","dueDate":"99999-01-01"})", "jobs.jsonl:2: dueDate"},
        {R"({"handlerType":"x","id":"a"})"
         "\n"
         R"({"handlerType":"x","id":"a"})",
         "jobs.jsonl:2: there is a job a already"},
        {good + "\xEF\xBB\xBF" + good, "jobs.jsonl:2: "},
        {good + std::string("{\"handlerType\":\"x\"}\0", 20), "jobs.jsonl:2: "},
        {good + R"({"handlerType":"x","payload":")" +
             std::string(schema::limits::kPayloadBytes, 'x') + "\"}",
         "jobs.jsonl:2: payload is longer than"},
        {good + std::string(schema::limits::kPayloadBytes + 100'000, ' ') + good,
         "jobs.jsonl:2: the line is longer than"},
    };
    for (const BadImport& test : cases) {
        const std::string path = file("jobs.jsonl", test.content);
        const CliResult result = run({"job", "add", "--from", path});
        EXPECT_EQ(result.code, ExitCode::wrong_usage) << test.message;
        EXPECT_THAT(result.err, HasSubstr(test.message));
        EXPECT_THAT(result.err, HasSubstr("jobstrand: no job was added\n"));
        EXPECT_EQ(places(), "") << test.message;
    }
}

TEST_F(CliImport, Every_bad_line_is_told_with_its_number) {
    const CliResult result = run({"job", "add", "--from", "-"}, "x\n" + lines(1) + "{}\n");
    EXPECT_THAT(result.err, HasSubstr("jobstrand: stdin:1: "));
    EXPECT_THAT(result.err, HasSubstr("jobstrand: stdin:3: handlerType must be given"));
}

TEST_F(CliImport, An_id_that_is_taken_keeps_all_lines_out) {
    add({"--type", "noop", "--id", "taken"});
    const std::string path =
        file("jobs.jsonl", lines(1500) + R"({"handlerType":"x","id":"taken"})");
    const CliResult result = run({"job", "add", "--from", path});
    EXPECT_EQ(result.code, ExitCode::refused);
    EXPECT_THAT(result.err, HasSubstr("jobs.jsonl:1501: there is a job taken already"));
    EXPECT_EQ(places(), "executable=1");
}

TEST_F(CliImport, With_keep_going_the_good_lines_are_added) {
    add({"--type", "noop", "--id", "taken"});
    const CliResult result =
        run({"job", "add", "--from", "-", "--keep-going", "-o", "json"},
            lines(2) + "bad\n" +
                R"({"handlerType":"x","id":"taken"})"
                "\n" +
                lines(1500));
    EXPECT_EQ(result.code, ExitCode::partly_done);
    EXPECT_EQ(
        result.out, "{\"added\":1502,\"badLines\":2,\"suspended\":0,\"keptOut\":0,\"replaced\":0}\n"
    );
    EXPECT_THAT(result.err, HasSubstr("stdin:3: "));
    EXPECT_THAT(result.err, HasSubstr("stdin:4: there is a job taken already"));
    EXPECT_EQ(places(), "executable=1503");
}

TEST_F(CliImport, A_file_that_cannot_be_read_is_told_by_name) {
    EXPECT_THAT(run({"job", "add", "--from", "/nowhere"}).err, HasSubstr("cannot read /nowhere"));
    EXPECT_EQ(run({"job", "add", "--from", "/nowhere"}).code, ExitCode::wrong_usage);
    EXPECT_EQ(run({"job", "add", "--from", path_of("")}).code, ExitCode::wrong_usage);
}

TEST_F(CliImport, A_file_and_fields_exclude_each_other) {
    const std::string path = file("jobs.jsonl", lines(1));
    EXPECT_EQ(run({"job", "add", "--from", path, "--type", "x"}).code, ExitCode::wrong_usage);
    EXPECT_EQ(run({"job", "add", "--from", path, "--external"}).code, ExitCode::wrong_usage);
    EXPECT_EQ(places(), "");
}

}  // namespace
}  // namespace jobstrand::test
