#pragma once

#include <string>

namespace jobstrand::service {

/// This moment as HTTP writes it: `Sun, 22 Nov 2026 10:15:30 GMT` (RFC 9110, 5.6.7).
[[nodiscard]] std::string http_date();

}  // namespace jobstrand::service
