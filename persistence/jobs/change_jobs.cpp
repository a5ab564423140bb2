#include "persistence/jobs/operator_moves.hpp"
#include "persistence/rows/byte_arrays.hpp"
#include "persistence/rows/job_row.hpp"
#include "persistence/rows/job_table.hpp"
#include "persistence/series/move_pipeline.hpp"
#include "schema/job_transition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <stdexcept>
#include <utility>
#include <variant>
#include <vector>

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

/// What somebody else has written is no reason: only who sets them to 0 gives the job up.
bool set_retries_to_none(const JobChanges& changes) {
    return std::ranges::any_of(changes, [](const schema::JobChange& change) {
        const auto* const number = std::get_if<schema::MemberChange<int>>(&change);
        return number != nullptr && number->member == &Job::retries && number->value <= 0;
    });
}

/// Returns the id of the payload that is not needed any more, once the row is written.
[[nodiscard]] std::string change_columns(
    Transaction& transaction,
    const StoreContext& context,
    Job& row,
    const JobChanges& changes
) {
    std::string replaced;
    if (const std::string* const payload = new_payload(changes)) {
        replaced = row.custom_values_id;
        store_payload(transaction, row, *payload, context.ids.next());
        row.needs.clear();  // It was read in the old one.
    }
    for (const schema::JobChange& change : changes) {
        carry_out(change, row);
    }
    return replaced;
}

void give_up(
    Transaction& transaction,
    const StoreContext& context,
    JobPlace place,
    std::vector<Job> rows,
    schema::TimePoint now
) {
    MovePipeline moves(transaction, context, place, now);
    moves.decide(std::move(rows), [now](const Job& row) { return schema::given_up(row, now); });
    moves.write();
}

void write_changed(Transaction& transaction, JobPlace place, Job& row) {
    row.lock_owner.clear();
    row.lock_expiration.reset();
    ++row.revision;
    update_row(transaction, place, row);
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
    const bool is_given_up = set_retries_to_none(changes);
    JobAnswer answer = JobAnswer::not_found;
    const auto change_row = [&](Transaction& transaction) {
        std::optional<Job> row = row_for_update(transaction, place, id);
        answer = !row                   ? JobAnswer::not_found
                 : is_locked(*row, now) ? JobAnswer::locked
                                        : JobAnswer::done;
        if (answer != JobAnswer::done) {
            return;
        }
        const std::string replaced = change_columns(transaction, context, *row, changes);
        if (is_given_up) {
            give_up(transaction, context, place, {std::move(*row)}, now);
        } else {
            write_changed(transaction, place, *row);
        }
        delete_byte_arrays(transaction, {replaced});
    };
    // Setting the same values twice does no harm; a job that was given up is gone from there.
    context.runner.run(change_row, [&](Transaction& transaction) {
        const std::string one(id);
        return is_given_up && answer == JobAnswer::done &&
               !is_any_in(transaction, place, std::span(&one, 1));
    });
    return answer;
}

}  // namespace jobstrand::persistence
