#include "schema/expression_evaluation.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <compare>
#include <span>
#include <stdexcept>
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

namespace {

using Number = std::variant<std::int64_t, double>;

[[noreturn]] void refuse_as(const ExpressionValue& value, std::string_view wanted) {
    throw std::invalid_argument(
        std::string(kind_of(value)) + " where " + std::string(wanted) + " is needed"
    );
}

Number number_in(const std::string& text) {
    const char* const end = text.data() + text.size();
    std::int64_t whole = 0;
    if (const auto [stop, error] = std::from_chars(text.data(), end, whole);
        error == std::errc() && stop == end) {
        return whole;
    }
    double real = 0;
    const auto [stop, error] = std::from_chars(text.data(), end, real);
    if (error != std::errc() || stop != end) {
        refuse_as(text, "a number");
    }
    return real;
}

Number number_of(const ExpressionValue& value) {
    if (const auto* const whole = std::get_if<std::int64_t>(&value)) {
        return *whole;
    }
    if (const auto* const real = std::get_if<double>(&value)) {
        return *real;
    }
    if (const auto* const text = std::get_if<std::string>(&value)) {
        return text->empty() ? Number(std::int64_t{0}) : number_in(*text);
    }
    if (std::holds_alternative<std::monostate>(value)) {
        return std::int64_t{0};
    }
    refuse_as(value, "a number");
}

double real_of(const Number& number) {
    return std::visit([](auto n) { return static_cast<double>(n); }, number);
}

bool is_number(const ExpressionValue& value) {
    return std::holds_alternative<std::int64_t>(value) || std::holds_alternative<double>(value);
}

std::partial_ordering order_of(const Number& left, const Number& right) {
    const auto* const a = std::get_if<std::int64_t>(&left);
    const auto* const b = std::get_if<std::int64_t>(&right);
    return a != nullptr && b != nullptr ? std::partial_ordering(*a <=> *b)
                                        : real_of(left) <=> real_of(right);
}

/// Of two values that are not null.
std::partial_ordering order_of(const ExpressionValue& left, const ExpressionValue& right) {
    if (is_number(left) || is_number(right)) {
        return order_of(number_of(left), number_of(right));
    }
    if (std::holds_alternative<bool>(left) || std::holds_alternative<bool>(right)) {
        return truth_of(left) <=> truth_of(right);
    }
    return text_of(left) <=> text_of(right);
}

std::int64_t whole_result(std::int64_t a, char sign, std::int64_t b) {
    std::int64_t result = 0;
    const bool is_beyond = sign == '+'   ? __builtin_add_overflow(a, b, &result)
                           : sign == '-' ? __builtin_sub_overflow(a, b, &result)
                                         : __builtin_mul_overflow(a, b, &result);
    if (is_beyond) {
        throw std::invalid_argument("the result is beyond 64 bits");
    }
    return result;
}

double real_result(double a, char sign, double b) {
    switch (sign) {
        case '+':
            return a + b;
        case '-':
            return a - b;
        case '*':
            return a * b;
        case '/':
            return a / b;
        default:
            return std::fmod(a, b);
    }
}

void refuse_zero(const Number& divisor) {
    if (real_of(divisor) == 0) {
        throw std::invalid_argument("a division by zero");
    }
}

}  // namespace

std::string_view kind_of(const ExpressionValue& value) {
    constexpr std::array<std::string_view, 6> kKinds{
        "null", "a truth value", "a whole number", "a number", "a text", "an object or a list"};
    return kKinds.at(value.index());
}

bool truth_of(const ExpressionValue& value) {
    if (const auto* const truth = std::get_if<bool>(&value)) {
        return *truth;
    }
    if (const auto* const text = std::get_if<std::string>(&value)) {
        if (text->empty() || *text == "false" || *text == "true") {
            return *text == "true";
        }
    }
    if (std::holds_alternative<std::monostate>(value)) {
        return false;
    }
    refuse_as(value, "a truth value");
}

std::string text_of(const ExpressionValue& value) {
    if (const auto* const text = std::get_if<std::string>(&value)) {
        return *text;
    }
    if (const auto* const truth = std::get_if<bool>(&value)) {
        return *truth ? "true" : "false";
    }
    if (std::holds_alternative<std::monostate>(value)) {
        return {};
    }
    if (std::holds_alternative<Composite>(value)) {
        refuse_as(value, "a text");
    }
    std::array<char, 32> digits{};
    const auto number = number_of(value);
    const auto written = std::visit(
        [&](auto n) { return std::to_chars(digits.data(), digits.data() + digits.size(), n); },
        number
    );
    return {digits.data(), written.ptr};
}

