#pragma once

#include "executor/job_handler.hpp"
#include "schema/job.hpp"
#include "schema/job_transition.hpp"
#include "schema/retry_policy.hpp"
#include "schema/time.hpp"

namespace jobstrand::executor {

/// What a handler that threw has told us. Called inside a catch block.
[[nodiscard]] HandlerResult result_of_exception();

/// Returns the result itself, or a failure if its payload does not fit into a row.
[[nodiscard]] HandlerResult storable(HandlerResult result);

/// What becomes of a job whose run has ended so. Texts are cut to what the columns hold.
[[nodiscard]] schema::Transition transition_after(
    const schema::Job& job,
    const HandlerResult& result,
    const schema::RetryPolicy& policy,
    schema::TimePoint now
);

}  // namespace jobstrand::executor
