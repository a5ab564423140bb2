#include "persistence/series/fallen_timers.hpp"

#include "persistence/rows/byte_arrays.hpp"
#include "persistence/rows/job_table.hpp"
#include "persistence/rows/move_jobs.hpp"
#include "persistence/rows/suspended_scopes.hpp"
#include "schema/job_transition.hpp"

#include <optional>
#include <string_view>
#include <utility>

namespace jobstrand::persistence {

namespace {

using schema::Job;
using schema::JobPlace;
using schema::PlacedJob;

std::vector<const Job*> pointers_to(const std::vector<Job>& jobs) {
    std::vector<const Job*> pointers;
    pointers.reserve(jobs.size());
    for (const Job& job : jobs) {
        pointers.push_back(&job);
    }
    return pointers;
}

std::vector<const Job*> repeating_among(const std::vector<Job>& jobs) {
    std::vector<const Job*> repeating;
    for (const Job& job : jobs) {
        if (!job.repeat.empty()) {
            repeating.push_back(&job);
        }
    }
    return repeating;
}

/// Where a suspended timer waits. One that repeats is still the waiting turn of its series, and
/// falls due anew when it is activated; all others could run at once then.
PlacedJob suspended(Job row) {
    if (!row.repeat.empty()) {
        const schema::Transition transition = schema::suspended(row, JobPlace::timer);
        return moved(std::move(row), transition);
    }
    const schema::Transition transition = schema::fell_due(row);
    return diverted(moved(std::move(row), transition));
}

}  // namespace

FallenTimers fall_due(
    Transaction& transaction,
    const StoreContext& context,
    std::vector<Job> rows,
    schema::TimePoint now
) {
    const SuspendedScopes suspensions = find_suspended(transaction, pointers_to(rows));
    const std::vector<const Job*> repeating = repeating_among(rows);
    std::optional<SeriesTurns> turns;
    if (!repeating.empty()) {
        turns.emplace(transaction, context, repeating, now);
    }
    FallenTimers fallen;
    fallen.leaving.reserve(rows.size());
    for (Job& row : rows) {
        if (suspensions.contain(row)) {
            fallen.leaving.push_back(suspended(std::move(row)));
            continue;
        }
        const auto fate = row.repeat.empty() ? SeriesTurns::Fate::fires : turns->fall_due(row);
        if (fate == SeriesTurns::Fate::fires) {
            const schema::Transition transition = schema::fell_due(row);
            fallen.leaving.push_back(moved(std::move(row), transition));
        } else {
            auto& rest = fate == SeriesTurns::Fate::waits ? fallen.staying : fallen.over;
            rest.push_back(std::move(row));
        }
    }
    if (turns) {
        turns->write();
    }
    return fallen;
}

void write_rest(Transaction& transaction, FallenTimers& fallen) {
    for (Job& row : fallen.staying) {
        ++row.revision;
        update_row(transaction, JobPlace::timer, row);
    }
    std::vector<std::string_view> ids;
    for (const Job& row : fallen.over) {
        ids.emplace_back(row.id);
    }
    delete_rows(transaction, JobPlace::timer, ids);
    delete_byte_arrays_of(transaction, pointers_to(fallen.over));
}

}  // namespace jobstrand::persistence
