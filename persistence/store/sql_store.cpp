#include "persistence/store/sql_store.hpp"

#include "persistence/jobs/executor_moves.hpp"
#include "persistence/jobs/timer_moves.hpp"
#include "persistence/limits/idle_groups.hpp"
#include "persistence/limits/limit_rows.hpp"
#include "persistence/nodes/served_jobs.hpp"
#include "persistence/sql/database_now.hpp"
#include "persistence/unique/unique_operations.hpp"

#include <memory>
#include <utility>

namespace jobstrand::persistence {

using schema::Job;
using schema::JobPlace;
using schema::TimePoint;

SqlStore::SqlStore(
    SessionPool& pool,
    schema::Log& log,
    const schema::SeriesSchedule& schedule,
    RetryLimits limits,
    schema::ExclusiveOver exclusive_over,
    schema::HistoryRules history,
    OnIncident on_incident,
    const schema::Clock& clock,
    std::shared_ptr<schema::FreshIds> ids
)
    : runner_(pool, log, limits),
      ids_(ids == nullptr ? std::make_shared<schema::FreshIds>(clock) : std::move(ids)),
      history_(std::move(history), std::move(on_incident)),
      context_{
          .runner = runner_,
          .log = log,
          .schedule = schedule,
          .clock = clock,
          .ids = *ids_,
          .limits = limits_,
          .history = history_,
          .definitions = definitions_,
          .exclusive_over = exclusive_over} {}

void SqlStore::in_transaction(
    const std::function<void(Transaction&)>& work,
    const std::function<bool(Transaction&)>& was_committed
) {
    runner_.run(work, was_committed, Commit::alone);
}

void SqlStore::add_definitions(std::vector<schema::JobDefinition> definitions) {
    definitions_.configure(std::move(definitions));
}

std::optional<TimePoint> SqlStore::database_now() {
    return persistence::database_now(runner_);
}

bool SqlStore::has_acquirable(const ServedJobs& served, std::string_view after) {
    return persistence::has_acquirable(context_, served, after);
}

IdleView SqlStore::look_around(const ServedJobs& served, TimePoint now) {
    return persistence::look_around(context_, served, now);
}

std::vector<Job> SqlStore::acquire(
    const LockClaim& claim,
    const ServedJobs& served,
    PageLimit limit,
    std::string_view after
) {
    return persistence::acquire(context_, claim, served, limit, after);
}

std::vector<Job> SqlStore::acquire_in_order(
    const LockClaim& claim,
    const ServedJobs& served,
    const schema::AcquisitionOrder& order,
    PageLimit limit,
    const LanePositions& behind
) {
    return persistence::acquire_in_order(context_, claim, served, order, limit, behind);
}

GroupsPassedOn SqlStore::pass_on(
    const LockClaim& claim,
    const ServedJobs& served,
    std::size_t most_bytes,
    std::span<const GroupEnd> groups
) {
    return pass_on_groups(context_, claim, served, most_bytes, groups);
}

std::int64_t SqlStore::reset_expired_groups(TimePoint now) {
    return persistence::reset_expired_groups(context_, now);
}

bool SqlStore::refresh_limits() {
    return persistence::refresh_limits(context_);
}

bool SqlStore::meets_limit(const schema::Job& job) {
    return limits_.meet(job);
}

LimitedJobs SqlStore::acquire_limited(
    const LockClaim& claim,
    const ServedJobs& served,
    PageLimit limit,
    std::string_view behind
) {
    return persistence::acquire_limited(context_, claim, served, limit, behind);
}

std::string SqlStore::forget_idle_groups(std::string_view behind, schema::TimePoint now) {
    return persistence::forget_idle_groups(context_, behind, now);
}

ExpiredKeys SqlStore::remove_expired_keys(const KeySearch& search) {
    return persistence::remove_expired_keys(context_, search);
}

AcquiredJob SqlStore::acquire_one(std::string_view id, const LockClaim& claim, TimePoint now) {
    return persistence::acquire_one(context_, id, claim, now);
}

std::vector<OutcomeAnswer>
SqlStore::apply(std::string_view owner, std::span<const Outcome> outcomes) {
    return apply_outcomes(context_, owner, outcomes);
}

OutcomeAnswer
SqlStore::apply(Transaction& transaction, std::string_view owner, const Outcome& outcome) {
    return apply_outcome(context_, transaction, owner, outcome);
}

bool SqlStore::is_held(Transaction& transaction, std::string_view owner, const Fence& fence) {
    return persistence::is_held(transaction, owner, fence);
}

std::vector<std::string>
SqlStore::extend_locks(const LockClaim& claim, std::span<const Fence> fences) {
    return persistence::extend_locks(context_, claim, fences);
}

void SqlStore::release(std::string_view owner, std::span<const Fence> fences) {
    release_locks(context_, owner, fences);
}

bool SqlStore::count_start(std::string_view owner, const Fence& fence, schema::TimePoint next) {
    return persistence::count_start(context_, owner, fence, next);
}

std::vector<schema::Job> SqlStore::take_up(const LockClaim& claim) {
    return take_up_claim(context_, claim);
}

void SqlStore::uncount_starts(std::span<const std::string> ids) {
    persistence::uncount_starts(context_, ids);
}

void SqlStore::wait_for_database(const std::stop_token& stop, schema::SteadyPoint until) {
    context_.runner.outage().wait_until_over(stop, until);
}

std::optional<schema::SteadyPoint> SqlStore::back_since() {
    return context_.runner.outage().last_end();
}

Lack SqlStore::lacking(const JobKind& kind, TimePoint now) {
    return persistence::lacking(context_, kind, now);
}

std::vector<UnservedJobs> SqlStore::unserved(TimePoint now, std::size_t rows) {
    return unserved_jobs(context_, now, rows);
}

LockReset SqlStore::reset_expired_locks(JobPlace place, const LockSearch& search) {
    return persistence::reset_expired_locks(context_, place, search);
}

std::optional<TimePoint>
SqlStore::next_due(const ServedJobs& served, std::optional<TimePoint> from) {
    return persistence::next_due(context_, served, from);
}

std::optional<TimePoint> SqlStore::next_due_of_others(
    const ServedJobs& served,
    std::optional<TimePoint> from,
    TimePoint until
) {
    return persistence::next_due_of_others(context_, served, from, until);
}

DueTimers SqlStore::move_due_timers(
    DueWindow window,
    PageLimit limit,
    const std::optional<LockClaim>& claim,
    const ServedJobs& served
) {
    return persistence::move_due_timers(context_, window, limit, claim, served);
}

std::vector<std::string> SqlStore::not_held(std::string_view owner, std::span<const Fence> fences) {
    return persistence::not_held(context_, owner, fences);
}

}  // namespace jobstrand::persistence
