#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
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

/// Reads a text from left to right for the parsers of this folder. The first thing that is wrong is
/// kept with its position; after it every read answers 0 or false, so that a parser can read all it
/// wants and ask once, at the end.
class TextScanner {
public:
    explicit TextScanner(std::string_view text) : text_(text) {}

    [[nodiscard]] std::size_t position() const { return position_; }
    [[nodiscard]] bool failed() const { return error_.has_value(); }

    /// Also true after a failure, so that loops end.
    [[nodiscard]] bool at_end() const { return failed() || position_ == text_.size(); }

    /// The next character, not consumed; NUL at the end.
    [[nodiscard]] char peek() const { return at_end() ? '\0' : text_[position_]; }
    [[nodiscard]] bool next_is_digit() const { return peek() >= '0' && peek() <= '9'; }

    /// Consumes `wanted` if it comes next.
    bool take(char wanted);

    /// Consumes `wanted` or fails; `what` ends the sentence "expected ...".
    void expect(char wanted, std::string_view what);
    void expect_end();

    /// One digit or more. Numbers too large for any parser here are cut at kLargestNumber.
    std::int64_t number(std::string_view what);

    /// Exactly `count` digits (at most 9), whose value is `least` to `most`.
    int digits(int count, std::string_view what, int least, int most);

    /// The digits of a fraction of a second, as milliseconds; what follows the third is dropped.
    std::int64_t milliseconds();

    void fail(std::string message) { fail_at(position_, std::move(message)); }
    void fail_at(std::size_t position, std::string message);

    /// The value, or what was wrong first.
    template <typename T>
    [[nodiscard]] ParseResult<T> result(T value) const {
        if (error_) {
            return *error_;
        }
        return value;
    }

    static constexpr std::int64_t kLargestNumber = 1'000'000'000'000'000;

private:
    std::string_view text_;
    std::size_t position_ = 0;
    std::optional<ParseError> error_;
};

}  // namespace jobstrand::schema
