#include "schema/job_failure.hpp"

#include "schema/limits.hpp"
#include "schema/text/utf8.hpp"

namespace jobstrand::schema {

JobFailure cut_to_limits(JobFailure failure) {
    failure.message = first_characters(failure.message, limits::kExceptionMessageLength);
    failure.details = last_bytes(failure.details, limits::kExceptionDetailsBytes);
    return failure;
}

}  // namespace jobstrand::schema
