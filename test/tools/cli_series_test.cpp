#include "test/tools/cli_fixture.hpp"

#include <gmock/gmock.h>

namespace jobstrand::test {
namespace {

using cli::ExitCode;
using testing::HasSubstr;

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

}  // namespace
}  // namespace jobstrand::test
