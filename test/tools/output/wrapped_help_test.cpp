#include "tools/output/output_style.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <sstream>
#include <string>

namespace jobstrand::test {

namespace {

using cli::wrapped_help;

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

}  // namespace

}  // namespace jobstrand::test
