#pragma once

#include "schema/expression/expression_tokens.hpp"
#include "schema/expression/expression_value.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::schema {

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
