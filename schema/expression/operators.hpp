#pragma once

#include "schema/expression/expression_value.hpp"

#include <string>
#include <string_view>

/// What the operators of expressions do, as in the Unified Expression Language of Java: null is 0,
/// false and "" where a number, a truth value or a text is needed, and texts of numbers are
/// numbers. They throw std::invalid_argument, which says what does not go together.
namespace jobstrand::schema {

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

}  // namespace jobstrand::schema
