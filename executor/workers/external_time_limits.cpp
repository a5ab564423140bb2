#include "executor/workers/external_time_limits.hpp"

#include "schema/limits.hpp"
#include "schema/text/iso8601.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <span>
#include <string>
#include <utility>

namespace jobstrand::executor {

namespace {

using schema::Job;
using schema::JobPlace;

constexpr schema::Duration kLookInterval = std::chrono::minutes(1);

constexpr std::size_t kPageOfHeld = schema::limits::kJobsPerTransaction;

/// After that, with the database in trouble, it looks again for those that are held.
constexpr schema::Duration kShortestWait = std::chrono::milliseconds(1);

}  // namespace

schema::Duration ExternalTimeLimits::run_once() {
    const schema::SteadyPoint steady = use_.clock.steady_now();
    if (steady >= next_look_) {
        look_for_held(use_.clock.now());
        next_look_ = steady + kLookInterval;
    }
    const schema::TimePoint now = use_.clock.now();
    const std::vector<ExternalDeadlines::Held> late = use_.deadlines.take_late(now);
    std::span<const ExternalDeadlines::Held> rest = late;
    while (!rest.empty()) {
        const auto part = rest.first(std::min(rest.size(), kPageOfHeld));
        try {
            give_up({part.begin(), part.end()}, now);
        } catch (...) {
            next_look_ = schema::SteadyPoint::min();  // They are held still, and found anew.
            throw;
        }
        rest = rest.subspan(part.size());
    }
    const auto until_look = std::chrono::ceil<schema::Duration>(next_look_ - steady);
    const auto next = use_.deadlines.next();
    return next ? std::clamp(*next - now, kShortestWait, until_look) : until_look;
}

void ExternalTimeLimits::look_for_held(schema::TimePoint now) {
    const persistence::JobFilter held{
        .fields = {persistence::is_like_one_of(
            &Job::handler_type, use_.deadlines.limits().names()
        )},
        .locked = true};
    std::vector<Job> page;
    do {
        const std::string behind = page.empty() ? std::string() : page.back().id;
        page = use_.store.list(JobPlace::external_worker, held, behind, kPageOfHeld);
        use_.deadlines.begun(page, now);
    } while (page.size() == kPageOfHeld);
}

// Whose lock has ended is not given up: its worker may have died, which uses no retry.
void ExternalTimeLimits::give_up(
    const std::vector<ExternalDeadlines::Held>& late,
    schema::TimePoint now
) {
    std::vector<std::string> ids;
    for (const ExternalDeadlines::Held& held : late) {
        ids.push_back(held.id);
    }
    const std::vector<Job> rows =
        use_.store.list(JobPlace::external_worker, {.ids = ids}, {}, ids.size());
    for (const ExternalDeadlines::Held& held : late) {
        const auto row = std::ranges::find(rows, held.id, &Job::id);
        if (row == rows.end() || row->revision != held.revision || row->lock_owner != held.worker ||
            !row->lock_expiration || *row->lock_expiration < now) {
            continue;
        }
        schema::JobFailure failure{
            .message = fmt::format(
                "worker {} did not end it within its time limit of {}",
                held.worker,
                schema::format_duration(held.limit)
            )};
        const WorkResult result{
            .job = {.id = held.id, .revision = held.revision}, .what = WorkFailed{failure}};
        (void)use_.broker.finish(held.worker, std::span(&result, 1));
    }
}

}  // namespace jobstrand::executor
