#include "persistence/store/sql_store.hpp"

#include "persistence/engine/scopes.hpp"
#include "persistence/jobs/executor_moves.hpp"
#include "persistence/jobs/operator_moves.hpp"
#include "persistence/jobs/timer_moves.hpp"
#include "persistence/nodes/served_jobs.hpp"
#include "persistence/queries/job_queries.hpp"
#include "persistence/sql/database_now.hpp"

#include <memory>
#include <utility>

namespace jobstrand::persistence {

using schema::Job;
using schema::JobPlace;
using schema::PlacedJob;
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

JobAnswer SqlStore::fire_timer(std::string_view id, TimePoint now) {
    return persistence::fire_timer(context_, id, now);
}

JobAnswer SqlStore::reschedule_timer(std::string_view id, TimePoint due_date, TimePoint now) {
    return persistence::reschedule_timer(context_, id, due_date, now);
}

std::optional<PlacedJob> SqlStore::find(std::string_view id) {
    return find_job(context_, id);
}

std::vector<Job>
SqlStore::list(JobPlace place, const JobFilter& filter, std::string_view after, std::size_t limit) {
    return list_jobs(context_, place, filter, after, limit);
}

std::vector<Job>
SqlStore::list_in_order(JobPlace place, const JobFilter& filter, const SortedPart& part) {
    return persistence::list_in_order(context_, place, filter, part);
}

std::optional<Job> SqlStore::mark_ahead(JobPlace place, const SortedPart& part) {
    return persistence::mark_ahead(context_, place, part);
}

std::vector<std::string> SqlStore::list_ids(
    JobPlace place,
    const JobFilter& filter,
    std::string_view after,
    std::size_t limit
) {
    return list_job_ids(context_, place, filter, after, limit);
}

std::int64_t SqlStore::count(JobPlace place, const JobFilter& filter) {
    return count_jobs(context_, place, filter);
}

std::vector<TypeCount> SqlStore::count_types(JobPlace place, const JobFilter& filter) {
    return persistence::count_types(context_, place, filter);
}

std::vector<JobAnswer> SqlStore::change_all(
    JobPlace place,
    std::span<const std::string> ids,
    const ManyChanges& changes,
    TimePoint now
) {
    return change_jobs(context_, place, ids, changes, now);
}

std::vector<JobAnswer>
SqlStore::remove(JobPlace place, std::span<const std::string> ids, TimePoint now) {
    return remove_jobs(context_, place, ids, now);
}

std::vector<JobAnswer> SqlStore::requeue(
    std::span<const std::string> ids,
    int retries,
    const DueDates& due_dates,
    TimePoint now
) {
    return requeue_dead_letters(context_, ids, retries, due_dates, now);
}

std::int64_t SqlStore::suspend(
    SuspensionScope scope,
    std::string_view id,
    TimePoint now,
    const OnMoved& on_moved
) {
    return suspend_jobs(context_, scope, id, now, on_moved);
}

std::int64_t SqlStore::activate(
    SuspensionScope scope,
    std::string_view id,
    TimePoint now,
    const OnMoved& on_moved
) {
    return activate_jobs(context_, scope, id, now, on_moved);
}

std::vector<Suspension> SqlStore::suspensions(SuspensionScope scope) {
    return list_suspensions(context_, scope);
}

bool SqlStore::is_of_engine(SuspensionScope scope, std::string_view id) {
    return persistence::is_of_engine(context_, scope, id);
}

std::vector<JobAnswer> SqlStore::cancel(
    schema::JobPlace place,
    std::span<const std::string> ids,
    std::string_view message,
    schema::TimePoint now
) {
    return cancel_jobs(context_, place, ids, message, now);
}

std::vector<std::string> SqlStore::not_held(std::string_view owner, std::span<const Fence> fences) {
    return persistence::not_held(context_, owner, fences);
}

std::vector<OwnerCount> SqlStore::count_lock_owners(std::string_view up_to) {
    return persistence::count_lock_owners(context_, up_to);
}

std::vector<Suspension> SqlStore::suspensions_of(const schema::Job& job) {
    return persistence::suspensions_of(context_, job);
}

std::vector<ScopeSummary>
SqlStore::scopes(SuspensionScope scope, std::string_view after, std::size_t limit) {
    return list_scopes(context_, {.scope = scope, .after = after, .limit = limit});
}

std::vector<ScopeSummary>
SqlStore::suspended_scopes(SuspensionScope scope, std::string_view after, std::size_t limit) {
    return list_scopes(
        context_, {.scope = scope, .after = after, .limit = limit, .only_suspended = true}
    );
}

std::optional<AwaitedGroup> SqlStore::awaited_group(const schema::Job& job) {
    return persistence::awaited_group(context_, job);
}

std::optional<GroupHold> SqlStore::group_hold(const schema::Job& job) {
    return persistence::group_hold(context_, job);
}

}  // namespace jobstrand::persistence
