#include "test/tools/cli_fixture.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace jobstrand::test {
namespace {

using cli::ExitCode;
using nlohmann::json;
using testing::HasSubstr;

/// Unique keys on the command line (B8).
class CliUnique : public CliTest {
protected:
    CliResult add_with_key(const std::vector<std::string>& more = {}) {
        std::vector<std::string> arguments{
            "job", "add", "--type", "noop", "--unique-key", "k 1", "-o", "json"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return run(arguments);
    }
};

TEST_F(CliUnique, A_second_job_is_refused_and_the_first_one_is_named) {
    const std::string id = json::parse(add_with_key().out).at("id");
    const CliResult second = add_with_key();
    EXPECT_EQ(second.code, ExitCode::refused);
    EXPECT_EQ(second.err, "jobstrand: job " + id + " has the unique key k 1\n");
    EXPECT_EQ(places(), "executable=1");
}

TEST_F(CliUnique, A_job_that_is_kept_is_the_answer) {
    const std::string id = add({"--type", "noop", "--unique-key", "k 1"});
    const CliResult second = add_with_key({"--on-duplicate", "keep"});
    EXPECT_EQ(second.code, ExitCode::done);
    EXPECT_EQ(
        json::parse(second.out), json({{"id", id}, {"isNew", false}, {"replacedJob", nullptr}})
    );
    EXPECT_EQ(second.err, "nothing was added: job " + id + " has the unique key \"k 1\"\n");
    EXPECT_EQ(places(), "executable=1");
}

TEST_F(CliUnique, A_job_that_made_room_is_told) {
    const std::string old = add({"--type", "noop", "--unique-key", "k 1", "--due-in", "1h"});
    const CliResult second = add_with_key({"--on-duplicate", "replace"});
    const json answer = json::parse(second.out);
    EXPECT_EQ(answer.at("isNew"), true);
    EXPECT_EQ(answer.at("replacedJob"), old);
    EXPECT_EQ(second.err, "it took the place of job " + old + "\n");
    EXPECT_EQ(places(), "executable=1");
    lock(answer.at("id"));
    const CliResult third = add_with_key({"--on-duplicate", "replace"});
    EXPECT_EQ(third.code, ExitCode::refused);
    EXPECT_THAT(third.err, HasSubstr("it cannot be replaced"));
}

TEST_F(CliUnique, A_period_outlives_its_job) {
    const std::string id = add({"--type", "noop", "--unique-key", "k 1", "--unique-for", "1h"});
    ok({"job", "rm", id});
    const CliResult second = add_with_key();
    EXPECT_EQ(second.code, ExitCode::refused);
    EXPECT_THAT(second.err, HasSubstr("job " + id + " has the unique key k 1 until 2"));
}

TEST_F(CliUnique, Keys_are_shown_and_asked_for) {
    const std::string id = add({"--type", "noop", "--unique-key", "k 1"});
    add();
    EXPECT_EQ(ok({"job", "ls", "--unique-key", "k 1", "-o", "name"}), id + "\n");
    EXPECT_EQ(field(id, "uniqueKey"), "\"k 1\"");
    EXPECT_THAT(ok({"job", "show", id}), HasSubstr("k 1"));
}

TEST_F(CliUnique, What_cannot_be_meant_so_is_refused) {
    expect_wrong_usage(
        {"job", "add", "--type", "noop"},
        {{{"--on-duplicate", "keep"}, "go with --unique-key"},
         {{"--unique-for", "1h"}, "go with --unique-key"},
         {{"--unique-key", "k", "--on-duplicate", "skip"}, "reject, keep or replace"},
         {{"--unique-key", "k", "--unique-for", "P3661D"}, "uniqueFor must be 1 ms to P3660D"},
         {{"--unique-key", "k "}, "no space at its end"},
         {{"--unique-key", ""}, "--unique-key"},
         {{"--unique-key", "k", "--repeat", "R/PT1H"}, "uniqueKey does not go with repeat"}}
    );
    EXPECT_EQ(places(), "");
}

TEST_F(CliUnique, A_file_tells_the_line_whose_key_is_held_and_adds_nothing) {
    const std::string id = add({"--type", "noop", "--unique-key", "k"});
    const std::string path = file(
        "jobs.jsonl",
        R"({"handlerType":"noop"})"
        "\n"
        R"({"handlerType":"noop","uniqueKey":"k"})"
        "\n"
    );
    const CliResult none = run({"job", "add", "--from", path});
    EXPECT_EQ(none.code, ExitCode::refused);
    EXPECT_THAT(none.err, HasSubstr("jobs.jsonl:2: job " + id + " has the unique key k\n"));
    EXPECT_EQ(places(), "executable=1");
    const CliResult some = run({"job", "add", "--from", path, "--keep-going"});
    EXPECT_EQ(some.code, ExitCode::partly_done);
    EXPECT_THAT(some.err, HasSubstr("jobs.jsonl:2: job " + id + " has the unique key k\n"));
    EXPECT_EQ(places(), "executable=2");
}

TEST_F(CliUnique, A_file_counts_what_it_kept_out_and_what_made_room) {
    add({"--type", "noop", "--unique-key", "a"});
    add({"--type", "noop", "--unique-key", "b"});
    const std::string lines = R"({"handlerType":"noop","uniqueKey":"a","onDuplicate":"keep"}
{"handlerType":"noop","uniqueKey":"b","onDuplicate":"replace"}
{"handlerType":"noop","uniqueKey":"c","onDuplicate":"keep","uniqueFor":"PT1H"}
)";
    EXPECT_EQ(
        ok({"job", "add", "--from", "-", "-o", "json"}, lines),
        "{\"added\":2,\"badLines\":0,\"suspended\":0,\"keptOut\":1,\"replaced\":1}\n"
    );
    EXPECT_EQ(places(), "executable=3");
}

TEST_F(CliUnique, A_dead_letter_whose_key_is_held_is_not_requeued_and_says_by_whom) {
    const std::string dead = add({"--type", "noop", "--unique-key", "k"});
    ok({"job", "cancel", dead, "--reason", "test"});
    const std::string other = add({"--type", "noop", "--unique-key", "k"});
    const std::string why = "job " + dead + " has the unique key k, as job " + other + " has now";
    const CliResult named = run({"dead", "requeue", dead});
    EXPECT_EQ(named.code, ExitCode::refused);
    EXPECT_THAT(named.err, HasSubstr(why));
    const CliResult all = run({"dead", "requeue", "--all"});
    EXPECT_EQ(all.code, ExitCode::refused);
    EXPECT_THAT(all.err, HasSubstr(why));
    EXPECT_EQ(places(), "executable=1 dead=1");
    ok({"job", "rm", other});
    ok({"dead", "requeue", dead});
    EXPECT_EQ(places(), "executable=1");
}

}  // namespace
}  // namespace jobstrand::test
