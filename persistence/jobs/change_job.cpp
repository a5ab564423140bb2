#include "persistence/jobs/operator_moves.hpp"
#include "persistence/rows/byte_arrays.hpp"
#include "persistence/rows/job_row.hpp"
#include "persistence/rows/job_table.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>
#include <variant>

namespace jobstrand::persistence {

namespace {

using schema::Job;
using schema::JobPlace;

void store_payload(Transaction& transaction, Job& row, const std::string& payload, std::string id) {
    row.custom_values_id.clear();
    if (is_too_long_for_row(payload)) {
        row.custom_values_id = std::move(id);
        const ByteArray array{.id = row.custom_values_id, .text = payload};
        insert_byte_arrays(transaction, kPayloadName, std::span(&array, 1));
    }
}

const std::string* new_payload(const JobChanges& changes) {
    for (const schema::JobChange& change : changes) {
        const auto* const text = std::get_if<schema::MemberChange<std::string>>(&change);
        if (text != nullptr && text->member == &Job::payload) {
            return &text->value;
        }
    }
    return nullptr;
}

void require_columns(JobPlace place, const JobChanges& changes) {
    for (const schema::JobChange& change : changes) {
        const schema::JobField& field = schema::field_of(member_of(change));
        if (!field.is_in(place)) {
            throw std::invalid_argument(
                fmt::format("jobs of place {} have no {}", schema::name_of(place), field.name)
            );
        }
    }
}

void change_columns(Job& row, const JobChanges& changes) {
    for (const schema::JobChange& change : changes) {
        carry_out(change, row);
    }
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
    require_columns(place, changes);
    const std::string* const payload = new_payload(changes);
    JobAnswer answer = JobAnswer::not_found;
    const auto change_row = [&](Transaction& transaction) {
        std::optional<Job> row = row_for_update(transaction, place, id);
        answer = !row                   ? JobAnswer::not_found
                 : is_locked(*row, now) ? JobAnswer::locked
                                        : JobAnswer::done;
        if (answer != JobAnswer::done) {
            return;
        }
        std::string replaced;
        if (payload != nullptr) {
            replaced = row->custom_values_id;
            store_payload(transaction, *row, *payload, context.ids.next());
            row->needs.clear();  // It was read in the old one.
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
