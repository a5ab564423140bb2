#include "test/tools/cli_fixture.hpp"

#include <gmock/gmock.h>

namespace jobstrand::test {
namespace {

using cli::ExitCode;
using testing::HasSubstr;

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

}  // namespace
}  // namespace jobstrand::test
