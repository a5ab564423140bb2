#include "tools/calls/webhook_signature.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>
#include <stdexcept>

namespace jobstrand::cli {

namespace {

constexpr std::string_view kPrefix = "whsec_";

/// Of a key that nobody can guess; the specification asks for 24 to 64.
constexpr std::size_t kLeastBytes = 24;
constexpr std::size_t kMostBytes = 64;

[[nodiscard]] const unsigned char* bytes_of(std::string_view text) {
    return reinterpret_cast<const unsigned char*>(text.data());
}

/// Empty: it is not Base64.
[[nodiscard]] std::string from_base64(std::string_view text) {
    if (text.empty() || text.size() % 4 != 0) {
        return {};
    }
    std::string bytes(text.size() / 4 * 3, '\0');
    const int length = EVP_DecodeBlock(
        reinterpret_cast<unsigned char*>(bytes.data()),
        bytes_of(text),
        static_cast<int>(text.size())
    );
    if (length < 0) {
        return {};
    }
    // It counts the padding as bytes.
    const std::size_t padding = text.ends_with("==") ? 2U : (text.ends_with('=') ? 1U : 0U);
    bytes.resize(static_cast<std::size_t>(length) - padding);
    return bytes;
}

}  // namespace

schema::ParseResult<std::string> parse_webhook_secret(std::string_view text) {
    if (!text.starts_with(kPrefix)) {
        return schema::ParseError{"must begin with whsec_"};
    }
    const std::string secret = from_base64(text.substr(kPrefix.size()));
    if (secret.size() < kLeastBytes || secret.size() > kMostBytes) {
        return schema::ParseError{fmt::format(
            "must be whsec_ and the Base64 of {} to {} bytes, as "
            "`echo whsec_$(openssl rand -base64 32)` prints it",
            kLeastBytes,
            kMostBytes
        )};
    }
    return {secret};
}

std::string webhook_signature(
    std::string_view secret,
    std::string_view id,
    std::int64_t seconds,
    std::string_view body
) {
    const std::string signed_text = fmt::format("{}.{}.{}", id, seconds, body);
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned size = 0;
    const auto* const done = HMAC(
        EVP_sha256(),
        secret.data(),
        static_cast<int>(secret.size()),
        bytes_of(signed_text),
        signed_text.size(),
        digest.data(),
        &size
    );
    if (done == nullptr) {
        throw std::runtime_error("HMAC-SHA256 is not available");
    }
    std::string text((size + 2) / 3 * 4 + 1, '\0');
    const int length = EVP_EncodeBlock(
        reinterpret_cast<unsigned char*>(text.data()), digest.data(), static_cast<int>(size)
    );
    text.resize(static_cast<std::size_t>(length));
    return "v1," + text;
}

}  // namespace jobstrand::cli
