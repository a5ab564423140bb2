#include "persistence/jobs/operator_moves.hpp"
#include "persistence/rows/byte_arrays.hpp"
#include "persistence/rows/job_row.hpp"
#include "persistence/rows/job_table.hpp"

#include <stdexcept>
#include <utility>

namespace jobstrand::persistence {

namespace {

using schema::Job;
using schema::JobPlace;

void change_payload(
    Transaction& transaction,
    Job& row,
    const std::string& payload,
    std::string id
) {
    row.payload = payload;
    row.custom_values_id.clear();
    if (is_too_long_for_row(payload)) {
        row.custom_values_id = std::move(id);
        const ByteArray array{.id = row.custom_values_id, .text = payload};
        insert_byte_arrays(transaction, kPayloadName, std::span(&array, 1));
    }
}

void change_columns(Job& row, const JobChanges& changes) {
    row.retries = changes.retries.value_or(row.retries);
    row.priority = changes.priority.value_or(row.priority);
    row.retry_cycle = changes.retry_cycle.value_or(row.retry_cycle);
    row.lock_owner.clear();
    row.lock_expiration.reset();
    ++row.revision;
}

}  // namespace

JobAnswer change_job(
    const StoreContext& context,
    JobPlace place,
    std::string_view id,
    const JobChanges& changes,
    schema::TimePoint now
) {
    if (place == JobPlace::dead_letter && changes.retries) {
        throw std::invalid_argument("a dead letter has no retries: requeue it with new ones");
    }
    JobAnswer answer = JobAnswer::not_found;
    const auto change_row = [&](Transaction& transaction) {
        std::optional<Job> row = lock_row(transaction, place, id);
        answer = !row                   ? JobAnswer::not_found
                 : is_locked(*row, now) ? JobAnswer::locked
                                        : JobAnswer::done;
        if (answer != JobAnswer::done) {
            return;
        }
        std::string replaced;
        if (changes.payload) {
            replaced = row->custom_values_id;
            change_payload(transaction, *row, *changes.payload, context.ids.next());
        }
        change_columns(*row, changes);
        update_row(transaction, place, *row);
        delete_byte_arrays(transaction, {replaced});
    };
    // Setting the same values twice does no harm.
    context.runner.run(change_row, run_again);
    return answer;
}

}  // namespace jobstrand::persistence
