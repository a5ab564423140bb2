#include "tools/access/token.hpp"

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

#include <iterator>
#include <stdexcept>

namespace jobstrand::service {

namespace {

constexpr std::string_view kPrefix = "jst_";
constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// RFC 4648, 5, without padding.
[[nodiscard]] std::string base64url(const std::array<std::uint8_t, 32>& bytes) {
    std::string text;
    std::uint32_t bits = 0;
    int held = 0;
    for (const std::uint8_t byte : bytes) {
        bits = bits << 8U | byte;
        for (held += 8; held >= 6; held -= 6) {
            text += kDigits[bits >> static_cast<unsigned>(held - 6) & 63U];
        }
    }
    text += kDigits[bits << static_cast<unsigned>(6 - held) & 63U];
    return text;
}

}  // namespace

std::string new_token() {
    std::array<std::uint8_t, 32> bytes{};
    if (RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1) {
        throw std::runtime_error("this machine has no randomness to make a token of");
    }
    return std::string(kPrefix) + base64url(bytes);
}

TokenHash hash_of(std::string_view token) {
    TokenHash hash{};
    if (EVP_Digest(token.data(), token.size(), hash.data(), nullptr, EVP_sha256(), nullptr) != 1) {
        throw std::runtime_error("SHA-256 is not available");
    }
    return hash;
}

std::string hex_of(const TokenHash& hash) {
    std::string text;
    for (const std::uint8_t byte : hash) {
        fmt::format_to(std::back_inserter(text), "{:02x}", byte);
    }
    return text;
}

bool are_equal(const TokenHash& a, const TokenHash& b) {
    return CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace jobstrand::service
