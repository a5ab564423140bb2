#pragma once

#include "schema/log.hpp"
#include "tools/service/http/message.hpp"

#include <exception>

namespace jobstrand::service {

/// What an exception means to a caller: 400 for input that cannot be meant so or that the database
/// has no room for, 409 for a key that is taken, 503 when the database is in trouble and coming
/// again may help, else 500. Only the first two are told in full; the others are logged, because
/// their texts are for operators.
[[nodiscard]] Response response_to(const std::exception& error, schema::Log& log);

}  // namespace jobstrand::service
