#pragma once

#include <string>
#include <string_view>

namespace jobstrand::schema {

/// 16 hexadecimal digits that name a text: FNV-1a of 64 bits, the same on every node and in every
/// version. Whoever wants two texts of one digest can make them.
[[nodiscard]] std::string digest_of(std::string_view text);

}  // namespace jobstrand::schema
