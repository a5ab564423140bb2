#pragma once

#include "schema/expression/expression_value.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace jobstrand::schema {

/// What is wrong with an expression, and where. Only inside of this folder: those who ask get a
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

    /// The position behind the current token.
    [[nodiscard]] std::size_t position_behind() const { return at_; }

private:
    [[nodiscard]] Token number();
    [[nodiscard]] Token quoted(char quote);
    [[nodiscard]] Token word();
    [[nodiscard]] Token sign();

    std::string_view text_;
    std::size_t at_;
    Token current_;
};

}  // namespace jobstrand::schema
