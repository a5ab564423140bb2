#include "tools/operations/batch/change_order.hpp"

#include "schema/job_change.hpp"

#include <cstdint>
#include <variant>

namespace jobstrand::cli {

namespace {

using schema::Job;

/// Writes down one change; false: a batch cannot make it.
[[nodiscard]] bool write_down(const schema::JobChange& change, schema::BatchOrder& order) {
    if (const auto* const retries = std::get_if<schema::MemberChange<int>>(&change)) {
        order.retries = retries->value;
        return retries->member == &Job::retries;
    }
    if (const auto* const priority = std::get_if<schema::MemberChange<std::int64_t>>(&change)) {
        order.priority = priority->value;
        return priority->member == &Job::priority;
    }
    return false;
}

}  // namespace

std::optional<schema::BatchOrder>
order_of(schema::JobPlace place, const persistence::ManyChanges& changes) {
    schema::BatchOrder order{
        .operation = schema::BatchOperation::change,
        .place = place,
        .due_date = changes.due_date,
    };
    for (const schema::JobChange& change : changes.fields) {
        if (!write_down(change, order)) {
            return std::nullopt;
        }
    }
    const bool has_no_retries = order.retries && place == schema::JobPlace::dead_letter;
    return has_no_retries ? std::nullopt : std::optional(order);
}

}  // namespace jobstrand::cli
