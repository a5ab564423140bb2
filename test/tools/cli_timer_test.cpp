#include "test/tools/cli_fixture.hpp"

#include <gmock/gmock.h>

namespace jobstrand::test {
namespace {

using cli::ExitCode;
using testing::HasSubstr;

class CliTimer : public CliTest {
protected:
    std::string add_timer(const std::string& id) {
        return add({"--type", "noop", "--id", id, "--due", "2126-11-20T10:00:00Z"});
    }
};

TEST_F(CliTimer, Ls_and_show_know_timers_only) {
    add_timer("a");
    add({"--type", "noop", "--id", "b"});
    EXPECT_EQ(ok({"timer", "ls", "-o", "name"}), "a\n");
    EXPECT_EQ(ok({"timer", "ls", "-o", "name", "--due-before", "2126-11-20"}), "");
    EXPECT_THAT(ok({"timer", "show", "a"}), HasSubstr("2126-11-20T10:00:00.000Z"));
    const CliResult other = run({"timer", "show", "b"});
    EXPECT_EQ(other.code, ExitCode::not_found);
    EXPECT_EQ(other.err, "jobstrand: job b stands in place executable, not in timer\n");
}

TEST_F(CliTimer, Fire_makes_timers_executable) {
    add_timer("a");
    add_timer("b");
    EXPECT_EQ(ok({"timer", "fire", "a", "b", "-o", "name"}), "a\nb\n");
    EXPECT_EQ(places(), "executable=2");
    EXPECT_EQ(run({"timer", "fire", "a"}).code, ExitCode::not_found);
    EXPECT_THAT(run({"timer", "fire", "a"}).err, HasSubstr("job a stands in place executable"));
    EXPECT_EQ(run({"timer", "fire", "nobody"}).code, ExitCode::not_found);
    EXPECT_EQ(run({"timer", "fire"}).code, ExitCode::wrong_usage);
}

TEST_F(CliTimer, Reschedule_gives_another_due_date) {
    add_timer("a");
    ok({"timer", "reschedule", "a", "--due", "2126-12-24T18:00:00+01:00"});
    EXPECT_EQ(field("a", "dueDate"), "\"2126-12-24T17:00:00.000Z\"");
    ok({"timer", "reschedule", "a", "--due-in", "P400Y"});
    EXPECT_EQ(places(), "timer=1");
}

TEST_F(CliTimer, Reschedule_refuses_what_is_no_time_and_changes_nothing) {
    add_timer("a");
    EXPECT_EQ(run({"timer", "reschedule", "a"}).code, ExitCode::wrong_usage);
    EXPECT_EQ(run({"timer", "reschedule", "a", "--due", "soon"}).code, ExitCode::wrong_usage);
    EXPECT_EQ(run({"timer", "reschedule", "a", "--due-in", "P"}).code, ExitCode::wrong_usage);
    EXPECT_EQ(run({"timer", "reschedule", "nobody", "--due-in", "PT1S"}).code, ExitCode::not_found);
    EXPECT_EQ(field("a", "dueDate"), "\"2126-11-20T10:00:00.000Z\"");
}

TEST_F(CliTimer, Rm_deletes_timers_only) {
    add_timer("a");
    add_timer("b");
    add({"--type", "noop", "--id", "c"});
    EXPECT_EQ(run({"timer", "rm", "c"}).code, ExitCode::not_found);
    ok({"timer", "rm", "a"});
    EXPECT_EQ(run({"timer", "rm", "--all"}).code, ExitCode::refused);
    ok({"timer", "rm", "--all", "--yes"});
    EXPECT_EQ(places(), "executable=1");
}

}  // namespace
}  // namespace jobstrand::test
