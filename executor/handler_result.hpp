#pragma once

#include "executor/job_handler.hpp"

namespace jobstrand::executor {

/// What a handler that threw has told us. Called inside a catch block.
[[nodiscard]] HandlerResult result_of_exception();

/// The same result, unless it has a payload that no row can hold: that is the handler's mistake,
/// and a failure.
[[nodiscard]] HandlerResult storable(HandlerResult result);

}  // namespace jobstrand::executor
