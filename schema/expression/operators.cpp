#include "schema/expression/operators.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <compare>
#include <stdexcept>

namespace jobstrand::schema {

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

}  // namespace jobstrand::schema
