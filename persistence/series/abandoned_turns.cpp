#include "persistence/series/abandoned_turns.hpp"

#include "persistence/rows/byte_arrays.hpp"
#include "persistence/rows/job_table.hpp"

#include <string>
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
    const std::vector<Job> turns = lock_expired(transaction, ids, now);
    std::vector<const Job*> jobs;
    for (const Job& turn : turns) {
        jobs.push_back(&turn);
    }
    SeriesTurns series(transaction, context, jobs, now);
    std::erase_if(jobs, [&](const Job* turn) {
        const schema::Series* const found = series.series_of(*turn);
        return found == nullptr || found->recovery;
    });
    std::vector<std::string_view> let_go;
    for (const Job* turn : jobs) {
        context.log.write(
            schema::LogLevel::warn,
            "turn let go: its node died, and its series is not to be recovered",
            {{"job", turn->id}, {"series", turn->series}}
        );
        let_go.emplace_back(turn->id);
        Job ended = *turn;
        series.run_ended(ended);
    }
    const std::int64_t deleted = delete_rows(transaction, JobPlace::executable, let_go);
    delete_byte_arrays_of(transaction, jobs);
    series.write();
    return deleted;
}

}  // namespace jobstrand::persistence