bool is_empty(const ExpressionValue& value) {
    if (const auto* const text = std::get_if<std::string>(&value)) {
        return text->empty();
    }
    if (const auto* const composite = std::get_if<Composite>(&value)) {
        return composite->is_empty;
    }
    return std::holds_alternative<std::monostate>(value);
}

bool compare(const ExpressionValue& left, std::string_view sign, const ExpressionValue& right) {
    const bool are_null = std::holds_alternative<std::monostate>(left) ||
                          std::holds_alternative<std::monostate>(right);
    if (are_null) {
        const bool are_equal = left == right;
        const bool takes_equal = sign == "==" || sign == "<=" || sign == ">=";
        return sign == "!=" ? !are_equal : takes_equal && are_equal;
    }
    const std::partial_ordering order = order_of(left, right);
    if (sign == "==") {
        return order == 0;
    }
    if (sign == "!=") {
        return order != 0;
    }
    const bool is_less = sign.front() == '<';
    const bool takes_equal = sign.size() == 2;
    return (is_less ? order < 0 : order > 0) || (takes_equal && order == 0);
}

ExpressionValue
calculate(const ExpressionValue& left, std::string_view sign, const ExpressionValue& right) {
    const Number a = number_of(left);
    const Number b = number_of(right);
    const char what = sign.front();
    if (what == '/' || what == '%') {
        refuse_zero(b);
    }
    const auto* const whole_a = std::get_if<std::int64_t>(&a);
    const auto* const whole_b = std::get_if<std::int64_t>(&b);
    if (whole_a == nullptr || whole_b == nullptr || what == '/') {
        return real_result(real_of(a), what, real_of(b));
    }
    if (what == '%') {
        return *whole_b == -1 ? std::int64_t{0} : *whole_a % *whole_b;
    }
    return whole_result(*whole_a, what, *whole_b);
}

ExpressionValue negative(const ExpressionValue& value) {
    return calculate(ExpressionValue(std::int64_t{0}), "-", value);
}

namespace {

/// Parentheses, signs and choices inside of each other.
constexpr int kMostDepth = 64;

/// Names of variables in one expression: each is looked for in the payload.
constexpr int kMostPaths = 32;

constexpr std::array<std::string_view, 2> kEqual{"==", "!="};
constexpr std::array<std::string_view, 4> kOrder{"<=", ">=", "<", ">"};
constexpr std::array<std::string_view, 2> kSum{"+", "-"};
constexpr std::array<std::string_view, 3> kProduct{"*", "/", "%"};

/// Those that bind least come first.
constexpr std::array<std::span<const std::string_view>, 4> kLevels{kEqual, kOrder, kSum, kProduct};
constexpr std::size_t kFirstThatCalculates = 2;

std::string joined(const std::vector<std::string>& path) {
    std::string text;
    for (const std::string& step : path) {
        text += (text.empty() ? "" : ".") + step;
    }
    return text;
}

}  // namespace

/// How deep the text is nested while it lives.
class Evaluation::Nesting {
public:
    explicit Nesting(Evaluation& of) : of_(of) {
        if (++of_.depth_ > kMostDepth) {
            throw ExpressionMistake{"it is nested too deeply", of_.tokens_.current().position};
        }
    }
    ~Nesting() { --of_.depth_; }

    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;

private:
    Evaluation& of_;
};

template <typename Operation>
auto Evaluation::at(std::size_t position, const Operation& operation) {
    try {
        return operation();
    } catch (const std::invalid_argument& mistake) {
        throw ExpressionMistake{mistake.what(), position};
    }
}

ExpressionValue Evaluation::run() {
    ExpressionValue value = choice();
    const Token& last = tokens_.current();
    if (last.kind != TokenKind::sign || last.text != "}") {
        throw ExpressionMistake{"expected an operator or }", last.position};
    }
    end_ = last.position + 1;
    return value;
}

ExpressionValue Evaluation::unwanted(ExpressionValue (Evaluation::*part)()) {
    ++unwanted_;
    (this->*part)();
    --unwanted_;
    return {};
}

ExpressionValue Evaluation::choice() {
    const Nesting nesting(*this);
    ExpressionValue condition = either();
    const std::size_t position = tokens_.current().position;
    if (!tokens_.take("?")) {
        return condition;
    }
    const bool is_first = evaluates() && at(position, [&] { return truth_of(condition); });
    ExpressionValue first = is_first ? choice() : unwanted(&Evaluation::choice);
    tokens_.expect(":");
    ExpressionValue second = is_first ? unwanted(&Evaluation::choice) : choice();
    return is_first ? std::move(first) : std::move(second);
}

