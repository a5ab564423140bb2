#pragma once

#include "schema/expression.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::schema {

/// What is wrong with an expression, and where. Only while it is evaluated: those who ask get a
/// ParseError.
struct ExpressionMistake {
    std::string message;
    std::size_t position = 0;
};

enum class TokenKind { literal, name, sign, end };

struct Token {
    TokenKind kind = TokenKind::end;
    std::string_view text = {};  ///< Of a name or a sign; `and` and its like are signs: `&&`.
    ExpressionValue value = {};  ///< Of a literal.
    std::size_t position = 0;
};

/// Cuts what stands between `${` and `}` into tokens. Throws ExpressionMistake.
class Tokens {
public:
    /// `begin`: the position of the first character behind `${` in `text`.
    Tokens(std::string_view text, std::size_t begin) : text_(text), at_(begin) { next(); }

    [[nodiscard]] const Token& current() const { return current_; }

    /// Goes on to the next one.
    void next();

    /// Whether a sign comes next, which is then taken.
    bool take(std::string_view sign);

    void expect(std::string_view sign);

private:
    [[nodiscard]] Token number();
    [[nodiscard]] Token quoted(char quote);
    [[nodiscard]] Token word();
    [[nodiscard]] Token sign();

    std::string_view text_;
    std::size_t at_;
    Token current_;
};

// What the operators of expressions do, as in the Unified Expression Language of Java: null is 0,
// false and "" where a number, a truth value or a text is needed, and texts of numbers are numbers.
// They throw std::invalid_argument, which says what does not go together.

/// "a number", "a text" and so on.
[[nodiscard]] std::string_view kind_of(const ExpressionValue& value);

[[nodiscard]] bool truth_of(const ExpressionValue& value);

/// Returns the value as text.
[[nodiscard]] std::string text_of(const ExpressionValue& value);

/// Null, "", or an object or list without anything in it.
[[nodiscard]] bool is_empty(const ExpressionValue& value);

/// `==`, `!=`, `<`, `<=`, `>` or `>=`.
[[nodiscard]] bool
compare(const ExpressionValue& left, std::string_view sign, const ExpressionValue& right);

/// `+`, `-`, `*`, `/` or `%`. Whole numbers stay whole but for `/`, and are refused beyond 64 bits.
[[nodiscard]] ExpressionValue
calculate(const ExpressionValue& left, std::string_view sign, const ExpressionValue& right);

[[nodiscard]] ExpressionValue negative(const ExpressionValue& value);

/// Where names come from: nullopt: there is no such thing. Throws std::invalid_argument.
using FindValue =
    std::function<std::optional<ExpressionValue>(const std::vector<std::string>& path)>;

/// What stands between `${` and `}`. It goes through the text once, from the left: there are no
/// loops, no calls and no assignments, so it ends. What is not wanted (behind `?` or `&&`) is read
/// and not asked for.
class Evaluation {
public:
    /// `begin`: the position behind `${`. Without `find` nothing is evaluated: it is only read.
    Evaluation(std::string_view text, std::size_t begin, const FindValue* find)
        : tokens_(text, begin), find_(find) {}

    /// Its value; to be called once. Throws ExpressionMistake.
    [[nodiscard]] ExpressionValue run();

    /// The position behind `}`.
    [[nodiscard]] std::size_t end() const { return end_; }

private:
    class Nesting;

    [[nodiscard]] bool evaluates() const { return find_ != nullptr && unwanted_ == 0; }
    ExpressionValue choice();
    ExpressionValue either();
    ExpressionValue both();
    ExpressionValue binary(std::size_t level);
    ExpressionValue unary();
    ExpressionValue primary();
    ExpressionValue path();
    std::string index();
    ExpressionValue unwanted(ExpressionValue (Evaluation::*part)());

    /// Runs an operator; its mistake is one at this position.
    template <typename Operation>
    auto at(std::size_t position, const Operation& operation);

    Tokens tokens_;
    const FindValue* find_;
    std::size_t end_ = 0;
    int unwanted_ = 0;
    int depth_ = 0;
    int paths_ = 0;
};

}  // namespace jobstrand::schema
