#include "persistence/series/abandoned_turns.hpp"

#include "persistence/rows/job_table.hpp"
#include "persistence/series/move_pipeline.hpp"

#include <utility>
#include <vector>

namespace jobstrand::persistence {

namespace {

using schema::Job;
using schema::JobPlace;

/// Their rows are locked; those whose lock was renewed meanwhile are left out.
std::vector<Job> lock_expired(
    Transaction& transaction,
    std::span<const std::string_view> ids,
    schema::TimePoint now
) {
    std::vector<Job> turns = lock_rows(transaction, JobPlace::executable, ids);
    std::erase_if(turns, [now](const Job& turn) {
        return !turn.lock_expiration || *turn.lock_expiration >= now;
    });
    return turns;
}

}  // namespace

std::int64_t let_go_unrecoverable(
    Transaction& transaction,
    const StoreContext& context,
    std::span<const std::string_view> ids,
    schema::TimePoint now
) {
    if (ids.empty()) {
        return 0;
    }
    std::vector<Job> turns = lock_expired(transaction, ids, now);
    MovePipeline moves(transaction, context, JobPlace::executable, now);
    moves.decide(std::move(turns), schema::let_go);
    moves.write();
    return static_cast<std::int64_t>(moves.deleted());
}

}  // namespace jobstrand::persistence
