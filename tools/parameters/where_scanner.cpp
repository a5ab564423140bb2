#include "tools/parameters/where_scanner.hpp"

#include "schema/text/parsing.hpp"

#include <algorithm>
#include <utility>

namespace jobstrand::cli {

namespace {

constexpr std::string_view kWhereBlanks = " \t\r\n";
constexpr std::string_view kEndsOfWord = " \t\r\n()";
constexpr std::string_view kEndsOfKey = " \t\r\n()\":<>";

[[nodiscard]] bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

}  // namespace

const WhereToken& WhereScanner::peek() {
    if (!next_) {
        next_ = read();
    }
    return *next_;
}

WhereToken WhereScanner::take() {
    WhereToken token = peek();
    next_.reset();
    return token;
}

WhereToken WhereScanner::take_value() {
    if (at_ < text_.size() && text_[at_] == '"') {
        return read_quoted();
    }
    WhereToken value{.kind = WhereToken::Kind::word, .position = at_};
    const std::size_t end = std::min(text_.find_first_of(kEndsOfWord, at_), text_.size());
    value.text = text_.substr(at_, end - at_);
    at_ = end;
    return value;
}

WhereToken WhereScanner::read() {
    at_ = std::min(text_.find_first_not_of(kWhereBlanks, at_), text_.size());
    WhereToken token{.kind = WhereToken::Kind::end, .position = at_};
    if (at_ == text_.size()) {
        return token;
    }
    const char first = text_[at_];
    if (first == '(' || first == ')') {
        ++at_;
        token.kind = first == '(' ? WhereToken::Kind::open : WhereToken::Kind::close;
        return token;
    }
    const bool is_before_blank =
        at_ + 1 == text_.size() || kWhereBlanks.find(text_[at_ + 1]) != std::string_view::npos;
    if (first == '-' && !is_before_blank) {
        ++at_;
        token.kind = WhereToken::Kind::minus;
        return token;
    }
    const std::size_t end = std::min(text_.find_first_of(kEndsOfKey, at_), text_.size());
    const bool has_sign =
        end < text_.size() && (text_[end] == ':' || text_[end] == '<' || text_[end] == '>');
    if (is_letter(first) && has_sign) {
        token.kind = WhereToken::Kind::key;
        token.text = text_.substr(at_, end - at_);
        at_ = end;
        token.sign = take_sign();
        return token;
    }
    return take_value();
}

WhereToken WhereScanner::read_quoted() {
    WhereToken token{.kind = WhereToken::Kind::word, .position = at_++};
    token.is_quoted = true;
    while (at_ < text_.size() && text_[at_] != '"') {
        const bool is_escaped = text_[at_] == '\\' && at_ + 1 < text_.size();
        at_ += is_escaped ? 1U : 0U;
        token.text += text_[at_++];
    }
    if (at_ == text_.size()) {
        throw schema::ParseError{"this quote is not closed", token.position};
    }
    ++at_;
    return token;
}

std::string WhereScanner::take_sign() {
    std::string sign(1, text_[at_++]);
    if (sign != ":" && at_ < text_.size() && text_[at_] == '=') {
        sign += text_[at_++];
    }
    return sign;
}

}  // namespace jobstrand::cli
