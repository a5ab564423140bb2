#include "schema/text/parsing.hpp"

#include <algorithm>

namespace jobstrand::schema {

bool TextScanner::take(char wanted) {
    if (at_end() || peek() != wanted) {
        return false;
    }
    ++position_;
    return true;
}

void TextScanner::expect(char wanted, std::string_view what) {
    if (!take(wanted)) {
        fail("expected " + std::string(what));
    }
}

void TextScanner::expect_end() {
    if (!at_end()) {
        fail("expected the end of the text");
    }
}

std::int64_t TextScanner::number(std::string_view what) {
    if (!next_is_digit()) {
        fail("expected " + std::string(what));
    }
    std::int64_t value = 0;
    for (; next_is_digit(); ++position_) {
        value = std::min(value * 10 + (peek() - '0'), kLargestNumber);
    }
    return value;
}

int TextScanner::digits(int count, std::string_view what, int least, int most) {
    const std::size_t start = position_;
    int value = 0;
    for (int i = 0; i < count; ++i, ++position_) {
        if (!next_is_digit()) {
            fail("expected " + std::to_string(count) + " digits for the " + std::string(what));
            return 0;
        }
        value = value * 10 + (peek() - '0');
    }
    if (value < least || value > most) {
        fail_at(
            start,
            "the " + std::string(what) + " must be " + std::to_string(least) + " to " +
                std::to_string(most)
        );
    }
    return value;
}

std::int64_t TextScanner::milliseconds() {
    if (!next_is_digit()) {
        fail("expected the digits of a fraction");
    }
    std::int64_t value = 0;
    std::int64_t weight = 100;
    for (; next_is_digit(); ++position_, weight /= 10) {
        value += (peek() - '0') * weight;
    }
    return value;
}

void TextScanner::fail_at(std::size_t position, std::string message) {
    if (!error_) {
        error_ = ParseError{std::move(message), position};
    }
}

}  // namespace jobstrand::schema
