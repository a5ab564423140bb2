#pragma once

#include "schema/text/parse_result.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace jobstrand::cli {

/// The bytes of a secret as Standard Webhooks writes it, `whsec_` and Base64:
/// https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
[[nodiscard]] schema::ParseResult<std::string> parse_webhook_secret(std::string_view text);

/// The value of the header `webhook-signature`: `v1,` and the HMAC-SHA256 of id, time and body in
/// Base64. `seconds` are those since 1970, as in `webhook-timestamp`.
[[nodiscard]] std::string webhook_signature(
    std::string_view secret,
    std::string_view id,
    std::int64_t seconds,
    std::string_view body
);

}  // namespace jobstrand::cli
