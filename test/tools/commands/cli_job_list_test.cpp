#include "test/tools/cli_fixture.hpp"

#include <string>
#include <vector>

namespace jobstrand::test {
namespace {

using cli::ExitCode;

class CliJobList : public CliTest {};

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
    EXPECT_EQ(part.err, "there are more: go on with --skip 2\n");
    EXPECT_EQ(sorted({"colour"}).code, ExitCode::wrong_usage);
    EXPECT_EQ(sorted({"due", "--after", "a"}).code, ExitCode::wrong_usage);
    EXPECT_EQ(run({"job", "ls", "--place", "all", "--sort", "due"}).code, ExitCode::wrong_usage);
    EXPECT_EQ(run({"job", "ls", "--skip", "1"}).code, ExitCode::wrong_usage);
}

}  // namespace
}  // namespace jobstrand::test
