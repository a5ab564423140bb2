#pragma once

#include <jobstrand/time.hpp>

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace jobstrand {

/// The content of a column of bytes.
using Bytes = std::span<const std::byte>;

/// A parameter of a statement, made from what you have: `nullptr` and an empty optional are NULL,
/// and there are numbers, texts (UTF-8), bytes and times.
///
///     transaction.execute("INSERT INTO orders VALUES (?, ?, ?)", {"A17", 9.5, nullptr});
///
/// Texts and bytes are borrowed: they must live until the call returns.
class Value final {
public:
    using Content = std::
        variant<std::nullptr_t, bool, std::int64_t, double, std::string_view, Bytes, TimePoint>;

    Value(std::nullptr_t = nullptr) {}
    Value(std::same_as<bool> auto flag) : content_(flag) {}

    /// Throws std::out_of_range for a number above 2^63 - 1, which no column holds.
    template <std::integral Number>
    requires(!std::same_as<Number, bool>) Value(Number number) : content_(checked(number)) {}

    Value(double number) : content_(number) {}
    Value(const char* text) {
        if (text != nullptr) {
            content_ = std::string_view(text);
        }
    }
    Value(std::string_view text) : content_(text) {}
    Value(const std::string& text) : content_(std::string_view(text)) {}
    Value(Bytes bytes) : content_(bytes) {}
    Value(const std::vector<std::byte>& bytes) : content_(Bytes(bytes)) {}

    /// Cut to milliseconds.
    template <typename Precision>
    Value(std::chrono::sys_time<Precision> time) : content_(std::chrono::floor<Duration>(time)) {}

    template <typename Content>
    Value(const std::optional<Content>& content) {
        if (content) {
            *this = Value(*content);
        }
    }

    [[nodiscard]] const Content& content() const noexcept { return content_; }

    /// Returns the value as text that a database reads, for drivers that take texts only; nullopt:
    /// NULL. Flags are 1 and 0, times `2030-01-31 12:00:00.000` in UTC, bytes `\x` and hexadecimal
    /// digits.
    [[nodiscard]] std::optional<std::string> text() const;

private:
    template <std::integral Number>
    static std::int64_t checked(Number number) {
        if (!std::in_range<std::int64_t>(number)) {
            refuse_large_number();
        }
        return static_cast<std::int64_t>(number);
    }

    [[noreturn]] static void refuse_large_number();

    Content content_{nullptr};
};

/// One row of a result; columns count from 0. Views live until the reader returns. Asking a NULL
/// for its value gives "", 0, false, no bytes. Throws std::logic_error for a column that was not
/// selected.
class Row {
public:
    virtual ~Row() = default;
    [[nodiscard]] virtual bool is_null(std::size_t column) const = 0;
    [[nodiscard]] virtual std::string_view text(std::size_t column) const = 0;
    [[nodiscard]] virtual std::int64_t integer(std::size_t column) const = 0;
    [[nodiscard]] virtual double real(std::size_t column) const = 0;
    [[nodiscard]] virtual bool boolean(std::size_t column) const = 0;
    [[nodiscard]] virtual Bytes blob(std::size_t column) const = 0;
    [[nodiscard]] virtual std::optional<TimePoint> time(std::size_t column) const = 0;
};

}  // namespace jobstrand
