#pragma once

#include "deadletter/bulk/bulk_result.hpp"
#include "schema/job_place.hpp"
#include "schema/time.hpp"

#include <chrono>
#include <functional>
#include <optional>
#include <string>

namespace jobstrand::deadletter {

/// How long a probe waits for the end of its job.
struct ProbePatience {
    schema::Duration most{std::chrono::minutes(5)};
    schema::Duration between{std::chrono::milliseconds(500)};  ///< Two looks at it.

    /// Waits for so long; tests turn their clock instead.
    std::function<void(schema::Duration)> wait = {};
};

/// What one dead letter that was requeued came to.
enum class ProbeEnd {
    nothing_to_try,  ///< No dead letter was meant.
    not_requeued,    ///< It could not be: `item` says why.
    succeeded,       ///< Its row is gone.
    failed,          ///< It is a dead letter again, or waits for another attempt.
    suspended,       ///< It does not run.
    not_ended,       ///< Patience was over; it stands where it can run.
};

struct ProbeResult {
    ProbeEnd end = ProbeEnd::nothing_to_try;
    std::string id = {};
    std::string message = {};  ///< Of its failure.
    std::optional<schema::JobPlace> place = {};
    ItemResult item = {};
};

}  // namespace jobstrand::deadletter
