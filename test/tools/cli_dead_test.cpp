#include "test/tools/cli_fixture.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace jobstrand::test {
namespace {

using cli::ExitCode;
using nlohmann::json;
using testing::HasSubstr;

class CliDead : public CliTest {};

TEST_F(CliDead, Ls_finds_dead_letters_by_their_message) {
    const std::string refused = add_dead("connection refused");
    const std::string broken = add_dead("disk is full");
    EXPECT_EQ(ok({"dead", "ls", "-o", "name"}), refused + "\n" + broken + "\n");
    EXPECT_EQ(ok({"dead", "ls", "-o", "name", "--error", "refused"}), refused + "\n");
    EXPECT_THAT(ok({"dead", "ls"}), HasSubstr("disk is full"));
}

TEST_F(CliDead, Show_has_the_message_and_all_of_the_details) {
    std::string details;
    for (int i = 0; i < 200; ++i) {
        details += "  at frame " + std::to_string(i) + "\n";
    }
    const std::string id = add_dead("it broke", details);
    const json shown = json::parse(ok({"dead", "show", id, "-o", "json"}));
    EXPECT_EQ(shown.at("exceptionMessage"), "it broke");
    EXPECT_EQ(shown.at("exceptionDetails"), details);
    EXPECT_THAT(ok({"dead", "show", id}), HasSubstr("\n    at frame 199\n"));
    EXPECT_EQ(run({"dead", "show", add()}).code, ExitCode::not_found);
}

TEST_F(CliDead, Requeue_all_gives_every_dead_letter_new_attempts) {
    const std::string id = add_dead();
    add_dead();
    EXPECT_EQ(
        ok({"dead", "requeue", "--all", "--retries", "1", "-o", "json"}),
        "{\"requeued\":2,\"skipped\":0}\n"
    );
    EXPECT_EQ(places(), "executable=2");
    EXPECT_EQ(field(id, "retries"), "1");
    EXPECT_EQ(ok({"dead", "requeue", "--all", "-o", "json"}), "{\"requeued\":0,\"skipped\":0}\n");
}

TEST_F(CliDead, Requeue_by_id_may_be_repeated) {
    const std::string id = add_dead();
    ok({"dead", "requeue", id, "--retries", "5"});
    EXPECT_EQ(field(id, "retries"), "5");
    const CliResult again = run({"dead", "requeue", id});
    EXPECT_EQ(again.code, ExitCode::done);
    EXPECT_THAT(again.err, HasSubstr("stands in place executable: skipped"));
    EXPECT_EQ(field(id, "retries"), "5");
    EXPECT_EQ(run({"dead", "requeue", "nobody"}).code, ExitCode::not_found);
    EXPECT_EQ(run({"dead", "requeue", "nobody", add_dead()}).code, ExitCode::partly_done);
}

TEST_F(CliDead, Requeue_may_wait) {
    const std::string id = add_dead();
    ok({"dead", "requeue", id, "--due", "2126-01-01"});
    EXPECT_EQ(field(id, "place"), "\"timer\"");
    EXPECT_EQ(field(id, "dueDate"), "\"2126-01-01T00:00:00.000Z\"");
}

TEST_F(CliDead, Requeue_by_filter_takes_what_matches) {
    add_dead("connection refused");
    add_dead("disk is full");
    ok({"dead", "requeue", "--error", "refused"});
    EXPECT_EQ(places(), "executable=1 dead=1");
}

TEST_F(CliDead, Requeue_without_a_choice_or_with_bad_values_changes_nothing) {
    const std::string id = add_dead();
    EXPECT_EQ(run({"dead", "requeue"}).code, ExitCode::wrong_usage);
    EXPECT_EQ(run({"dead", "requeue", id, "--retries", "0"}).code, ExitCode::wrong_usage);
    EXPECT_EQ(run({"dead", "requeue", id, "--due-in", "x"}).code, ExitCode::wrong_usage);
    EXPECT_EQ(run({"dead", "requeue", id, "--all"}).code, ExitCode::wrong_usage);
    EXPECT_EQ(ok({"dead", "requeue", "--all", "--dry-run", "-o", "name"}), id + "\n");
    EXPECT_EQ(places(), "dead=1");
}

TEST_F(CliDead, Rm_by_id_needs_no_yes_and_by_filter_does) {
    const std::string id = add_dead();
    add_dead();
    ok({"dead", "rm", id});
    EXPECT_EQ(places(), "dead=1");
    EXPECT_EQ(run({"dead", "rm", "--all"}).code, ExitCode::refused);
    EXPECT_EQ(places(), "dead=1");
    EXPECT_EQ(
        ok({"dead", "rm", "--all", "--yes", "-o", "json"}), "{\"removed\":1,\"skipped\":0}\n"
    );
    EXPECT_EQ(places(), "");
}

}  // namespace
}  // namespace jobstrand::test
