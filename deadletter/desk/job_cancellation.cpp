#include "deadletter/bulk/bulk_change.hpp"
#include "deadletter/bulk/job_answer.hpp"
#include "deadletter/desk/job_desk.hpp"

#include <span>

namespace jobstrand::deadletter {

namespace {

using persistence::JobAnswer;
using schema::JobPlace;

/// A job may move while it is looked for: from the timers to the executable jobs, and back to wait
/// for a retry.
constexpr int kTriesToCancel = 3;

[[nodiscard]] std::string message_of(const Cancellation& cancellation) {
    std::string message = "cancelled";
    if (!cancellation.by.empty()) {
        message += " by " + cancellation.by;
    }
    if (!cancellation.reason.empty()) {
        message += ": " + cancellation.reason;
    }
    return message;
}

}  // namespace

BulkCounts JobDesk::cancel(
    const std::vector<std::string>& ids,
    const Cancellation& cancellation,
    const BulkWatch& watch
) {
    const std::string message = message_of(cancellation);
    const auto cancel = [&](const std::string& id) { return cancel_one(id, message); };
    return change_each(ids, cancel, watch);
}

ItemResult JobDesk::cancel_one(const std::string& id, const std::string& message) {
    for (int i = 0; i < kTriesToCancel; ++i) {
        const auto found = store_.find(id);
        if (!found || found->place == JobPlace::dead_letter) {
            break;
        }
        const bool waits = found->place != JobPlace::executable;
        if (waits && carries_series_on(found->job)) {
            return {
                .id = id,
                .answer = ItemAnswer::refused,
                .refusal = Refusal::carries_series_on,
                .series = schema::series_key_of(found->job),
            };
        }
        const JobAnswer answer =
            store_.cancel(found->place, std::span(&id, 1), message, clock_.now()).front();
        if (answer != JobAnswer::not_found) {
            return result_of(store_, id, answer);
        }
    }
    return result_of(store_, id, JobAnswer::not_found);
}

}  // namespace jobstrand::deadletter
