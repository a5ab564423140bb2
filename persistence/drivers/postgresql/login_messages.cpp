#include "persistence/drivers/postgresql/login_messages.hpp"

#include <cstdint>

namespace jobstrand::persistence {

namespace {

constexpr std::size_t kLengthSize = 4;
constexpr std::size_t kHeaderSize = 1 + kLengthSize;
/// Much more than any message of a login.
constexpr std::uint32_t kLongest = 1U << 16U;

constexpr char kAuthentication = 'R';
constexpr std::uint32_t kLetIn = 0;
constexpr std::uint32_t kClearPassword = 3;

/// Four bytes, the highest first.
[[nodiscard]] std::uint32_t number_at(std::string_view bytes, std::size_t start) {
    std::uint32_t number = 0;
    for (const char c : bytes.substr(start, kLengthSize)) {
        number = number << 8U | static_cast<std::uint8_t>(c);
    }
    return number;
}

void append_number(std::string& bytes, std::uint32_t number) {
    for (int shift = 24; shift >= 0; shift -= 8) {
        bytes += static_cast<char>(number >> static_cast<unsigned>(shift) & 0xFFU);
    }
}

}  // namespace

std::optional<std::string> LoginMessages::pass(std::string_view bytes) {
    rest_ += bytes;
    std::size_t passed = 0;
    while (!is_let_in_ && rest_.size() - passed >= kHeaderSize) {
        const std::string_view message = std::string_view(rest_).substr(passed);
        // The length counts itself, and not the letter in front of it.
        const std::uint32_t length = number_at(message, 1);
        if (length < kLengthSize || length > kLongest) {
            is_broken_ = true;
            return std::move(rest_);
        }
        if (message.size() < 1 + length) {
            break;
        }
        if (message.front() == kAuthentication && length >= 2 * kLengthSize) {
            const std::uint32_t what = number_at(message, kHeaderSize);
            if (what == kClearPassword) {
                return std::nullopt;
            }
            is_let_in_ = what == kLetIn;
        }
        passed += 1 + length;
    }
    if (is_let_in_) {
        passed = rest_.size();
    }
    std::string whole = rest_.substr(0, passed);
    rest_.erase(0, passed);
    return whole;
}

std::string login_error(std::string_view sqlstate, std::string_view text) {
    std::string fields;
    const auto add = [&fields](char letter, std::string_view value) {
        fields += letter;
        fields += value;
        fields += '\0';
    };
    add('S', "FATAL");
    add('C', sqlstate);
    add('M', text);
    fields += '\0';
    std::string message = "E";
    append_number(message, static_cast<std::uint32_t>(kLengthSize + fields.size()));
    return message + fields;
}

}  // namespace jobstrand::persistence
