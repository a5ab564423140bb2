#pragma once

#include "tools/service/http/message.hpp"
#include "tools/surface/verb_call.hpp"

namespace jobstrand::service {

/// The output of a verb, with its exit code in `Jobstrand-Exit-Code`; a problem when nothing was
/// done: 400 for wrong usage, 404 not found, 409 refused, else 500.
[[nodiscard]] Response response_to(cli::VerbAnswer answer);

}  // namespace jobstrand::service
