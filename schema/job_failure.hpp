#pragma once

#include "schema/time.hpp"

#include <optional>
#include <string>

namespace jobstrand::schema {

/// What a failed attempt leaves behind. Already cut to what the columns hold (see cut_to_limits).
struct JobFailure {
    std::string message = {};  ///< One line for lists; goes to EXCEPTION_MSG_.
    std::string details = {};  ///< Stack trace or captured output; goes to ACT_GE_BYTEARRAY.
    bool retryable = true;     ///< false: straight to the dead letters, whatever retries are left.
    /// The handler's own wish for the wait; wins over the policy.
    std::optional<Duration> retry_after = {};
    /// How many attempts are left, if whoever ran the job says so: they are not counted then.
    std::optional<int> retries_left = {};

    bool operator==(const JobFailure&) const = default;
};

/// Cuts the message at limits::kExceptionMessageLength characters and the details to their last
/// limits::kExceptionDetailsBytes bytes, both at whole UTF-8 characters; bytes that are not UTF-8
/// are replaced by U+FFFD, and NUL by U+FFFD too, because PostgreSQL stores neither.
[[nodiscard]] JobFailure cut_to_limits(JobFailure failure);

}  // namespace jobstrand::schema
