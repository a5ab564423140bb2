#include "test/tools/cli_fixture.hpp"
#include "tools/output/output_style.hpp"
#include "tools/process/this_process.hpp"
#include "tools/settings/settings_text.hpp"
#include "tools/surface/completion.hpp"
#include "tools/surface/program.hpp"
#include "tools/text/typing_errors.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <string>
#include <string_view>

namespace jobstrand::cli {

namespace {

using test::CliTest;

class CliUsage : public CliTest {};

TEST_F(CliUsage, Config_docs_are_the_table_of_the_settings) {
    EXPECT_EQ(run_bare({"config", "docs"}).out, cli::settings_as_markdown());
}

TEST(Process, Passwords_are_hidden_from_the_process_title) {
    struct Case {
        std::string before;
        std::string after;
    };
    const Case cases[] = {
        {"--db=mysql://u:s3cret@h:3306/d", "--db=mysql://u:******@h:3306/d"},
        {"postgresql://u:a@b/c@h/d", "postgresql://u:*****@h/d"},
        {"mysql://u@h:3306/d", "mysql://u@h:3306/d"},
        {"sqlite:jobs.db", "sqlite:jobs.db"},
        {"mysql://h:3306/d", "mysql://h:3306/d"},
        {"", ""},
    };
    for (const Case& test : cases) {
        std::string text = test.before;
        std::array<char*, 1> arguments{text.data()};
        cli::hide_passwords(arguments);
        EXPECT_EQ(text, test.after);
    }
}

std::size_t longest_line(const std::string& text) {
    std::size_t longest = 0;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        longest = std::max(longest, line.size());
    }
    return longest;
}

const std::string kWords =
    "one two three four five six seven eight nine ten eleven twelve thirteen";

TEST(WrappedHelp, Goes_on_below_the_description) {
    EXPECT_EQ(
        wrapped_help("  --option TEXT      " + kWords + "\n", 80),
        "  --option TEXT      one two three four five six seven eight nine ten eleven\n"
        "                     twelve thirteen\n"
    );
    EXPECT_EQ(
        wrapped_help("Usage: program " + kWords + "\n", 80),
        "Usage: program one two three four five six seven eight nine ten eleven twelve\n"
        "       thirteen\n"
    );
}

TEST(WrappedHelp, Fills_sentences_and_keeps_them_from_headings) {
    EXPECT_EQ(
        wrapped_help("Heading:\n" + kWords + "\n" + kWords + "\n\nEnd.\n", 100),
        "Heading:\n"
        "one two three four five six seven eight nine ten eleven twelve thirteen one two three "
        "four five six\n"
        "seven eight nine ten eleven twelve thirteen\n\nEnd.\n"
    );
}

TEST(WrappedHelp, Leaves_examples_as_they_are) {
    const std::string examples = "Examples:\n  jobstrand " + kWords + " " + kWords + "\n";
    EXPECT_EQ(wrapped_help(examples, 80), examples);
}

TEST(WrappedHelp, Is_laid_out_for_80_columns_at_least_and_120_at_most) {
    const std::string text = kWords + " " + kWords + " " + kWords + "\n";
    EXPECT_EQ(wrapped_help(text, 10), wrapped_help(text, 80));
    EXPECT_LE(longest_line(wrapped_help(text, 80)), 80U);
    EXPECT_EQ(wrapped_help(text, 300), wrapped_help(text, 120));
    EXPECT_GT(longest_line(wrapped_help(text, 120)), 100U);
}

constexpr std::array<std::string_view, 4> kNames{
    "corePoolSize",
    "maxPoolSize",
    "queueSize",
    "lockOwner"};

TEST(NearestName, The_fewest_edits_win) {
    EXPECT_EQ(nearest_name("maxPolSize", kNames), "maxPoolSize");
    EXPECT_EQ(nearest_name("corepoolsize", kNames), "corePoolSize");
    EXPECT_EQ(nearest_name("quueeSize", kNames), "queueSize");
    EXPECT_EQ(nearest_name("lock_owner", kNames), "lockOwner");
}

TEST(NearestName, An_empty_or_endless_name_has_an_answer_too) {
    EXPECT_EQ(nearest_name("", kNames), "queueSize");
    EXPECT_FALSE(nearest_name(std::string(1'000'000, 'x'), kNames).empty());
    EXPECT_EQ(nearest_name("anything", {}), "");
}

void expect_known_values(const CommandDescription& command, const std::string& noun) {
    for (const cli::OptionDescription& option : command.options) {
        if (!option.value.empty()) {
            EXPECT_NE(cli::choices_of(noun, option.names.back(), option.value), nullptr)
                << noun << ' ' << command.name << ' ' << option.names.back() << ' ' << option.value
                << ": say in surface/completion.cpp where such values come from";
        }
    }
    for (const CommandDescription& below : command.commands) {
        expect_known_values(below, noun.empty() ? below.name : noun);
    }
}

TEST(ValueChoices, It_is_said_of_every_option_where_its_values_come_from) {
    expect_known_values(cli::Program().description(), "");
}

}  // namespace

}  // namespace jobstrand::cli
