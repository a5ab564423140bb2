#include "executor/manual_run.hpp"

#include "executor/held_locks.hpp"
#include "executor/node_presence.hpp"
#include "executor/pool/held_jobs.hpp"
#include "persistence/sql/db_error.hpp"

#include <condition_variable>
#include <limits>
#include <mutex>
#include <thread>
#include <utility>

namespace jobstrand::executor {

namespace {

using persistence::JobAnswer;
using persistence::OutcomeAnswer;

/// Renews the lock of one job from a thread of its own until it is destroyed.
class RenewalThread {
public:
    RenewalThread(LockRenewal& renewal, schema::Log& log)
        : renewal_(renewal),
          log_(log),
          thread_([this](const std::stop_token& stop) { work(stop); }) {}

private:
    void work(const std::stop_token& stop) {
        std::mutex mutex;
        std::condition_variable_any stopped;
        std::unique_lock lock(mutex);
        while (!stop.stop_requested()) {
            stopped.wait_for(lock, stop, pass(), [] { return false; });
        }
    }

    schema::Duration pass() {
        try {
            return renewal_.run_once();
        } catch (const persistence::DbError& error) {
            log_.write(schema::LogLevel::warn, "lock not renewed", {{"error", error.what()}});
            return std::chrono::milliseconds(100);
        }
    }

    LockRenewal& renewal_;
    schema::Log& log_;
    std::jthread thread_;
};

/// The group of exclusive jobs that one job excludes; passed on when this is destroyed.
class GroupOfOne {
public:
    GroupOfOne(
        const JobRunner::Dependencies& use,
        std::string_view owner,
        const HeldJob& held,
        schema::Duration lock_time
    )
        : use_(use),
          owner_(owner),
          end_{.group = held.group, .claimed = 1, .began = held.job.lock_expiration.value()},
          lock_time_(lock_time) {}
    GroupOfOne(const GroupOfOne&) = delete;
    GroupOfOne& operator=(const GroupOfOne&) = delete;

    ~GroupOfOne() {
        if (!end_.group.empty()) {
            pass_on();
        }
    }

private:
    void pass_on() const {
        try {
            const persistence::LockClaim claim{
                owner_, use_.clock.now() + lock_time_, use_.clock.now()};
            std::vector<persistence::GroupEnd> ends{end_};
            while (!ends.empty()) {
                ends = use_.store.pass_on(claim, {}, 0, ends).rest;
            }
        } catch (const persistence::DbError& error) {
            use_.log.write(
                schema::LogLevel::warn,
                "the instance could not be passed on; its exclusive jobs run when its lock expires",
                {{"instance", end_.group}, {"error", error.what()}}
            );
        }
    }

    const JobRunner::Dependencies& use_;
    const std::string_view owner_;
    const persistence::GroupEnd end_;
    const schema::Duration lock_time_;
};

}  // namespace

ManualRunResult run_by_hand(
    const JobRunner::Dependencies& use,
    const JobRunner::Rules& rules,
    std::string_view id,
    schema::Duration lock_time,
    schema::ExclusiveOver over
) {
    const schema::SteadyPoint locked_at = use.clock.steady_now();
    const schema::TimePoint now = use.clock.now();
    const std::string owner = fresh_lock_owner();
    auto acquired = use.store.acquire_one(id, {.owner = owner, .until = now + lock_time}, now);
    if (acquired.answer != JobAnswer::done) {
        const bool is_locked = acquired.answer == JobAnswer::locked;
        return {
            .answer = is_locked ? ManualRunAnswer::locked : ManualRunAnswer::not_found,
            .transition = {}};
    }

    HeldJobs held(std::numeric_limits<std::size_t>::max(), over);
    std::vector<schema::Job> locked;
    locked.push_back(std::move(acquired.job));
    const HeldJobPtr job = held.add(std::move(locked), locked_at + lock_time).front();
    const GroupOfOne group(use, owner, *job, lock_time);
    LockRenewal renewal({use.store, held, use.clock, use.log}, owner, lock_time);
    const RenewalThread renewing(renewal, use.log);

    const JobRunner runner(use, rules, owner);
    const JobRunner::Answer answer = runner.run(job);
    const auto* const outcome = std::get_if<persistence::Outcome>(&answer);
    if (outcome == nullptr) {
        return {.answer = ManualRunAnswer::done, .transition = {}};
    }
    const OutcomeAnswer written = use.store.apply(owner, std::span(outcome, 1)).front();
    return {
        .answer =
            written == OutcomeAnswer::done ? ManualRunAnswer::done : ManualRunAnswer::lost_lock,
        .transition = outcome->transition};
}

RunObstacle obstacle_to_run(const schema::PlacedJob& placed, const HandlerRegistry& handlers) {
    if (placed.place != schema::JobPlace::executable) {
        return RunObstacle::stands_elsewhere;
    }
    const HandlerRegistry::Match match = handlers.match(placed.job);
    if (match.handler == nullptr) {
        return RunObstacle::unknown_type;
    }
    return match.lack.empty() ? RunObstacle::none : RunObstacle::lacks_need;
}

}  // namespace jobstrand::executor
