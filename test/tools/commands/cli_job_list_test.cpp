#include "test/tools/cli_fixture.hpp"

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace jobstrand::test {
namespace {

using cli::ExitCode;

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

}  // namespace
}  // namespace jobstrand::test
