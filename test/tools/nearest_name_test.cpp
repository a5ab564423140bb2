#include "tools/text/typing_errors.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>

namespace jobstrand::cli {
namespace {

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

}  // namespace
}  // namespace jobstrand::cli
