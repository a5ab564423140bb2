#pragma once

#include "schema/log.hpp"
#include "tools/service/http/message.hpp"

#include <exception>
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

/// What an exception means to a caller: 400 for input that cannot be meant so or that the database
/// has no room for, 409 for a key that is taken, 503 when the database is in trouble and coming
/// again may help, else 500. Only the first two are told in full; the others are logged, because
/// their texts are for operators.
[[nodiscard]] Response response_to(const std::exception& error, schema::Log& log);

}  // namespace jobstrand::service
