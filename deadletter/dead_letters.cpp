#include "deadletter/dead_letters.hpp"

#include "deadletter/bulk/bulk_change.hpp"
#include "deadletter/bulk/job_answer.hpp"
#include "schema/limits.hpp"

#include <functional>
#include <span>
#include <utility>

namespace jobstrand::deadletter {

namespace {

using persistence::JobAnswer;
using schema::JobPlace;

using Ids = std::vector<std::string>;
using Answers = std::vector<JobAnswer>;

constexpr std::size_t kPage = schema::limits::kJobsPerTransaction;

/// Nobody asked for this very job: that it is gone means that somebody else was faster.
[[nodiscard]] std::vector<ItemResult> results_of(const Ids& ids, const Answers& answers) {
    std::vector<ItemResult> items;
    items.reserve(ids.size());
    for (std::size_t i = 0; i < ids.size(); ++i) {
        const bool is_done = answers[i] == JobAnswer::done;
        items.push_back({
            .id = ids[i],
            .answer = is_done ? ItemAnswer::done : ItemAnswer::skipped,
        });
    }
    return items;
}

}  // namespace

DeadLetters::DeadLetters(persistence::OperatorStore& store, const schema::Clock& clock)
    : store_(store), clock_(clock), search_(store) {}

std::optional<JobDetails> DeadLetters::find(std::string_view id) const {
    auto details = search_.find(id);
    const bool is_dead = details && details->placed.place == JobPlace::dead_letter;
    return is_dead ? std::move(details) : std::nullopt;
}

schema::Page<schema::PlacedJob> DeadLetters::list(
    const persistence::JobFilter& filter,
    std::string_view after,
    std::size_t limit
) const {
    return search_.list(
        {.places = {JobPlace::dead_letter},
         .filter = filter,
         .after = std::string(after),
         .limit = limit}
    );
}

std::int64_t DeadLetters::count(const JobSelection& selection) const {
    return search_.count({JobPlace::dead_letter}, selection);
}

Preview DeadLetters::preview(const JobSelection& selection, std::size_t most) const {
    return search_.preview({JobPlace::dead_letter}, selection, most);
}

BulkCounts DeadLetters::requeue(
    const JobSelection& selection,
    const Revival& revival,
    const BulkWatch& watch
) {
    const auto requeue = [&](std::span<const std::string> ids) {
        return store_.requeue(ids, revival.retries, revival.due_date, clock_.now());
    };
    if (!selection.is_by_id()) {
        return change_matching(selection, requeue, watch);
    }
    const auto requeue_one = [&](const std::string& id) {
        ItemResult item = result_of(store_, id, requeue(std::span(&id, 1)).front());
        if (item.answer == ItemAnswer::not_found && item.place) {
            item.answer = ItemAnswer::skipped;
        }
        return item;
    };
    return change_each(selection.ids(), requeue_one, watch);
}

BulkCounts DeadLetters::remove(const JobSelection& selection, const BulkWatch& watch) {
    const auto remove = [&](std::span<const std::string> ids) {
        return store_.remove(JobPlace::dead_letter, ids, clock_.now());
    };
    if (!selection.is_by_id()) {
        return change_matching(selection, remove, watch);
    }
    const auto remove_one = [&](const std::string& id) {
        return result_of(store_, id, remove(std::span(&id, 1)).front());
    };
    return change_each(selection.ids(), remove_one, watch);
}

template <typename Change>
BulkCounts DeadLetters::change_matching(
    const JobSelection& selection,
    const Change& change,
    const BulkWatch& watch
) {
    const BulkSource source{
        .total = count(selection),
        .page = kPage,
        .read =
            [&](const std::string& after, std::size_t limit) {
                return store_.list_ids(JobPlace::dead_letter, selection.filter(), after, limit);
            },
        .key_of = std::identity{},
    };
    return change_all(
        source, [&](const Ids& ids) { return results_of(ids, change(ids)); }, watch
    );
}

}  // namespace jobstrand::deadletter
