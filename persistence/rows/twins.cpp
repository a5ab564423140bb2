#include "persistence/rows/twins.hpp"

#include "persistence/rows/job_table.hpp"
#include "persistence/rows/move_jobs.hpp"
#include "persistence/sql/db_error.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace jobstrand::persistence {

using schema::Job;
using schema::JobPlace;
using schema::PlacedJob;

void bury_twins(Transaction& transaction, std::span<PlacedJob> jobs, Twins& twins) {
    twins.buried.clear();
    if (!twins.are_expected) {
        return;
    }
    std::map<JobPlace, std::vector<std::string_view>> by_place;
    for (const PlacedJob& placed : jobs) {
        by_place[placed.place].push_back(placed.job.id);
    }
    std::set<std::string> taken;
    for (auto& [place, ids] : by_place) {
        std::ranges::sort(ids);
        for (Job& row : rows_for_update(transaction, place, ids)) {
            taken.insert(std::move(row.id));
        }
    }
    for (PlacedJob& placed : jobs) {
        if (taken.contains(placed.job.id)) {
            const schema::Transition transition = schema::id_taken(placed.job, placed.place);
            placed = redirected(std::move(placed), transition);
            twins.buried.push_back(placed.job.id);
        }
    }
}

void run_burying_twins(
    const StoreContext& context,
    Twins& twins,
    const TransactionRunner::Work& move,
    const TransactionRunner::WasCommitted& was_committed
) {
    // Defended catch: one row must not stop the page that it stands in.
    try {
        context.runner.run(move, was_committed);
        return;
    } catch (const DbError& error) {
        if (error.kind() != DbErrorKind::duplicate_key) {
            throw;
        }
    }
    twins.are_expected = true;
    context.runner.run(move, was_committed);
    for (const std::string& id : twins.buried) {
        context.log.write(
            schema::LogLevel::warn,
            "another job with this id stands where it was to go: it is a dead letter now",
            {{"job", id}}
        );
    }
}

}  // namespace jobstrand::persistence
