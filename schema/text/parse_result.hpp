#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <variant>

namespace jobstrand::schema {

/// Why a text could not be read, in words for the person who typed it.
struct ParseError {
    std::string message;
    std::size_t position = 0;  ///< Offset in bytes of the first character that is wrong.

    bool operator==(const ParseError&) const = default;
};

/// The answer of every parser: a value, or the error to show. Asking for the one that is not there
/// throws std::bad_variant_access, which is a mistake in the calling code.
template <typename T>
class ParseResult {
public:
    // Implicit on purpose: parsers return either.
    ParseResult(T value) : content_(std::move(value)) {}
    ParseResult(ParseError error) : content_(std::move(error)) {}

    [[nodiscard]] explicit operator bool() const { return std::holds_alternative<T>(content_); }
    [[nodiscard]] const T& value() const { return std::get<T>(content_); }
    [[nodiscard]] const ParseError& error() const { return std::get<ParseError>(content_); }

private:
    std::variant<T, ParseError> content_;
};

}  // namespace jobstrand::schema
