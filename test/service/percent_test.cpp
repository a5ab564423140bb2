#include "tools/text/http_address.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace jobstrand {
namespace {

using service::percent_decoded;
using service::percent_encoded;
using service::query_items;
using testing::ElementsAre;
using testing::Pair;

TEST(PercentTest, Escapes_are_decoded_and_encoded) {
    EXPECT_EQ(percent_decoded("order%2F17%20%C3%B8"), "order/17 ø");
    EXPECT_EQ(percent_encoded("order/17 ø"), "order%2F17%20%C3%B8");
    EXPECT_EQ(percent_encoded("a-Z_0.9~"), "a-Z_0.9~");
}

TEST(PercentTest, Bad_escapes_control_characters_and_what_is_not_UTF_8_are_refused) {
    for (const char* const text : {"%", "%1", "%g1", "%0a", "\x01", "%7f", "%ff", "\xff"}) {
        EXPECT_EQ(percent_decoded(text), std::nullopt) << text;
    }
}

TEST(PercentTest, A_query_is_a_list_of_names_and_values) {
    EXPECT_THAT(
        *query_items("type=send+mail&&limit=10&locked&x=a%3Db=c"),
        ElementsAre(
            Pair("type", "send mail"), Pair("limit", "10"), Pair("locked", ""), Pair("x", "a=b=c")
        )
    );
    EXPECT_TRUE(query_items("")->empty());
    EXPECT_EQ(query_items("a=%"), std::nullopt);
}

}  // namespace
}  // namespace jobstrand
