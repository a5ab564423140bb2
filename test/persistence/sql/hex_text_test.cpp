#include "persistence/sql/sql_values.hpp"

#include <gtest/gtest.h>

#include <string>

namespace jobstrand::persistence {
namespace {

Bytes bytes_of(std::string_view text) {
    return std::as_bytes(std::span(text.data(), text.size()));
}

TEST(HexText, Has_two_digits_for_each_byte_behind_its_mark) {
    EXPECT_EQ(hex_text_of(bytes_of("")), "\\x");
    EXPECT_EQ(hex_text_of(bytes_of("Az")), "\\x417a");
    EXPECT_EQ(hex_text_of(bytes_of(std::string_view("\0\x0f\xf0\xff", 4))), "\\x000ff0ff");
}

TEST(HexText, Is_read_in_capitals_and_in_small_letters) {
    EXPECT_EQ(bytes_of_hex_text("\\x417a"), "Az");
    EXPECT_EQ(bytes_of_hex_text("\\x417A"), "Az");
    EXPECT_EQ(bytes_of_hex_text("\\x"), "");
    EXPECT_EQ(from_hex("c3A4"), "\xc3\xa4");
}

TEST(HexText, Without_its_mark_a_text_is_taken_as_it_is) {
    EXPECT_EQ(bytes_of_hex_text("417a"), "417a");
    EXPECT_EQ(bytes_of_hex_text(""), "");
    EXPECT_EQ(bytes_of_hex_text("\\"), "\\");
}

TEST(HexText, Every_byte_comes_back_as_it_went) {
    std::string all;
    for (int byte = 0; byte < 256; ++byte) {
        all += static_cast<char>(byte);
    }
    EXPECT_EQ(bytes_of_hex_text(hex_text_of(bytes_of(all))), all);
}

}  // namespace
}  // namespace jobstrand::persistence
