#include "schema/job_failure.hpp"

#include "schema/limits.hpp"
#include "schema/text/utf8.hpp"

#include <gtest/gtest.h>

#include <string>

namespace jobstrand::schema {
namespace {

using namespace std::chrono_literals;
using namespace std::string_literals;

std::string cut_message(std::string message) {
    return cut_to_limits({std::move(message), "", true, std::nullopt}).message;
}

std::string cut_details(std::string details) {
    return cut_to_limits({"", std::move(details), true, std::nullopt}).details;
}

TEST(JobFailure, What_fits_stays_as_it_is) {
    const JobFailure failure{"it broke: ä", "at line 1\nat line 2", false, 5s};
    EXPECT_EQ(cut_to_limits(failure), failure);
}

TEST(JobFailure, A_message_keeps_its_beginning) {
    const std::string longest(limits::kExceptionMessageLength, 'm');
    EXPECT_EQ(cut_message(longest + "more"), longest);
}

TEST(JobFailure, A_message_is_cut_between_characters) {
    std::string euros;
    for (std::size_t i = 0; i < limits::kExceptionMessageLength + 1; ++i) {
        euros += "€";
    }
    EXPECT_EQ(count_characters(cut_message(euros)), limits::kExceptionMessageLength);
}

TEST(JobFailure, Details_keep_their_end) {
    const std::string longest(limits::kExceptionDetailsBytes, 'd');
    EXPECT_EQ(cut_details("before" + longest), longest);
}

TEST(JobFailure, Details_are_cut_between_characters) {
    const std::string longest(limits::kExceptionDetailsBytes - 1, 'd');
    EXPECT_EQ(cut_details("€" + longest), longest);
}

TEST(JobFailure, What_a_database_cannot_store_is_replaced) {
    EXPECT_EQ(cut_message("a\0b\xFF"s), "a\uFFFDb\uFFFD");
    EXPECT_EQ(cut_details("c\0d\xFF"s), "c\uFFFDd\uFFFD");
}

}  // namespace
}  // namespace jobstrand::schema
