#pragma once

#include "executor/job_handler.hpp"
#include "schema/clock.hpp"
#include "schema/log.hpp"

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace jobstrand::cli {

/// What this program's handlers have met since it began, for whoever watches it. Thread safety:
/// safe.
struct HandlerCounts {
    /// Programs that were ended, and apps that did not answer or call back, at their time limits.
    std::atomic<std::uint64_t> timed_out{0};
};

/// `counts` may be nullptr: nobody watches.
void count_time_out(HandlerCounts* counts);

/// What is left of `limit` until the run should be over.
[[nodiscard]] schema::Duration within_deadline(
    schema::Duration limit,
    const std::optional<schema::TimePoint>& deadline,
    schema::TimePoint now
);

/// What keeps jobs from beginning on this node although nothing is wrong with them: a program that
/// is not there, too few descriptors. Such a job is given back without an attempt, and waits
/// longer the longer the fault lasts. The log is told when a fault begins and when it is over.
///
/// Thread safety: safe.
class PlaceFaults final {
public:
    PlaceFaults(const schema::Clock& clock, schema::Log& log) : clock_(clock), log_(log) {}

    /// What becomes of a job that could not begin. `what` names the command or the target, `why`
    /// is the fault. The wait is as long as the fault has lasted: 5 s at least, 5 min at most.
    [[nodiscard]] executor::Interrupted put_off(std::string_view what, std::string_view why);

    /// A job of it has begun.
    void began(std::string_view what);

private:
    const schema::Clock& clock_;
    schema::Log& log_;

    std::atomic<bool> is_any_{false};  ///< Asked for every job.
    std::mutex mutex_;
    std::map<std::string, schema::SteadyPoint, std::less<>> since_;  ///< Guarded by mutex_.
};

}  // namespace jobstrand::cli