ExpressionValue Evaluation::either() {
    ExpressionValue value = both();
    for (std::size_t position = tokens_.current().position; tokens_.take("||");
         position = tokens_.current().position) {
        const bool is_decided = evaluates() && at(position, [&] { return truth_of(value); });
        ExpressionValue right = is_decided ? unwanted(&Evaluation::both) : both();
        if (evaluates()) {
            value = is_decided || at(position, [&] { return truth_of(right); });
        }
    }
    return value;
}

ExpressionValue Evaluation::both() {
    const auto next = [this] { return binary(0); };
    ExpressionValue value = next();
    for (std::size_t position = tokens_.current().position; tokens_.take("&&");
         position = tokens_.current().position) {
        const bool is_decided = evaluates() && !at(position, [&] { return truth_of(value); });
        unwanted_ += is_decided ? 1 : 0;
        ExpressionValue right = next();
        unwanted_ -= is_decided ? 1 : 0;
        if (evaluates()) {
            value = !is_decided && at(position, [&] { return truth_of(right); });
        }
    }
    return value;
}

ExpressionValue Evaluation::binary(std::size_t level) {
    if (level == kLevels.size()) {
        return unary();
    }
    ExpressionValue value = binary(level + 1);
    while (tokens_.current().kind == TokenKind::sign &&
           std::ranges::find(kLevels[level], tokens_.current().text) != kLevels[level].end()) {
        const Token sign = tokens_.current();
        tokens_.next();
        const ExpressionValue right = binary(level + 1);
        if (evaluates()) {
            value = at(sign.position, [&]() -> ExpressionValue {
                if (level >= kFirstThatCalculates) {
                    return calculate(value, sign.text, right);
                }
                return compare(value, sign.text, right);
            });
        }
    }
    return value;
}

ExpressionValue Evaluation::unary() {
    const Nesting nesting(*this);
    const std::size_t position = tokens_.current().position;
    const auto apply = [&](const auto& operation) -> ExpressionValue {
        const ExpressionValue operand = unary();
        return evaluates() ? at(position, [&]() -> ExpressionValue { return operation(operand); })
                           : ExpressionValue();
    };
    if (tokens_.take("!")) {
        return apply([](const ExpressionValue& value) { return !truth_of(value); });
    }
    if (tokens_.take("-")) {
        return apply(negative);
    }
    if (tokens_.take("empty")) {
        return apply([](const ExpressionValue& value) { return is_empty(value); });
    }
    return primary();
}

ExpressionValue Evaluation::primary() {
    const Token token = tokens_.current();
    if (token.kind == TokenKind::literal) {
        tokens_.next();
        return token.value;
    }
    if (tokens_.take("(")) {
        ExpressionValue value = choice();
        tokens_.expect(")");
        return value;
    }
    if (token.kind == TokenKind::name) {
        return path();
    }
    throw ExpressionMistake{"expected a value", token.position};
}

ExpressionValue Evaluation::path() {
    const std::size_t position = tokens_.current().position;
    if (++paths_ > kMostPaths) {
        throw ExpressionMistake{"more than " + std::to_string(kMostPaths) + " variables", position};
    }
    std::vector<std::string> path{std::string(tokens_.current().text)};
    tokens_.next();
    while (true) {
        const Token token = tokens_.current();
        if (tokens_.take(".")) {
            if (tokens_.current().kind != TokenKind::name) {
                throw ExpressionMistake{"expected a name", tokens_.current().position};
            }
            path.emplace_back(tokens_.current().text);
            tokens_.next();
        } else if (tokens_.take("[")) {
            path.push_back(index());
        } else if (token.kind == TokenKind::sign && token.text == "(") {
            throw ExpressionMistake{"there are no calls in expressions", token.position};
        } else {
            break;
        }
    }
    if (!evaluates()) {
        return {};
    }
    const auto found = at(position, [&] { return (*find_)(path); });
    if (!found && !at(position, [&] { return (*find_)({path.front()}); })) {
        throw ExpressionMistake{"there is no variable " + joined({path.front()}), position};
    }
    return found.value_or(ExpressionValue());
}

/// Between brackets.
std::string Evaluation::index() {
    const std::size_t position = tokens_.current().position;
    const ExpressionValue value = choice();
    tokens_.expect("]");
    return evaluates() ? at(position, [&] { return text_of(value); }) : std::string();
}

}  // namespace jobstrand::schema
