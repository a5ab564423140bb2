#pragma once

#include "tools/service/http/message.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::service {

inline constexpr std::string_view kProblemContent = "application/problem+json";

/// What a request cannot have, as RFC 9457 writes it: `application/problem+json` with `title` (the
/// words of the status), `status`, `detail` (one sentence that says what to do), and `errors`, one
/// sentence for each mistake of the input, where there are some.
[[nodiscard]] Response
problem(int status, std::string_view detail, const std::vector<std::string>& errors = {});

/// 503 with Retry-After: whoever comes again in a second may be served.
[[nodiscard]] Response come_again(std::string_view detail);

/// come_again() for what could not be held in memory.
[[nodiscard]] Response no_memory();

/// `Not Found` for 404; the empty text for a status that this service does not send.
[[nodiscard]] std::string_view words_of(int status);

}  // namespace jobstrand::service
