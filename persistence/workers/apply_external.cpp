#include "persistence/rows/byte_arrays.hpp"
#include "persistence/series/move_pipeline.hpp"
#include "persistence/workers/held_rows.hpp"
#include "persistence/workers/sql_worker_store.hpp"

#include <unordered_map>
#include <utility>

namespace jobstrand::persistence {

using schema::Job;
using schema::JobPlace;

std::vector<WorkerAnswer> SqlWorkerStore::apply_external(
    std::string_view worker,
    std::span<const WorkerOutcome> outcomes,
    schema::TimePoint now
) {
    std::vector<HeldJob> jobs;
    std::unordered_map<std::string_view, const WorkerOutcome*> by_id;
    by_id.reserve(outcomes.size());
    jobs.reserve(outcomes.size());
    for (const WorkerOutcome& outcome : outcomes) {
        jobs.push_back(outcome.job);
        by_id.emplace(outcome.job.id, &outcome);
    }
    const auto write = [&](Transaction& transaction, std::vector<Job> rows, Twins& twins) {
        std::vector<schema::Transition> transitions;
        for (Job& row : rows) {
            const WorkerOutcome& outcome = *by_id.find(row.id)->second;
            if (outcome.reads_payload) {
                load_payloads(transaction, std::span(&row, 1));
            }
            transitions.push_back(outcome.transition(row));
        }
        MovePipeline moves(transaction, context_, JobPlace::external_worker, now);
        moves.decide(std::move(rows), std::move(transitions));
        moves.write(&twins);
    };
    return write_held(context_, worker, jobs, now, Hold::ends, write);
}

}  // namespace jobstrand::persistence
