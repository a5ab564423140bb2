#pragma once

#include "executor/job_handler.hpp"
#include "schema/time.hpp"
#include "tools/settings/settings.hpp"

#include <string>
#include <string_view>

namespace jobstrand::cli {

/// How a call ended.
struct CallAnswer {
    enum class Kind {
        answered,
        failed,     ///< No connection, or it broke: `error` says how.
        timed_out,  ///< The answer was not there at the deadline.
        stopped,    ///< The job's stop signal came.
        not_begun,  ///< This process lacks descriptors or memory: `error` says which.
    };
    Kind kind = Kind::failed;
    int status = 0;
    std::string reason = {};       ///< The words behind the status.
    std::string retry_after = {};  ///< The header as it came.
    std::string body = {};         ///< Its beginning.
    std::string error = {};
};

/// Whether the app has accepted the job and will tell later what became of it: 202, where the
/// target says how long that may take.
[[nodiscard]] bool is_accepted(const TargetSettings& target, const CallAnswer& answer);

/// What becomes of the job, unless it is accepted:
///
/// | answer                              | the job                                       |
/// |-------------------------------------|-----------------------------------------------|
/// | 2xx                                 | succeeded                                     |
/// | 429 or 503 with Retry-After         | runs again then; no retry is used, unless     |
/// |                                     | waitsUseRetries                               |
/// | 408, 409, 425, 429, 5xx,            | failed, is retried                            |
/// | retryStatuses                       |                                               |
/// | any other                           | failed, goes to the dead letters; a redirect  |
/// |                                     | is not followed                               |
/// | none: no connection, or too late    | failed, is retried                            |
/// | none: the service stops, or lacks   | runs again later, no retry is used            |
/// | what a call needs                   |                                               |
///
/// `now` is the time that a date in Retry-After is compared with.
[[nodiscard]] executor::HandlerResult result_of_call(
    const std::string& name,
    const TargetSettings& target,
    const CallAnswer& answer,
    schema::TimePoint now
);

}  // namespace jobstrand::cli
