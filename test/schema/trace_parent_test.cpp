#include "schema/text/trace_parent.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>

namespace jobstrand::schema {
namespace {

constexpr std::string_view kSampled = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

TEST(TraceParent, Is_read_and_written) {
    const auto parent = parse_trace_parent(kSampled);
    ASSERT_TRUE(parent);
    EXPECT_EQ(parent->trace_id, "0af7651916cd43dd8448eb211c80319c");
    EXPECT_EQ(parent->parent_id, "b7ad6b7169203331");
    EXPECT_TRUE(parent->is_sampled);
    EXPECT_EQ(text_of(*parent), kSampled);
}

TEST(TraceParent, Other_flags_are_of_no_meaning) {
    for (const auto& [flags, is_sampled] :
         {std::pair{"00", false}, {"02", false}, {"03", true}, {"ff", true}}) {
        const std::string text = std::string(kSampled.substr(0, 53)) + flags;
        ASSERT_TRUE(parse_trace_parent(text)) << text;
        EXPECT_EQ(parse_trace_parent(text)->is_sampled, is_sampled) << text;
    }
}

TEST(TraceParent, Of_a_later_version_the_known_part_is_read) {
    const std::string later = "cc" + std::string(kSampled.substr(2)) + "-what-may-come";
    EXPECT_EQ(parse_trace_parent(later), parse_trace_parent(kSampled));
}

TEST(TraceParent, What_is_none_is_refused) {
    for (const std::string_view text : {
             "",
             "00",
             "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331",
             "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0",
             "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more",
             "cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01.more",
             "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
             "0x-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
             "00-0AF7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
             "00-0af7651916cd43dd8448eb211c80319c-b7ad6b716920333g-01",
             "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0g",
             "00-00000000000000000000000000000000-b7ad6b7169203331-01",
             "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
             "00_0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
             "00-0af7651916cd43dd8448eb211c80319c_b7ad6b7169203331-01",
             "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331_01",
         }) {
        EXPECT_FALSE(parse_trace_parent(text)) << text;
    }
}

}  // namespace
}  // namespace jobstrand::schema
