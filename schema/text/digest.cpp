#include "schema/text/digest.hpp"

#include <cstdint>

namespace jobstrand::schema {

std::string digest_of(std::string_view text) {
    std::uint64_t hash = 0xcbf29ce484222325U;
    for (const char byte : text) {
        hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3U;
    }
    std::string digits;
    for (int shift = 60; shift >= 0; shift -= 4) {
        digits += "0123456789abcdef"[(hash >> shift) & 0xfU];
    }
    return digits;
}

}  // namespace jobstrand::schema
