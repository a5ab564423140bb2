#include "persistence/sql/hex_text.hpp"

namespace jobstrand::persistence {

namespace {

constexpr std::string_view kPrefix = "\\x";
constexpr std::string_view kDigits = "0123456789abcdef";

int value_of(char digit) {
    return digit <= '9' ? digit - '0' : (digit | 0x20) - 'a' + 10;
}

}  // namespace

std::string hex_text_of(Bytes bytes) {
    std::string text(kPrefix);
    text.reserve(kPrefix.size() + 2 * bytes.size());
    for (const std::byte byte : bytes) {
        const auto number = std::to_integer<unsigned>(byte);
        text += kDigits[number >> 4U];
        text += kDigits[number & 15U];
    }
    return text;
}

std::string bytes_of_hex_text(std::string_view text) {
    return text.starts_with(kPrefix) ? from_hex(text.substr(kPrefix.size())) : std::string(text);
}

std::string from_hex(std::string_view digits) {
    std::string bytes(digits.size() / 2, '\0');
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        bytes[i] = static_cast<char>(value_of(digits[2 * i]) * 16 + value_of(digits[2 * i + 1]));
    }
    return bytes;
}

}  // namespace jobstrand::persistence
