#pragma once

#include "schema/job.hpp"
#include "schema/text/parsing.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

/// Texts with expressions over what a job carries, in the notation of Camunda's and Flowable's
/// guides: `${order.priority}`, `${order.vip ? 10 : 0}`, `R${tries}/PT5M`. Pure.
///
/// There are paths (`a.b`, `a['b']`, `a[0]`), whole numbers, numbers, texts in quotes, true, false,
/// null, `== != < <= > >=` and `eq ne lt le gt ge`, `&& || !` and `and or not`, `+ - * / %` and
/// `div mod`, `empty`, `?:` and parentheses. Neither calls nor assignments.
///
/// Variables are the members of the payload, which must be a JSON object, and `execution`: what the
/// job belongs to. A variable that is not there is a mistake; what is not there inside of one is
/// null.
namespace jobstrand::schema {

/// An object or a list: of those an expression only knows whether they are empty.
struct Composite {
    bool is_empty = false;

    bool operator==(const Composite&) const = default;
};

/// What a part of an expression comes to; monostate: null.
using ExpressionValue =
    std::variant<std::monostate, bool, std::int64_t, double, std::string, Composite>;

/// Bytes of a text with expressions.
inline constexpr std::size_t kMostExpressionBytes = 300;

/// Bytes of a payload that expressions look into: they read it once for each variable.
inline constexpr std::size_t kMostExpressionPayload = std::size_t{1024} * 1024;

[[nodiscard]] inline bool has_expression(std::string_view text) {
    return text.find("${") != std::string_view::npos;
}

/// What is wrong with the expressions of a text, whatever the job; nullopt: nothing.
[[nodiscard]] std::optional<ParseError> mistake_in_expressions(std::string_view text);

/// The value of a text that is one expression and no more.
[[nodiscard]] ParseResult<ExpressionValue> evaluate(std::string_view text, const Job& job);

/// A text with the values of its expressions in their places.
[[nodiscard]] ParseResult<std::string> evaluate_text(std::string_view text, const Job& job);

/// The whole number that an expression comes to (R021); one of 3.0 counts as 3, as does "3".
[[nodiscard]] ParseResult<std::int64_t> evaluate_number(std::string_view text, const Job& job);

}  // namespace jobstrand::schema
