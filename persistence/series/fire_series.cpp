#include "persistence/rows/byte_arrays.hpp"
#include "persistence/rows/job_address.hpp"
#include "persistence/rows/move_jobs.hpp"
#include "persistence/series/locked_series.hpp"
#include "persistence/series/series_operations.hpp"
#include "persistence/series/series_turns.hpp"

#include <utility>

namespace jobstrand::persistence {

namespace {

using schema::Job;
using schema::PlacedJob;
using schema::Series;

/// A job like the turn that can run now, and is not part of the succession.
Job extra_job(Job turn, const Series& series, std::string id, schema::TimePoint now) {
    turn.id = std::move(id);
    turn.correlation_id = turn.id;
    turn.revision = 1;
    turn.repeat.clear();
    turn.due_date.reset();
    turn.lock_owner.clear();
    turn.lock_expiration.reset();
    turn.suspended_from.clear();
    turn.exception_message.clear();
    turn.exception_stack_id.clear();
    turn.retries = series.retries;
    turn.attempts = 0;
    turn.create_time = now;
    return turn;
}

}  // namespace

std::optional<std::string>
fire_series(const StoreContext& context, std::string_view key, schema::TimePoint now) {
    const std::string id = context.ids.next();
    bool is_fired = false;
    const auto fire = [&](Transaction& transaction) {
        std::optional<LockedSeries> locked = lock_with_turn(transaction, key);
        is_fired = locked && locked->turn;
        if (!is_fired) {
            return;
        }
        Job job = extra_job(std::move(locked->turn->job), locked->series, id, now);
        load_payloads(transaction, std::span(&job, 1));
        store_payloads(transaction, std::span(&job, 1), context.ids);
        PlacedJob placed{.place = schema::place_of_new(job, now), .job = std::move(job)};
        divert_suspended(transaction, std::span(&placed, 1));
        const PlacedJob* const row = &placed;
        insert_placed(transaction, std::span(&row, 1));
    };
    context.runner.run(fire, [&](Transaction& transaction) {
        const std::string_view job = id;
        return find_any(transaction, std::span(&job, 1)).has_value();
    });
    return is_fired ? std::optional(id) : std::nullopt;
}

}  // namespace jobstrand::persistence
