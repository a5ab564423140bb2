#include "tools/output/progress.hpp"

#include "schema/clock.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <sstream>

namespace jobstrand::cli {
namespace {

using namespace std::chrono_literals;

struct Output {
    std::istringstream in;
    std::ostringstream out;
    std::ostringstream err;
    Streams streams{.in = in, .out = out, .err = err};
    schema::ManualClock clock;
};

TEST(Progress, Without_a_terminal_nothing_is_said_within_two_seconds) {
    Output output;
    Progress progress(output.streams, output.clock, "added");
    output.clock.tick(1999ms);
    progress.show(1000, 10'000);
    EXPECT_EQ(output.err.str(), "");
    output.clock.tick(1ms);
    progress.show(2000, 10'000);
    progress.show(3000, 10'000);
    EXPECT_EQ(output.err.str(), "added 2000 of 10000 (20 %), 1000/s, 8 s left\n");
}

TEST(Progress, Where_nobody_knows_how_many_there_are_tells_how_many_were_done) {
    Output output;
    Progress progress(output.streams, output.clock, "moved");
    progress.show(10);
    output.clock.tick(2s);
    progress.show(3'000);
    EXPECT_EQ(output.err.str(), "moved 3000 so far, 1500/s\n");
}

TEST(Progress, On_a_terminal_one_line_is_rewritten) {
    Output output;
    output.streams.err_is_terminal = true;
    {
        Progress progress(output.streams, output.clock, "added");
        output.clock.tick(1s);
        progress.show(10, 100);
        output.clock.tick(50ms);
        progress.show(20, 100);
        output.clock.tick(50ms);
        progress.show(50, 100);
    }
    EXPECT_EQ(
        output.err.str(),
        "\r\x1b[Kadded 10 of 100 (10 %), 10/s, 9 s left"
        "\r\x1b[Kadded 50 of 100 (50 %), 45/s, 1 s left\n"
    );
}

TEST(Progress, On_a_terminal_nothing_is_left_of_what_took_a_moment) {
    Output output;
    output.streams.err_is_terminal = true;
    {
        Progress progress(output.streams, output.clock, "read");
        output.clock.tick(190ms);
        progress.show(10, 100);
        output.clock.tick(59ms);
        progress.show(100, 100);
    }
    EXPECT_EQ(output.err.str(), "");
}

}  // namespace
}  // namespace jobstrand::cli
