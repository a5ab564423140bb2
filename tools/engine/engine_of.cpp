#include <jobstrand/engine_of.hpp>
#include <openssl/evp.h>

#include <array>
#include <cstdint>
#include <stdexcept>

namespace jobstrand {

namespace {

using Weight = std::array<std::uint8_t, 32>;

/// Bytes are in the order of their hexadecimal digits.
[[nodiscard]] Weight weight_of(std::string_view name, std::string_view key) {
    std::string text(name);
    text += '\n';
    text += key;
    Weight weight{};
    if (EVP_Digest(text.data(), text.size(), weight.data(), nullptr, EVP_sha256(), nullptr) != 1) {
        throw std::runtime_error("SHA-256 is not available");
    }
    return weight;
}

}  // namespace

std::string engine_of(std::string_view key, std::span<const std::string> names) {
    if (names.empty()) {
        throw std::invalid_argument("engine_of: there is no engine");
    }
    const std::string* greatest = &names.front();
    Weight most = weight_of(*greatest, key);
    for (const std::string& name : names.subspan(1)) {
        if (const Weight weight = weight_of(name, key); weight > most) {
            most = weight;
            greatest = &name;
        }
    }
    return *greatest;
}

}  // namespace jobstrand
