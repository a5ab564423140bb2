#include "schema/expression/expression_tokens.hpp"

#include <array>
#include <charconv>
#include <utility>

namespace jobstrand::schema {

namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/// Of a name; letters of all languages count.
bool begins_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
           static_cast<unsigned char>(c) >= 0x80;
}

/// Words that mean a sign.
constexpr std::array<std::pair<std::string_view, std::string_view>, 11> kWords{{
    {"and", "&&"},
    {"or", "||"},
    {"not", "!"},
    {"eq", "=="},
    {"ne", "!="},
    {"lt", "<"},
    {"le", "<="},
    {"gt", ">"},
    {"ge", ">="},
    {"div", "/"},
    {"mod", "%"},
}};

/// Longer ones first.
constexpr std::array<std::string_view, 22> kSigns{"&&", "||", "==", "!=", "<=", ">=", "<", ">",
                                                  "!",  "+",  "-",  "*",  "/",  "%",  "?", ":",
                                                  "(",  ")",  "[",  "]",  ".",  "}"};

}  // namespace

void Tokens::next() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n')) {
        ++at_;
    }
    if (at_ == text_.size()) {
        current_ = {.position = at_};
    } else if (is_digit(text_[at_])) {
        current_ = number();
    } else if (text_[at_] == '"' || text_[at_] == '\'') {
        current_ = quoted(text_[at_]);
    } else if (begins_name(text_[at_])) {
        current_ = word();
    } else {
        current_ = sign();
    }
}

bool Tokens::take(std::string_view sign) {
    if (current_.kind != TokenKind::sign || current_.text != sign) {
        return false;
    }
    next();
    return true;
}

void Tokens::expect(std::string_view sign) {
    if (!take(sign)) {
        throw ExpressionMistake{"expected " + std::string(sign), current_.position};
    }
}

Token Tokens::number() {
    const std::size_t begin = at_;
    const char* const first = text_.data() + at_;
    const char* const end = text_.data() + text_.size();
    std::int64_t whole = 0;
    const auto [stop, error] = std::from_chars(first, end, whole);
    double real = 0;
    const auto [real_stop, real_error] = std::from_chars(first, end, real);
    if (real_error != std::errc() || (real_stop == stop && error != std::errc())) {
        throw ExpressionMistake{"a number beyond 64 bits", begin};
    }
    at_ += static_cast<std::size_t>(real_stop - first);
    ExpressionValue value = real_stop == stop ? ExpressionValue(whole) : ExpressionValue(real);
    return {.kind = TokenKind::literal, .value = std::move(value), .position = begin};
}

Token Tokens::quoted(char quote) {
    const std::size_t begin = at_++;
    std::string value;
    while (at_ < text_.size() && text_[at_] != quote) {
        if (text_[at_] == '\\' && at_ + 1 < text_.size()) {
            ++at_;
        }
        value += text_[at_++];
    }
    if (at_ == text_.size()) {
        throw ExpressionMistake{"the quotes are not closed", begin};
    }
    ++at_;
    return {.kind = TokenKind::literal, .value = std::move(value), .position = begin};
}

Token Tokens::word() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && (begins_name(text_[at_]) || is_digit(text_[at_]))) {
        ++at_;
    }
    const std::string_view word = text_.substr(begin, at_ - begin);
    if (word == "true" || word == "false") {
        return {.kind = TokenKind::literal, .value = word == "true", .position = begin};
    }
    if (word == "null") {
        return {.kind = TokenKind::literal, .position = begin};
    }
    for (const auto& [spelled, sign] : kWords) {
        if (word == spelled) {
            return {.kind = TokenKind::sign, .text = sign, .position = begin};
        }
    }
    const bool is_sign = word == "empty";
    return {.kind = is_sign ? TokenKind::sign : TokenKind::name, .text = word, .position = begin};
}

Token Tokens::sign() {
    for (const std::string_view sign : kSigns) {
        if (text_.substr(at_).starts_with(sign)) {
            const std::size_t begin = std::exchange(at_, at_ + sign.size());
            return {.kind = TokenKind::sign, .text = sign, .position = begin};
        }
    }
    throw ExpressionMistake{"this character means nothing in an expression", at_};
}

}  // namespace jobstrand::schema
