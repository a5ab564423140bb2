#include "deadletter/dead_letters.hpp"

#include "deadletter/bulk_change.hpp"
#include "deadletter/job_selection.hpp"
#include "persistence/operator_store.hpp"
#include "schema/limits.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <span>
#include <utility>
#include <variant>

namespace jobstrand::deadletter {

using persistence::DeadLetterFailure;
using persistence::JobAnswer;
using schema::JobPlace;

namespace {

using Ids = std::vector<std::string>;
using Answers = std::vector<JobAnswer>;

constexpr std::size_t kPage = schema::limits::kJobsPerTransaction;

/// Nobody asked for this very job: that it is gone means that somebody else was faster.
[[nodiscard]] std::vector<ItemResult>
results_of(persistence::OperatorStore& store, const Ids& ids, const Answers& answers) {
    std::vector<ItemResult> items;
    items.reserve(ids.size());
    for (std::size_t i = 0; i < ids.size(); ++i) {
        if (answers[i] == JobAnswer::key_held) {
            items.push_back(result_of(store, ids[i], answers[i]));
            continue;
        }
        const bool is_done = answers[i] == JobAnswer::done;
        items.push_back({
            .id = ids[i],
            .answer = is_done ? ItemAnswer::done : ItemAnswer::unchanged,
        });
    }
    return items;
}

[[nodiscard]] bool is_of(std::string_view cause, const DeadLetterFailure& failure) {
    return id_of(cause_of(failure.handler_type, failure.message)) == cause;
}

[[nodiscard]] std::vector<DeadLetterFailure> failures_in(
    persistence::OperatorStore& store,
    const persistence::JobFilter& filter,
    const std::string& after,
    std::size_t limit
) {
    return first_of(
        JobStretches(store, JobPlace::dead_letter, filter, after),
        limit,
        [&](const persistence::JobFilter& stretch, const std::string& behind, std::size_t most) {
            return store.list_failures(stretch, behind, most);
        }
    );
}

/// Reads failures page by page; `use` says of each whether to go on.
template <typename Use>
void for_each_failure(
    persistence::OperatorStore& store,
    const persistence::JobFilter& filter,
    const std::string& after,
    const Use& use
) {
    schema::for_each_page(
        {.after = after, .size = kPage},
        [&](const std::string& behind, std::size_t limit) {
            return failures_in(store, filter, behind, limit);
        },
        &DeadLetterFailure::id,
        [&](const std::vector<DeadLetterFailure>& page) { return std::ranges::all_of(page, use); }
    );
}

/// A page is one burst: none is longer than a second of the pace.
[[nodiscard]] std::size_t page_of(const Revival& revival) {
    const std::int64_t most = revival.pace ? revival.pace->per_second : std::int64_t{kPage};
    return static_cast<std::size_t>(std::min(most, std::int64_t{kPage}));
}

/// The due dates of jobs that are requeued one after the other.
class SpreadDates final {
public:
    SpreadDates(const Revival& revival, std::int64_t total, schema::TimePoint now)
        : revival_(revival), total_(total), start_(revival.due_date.value_or(now)) {}

    /// Of the next `jobs`.
    [[nodiscard]] persistence::DueDates next(std::size_t jobs) {
        if (revival_.spread == schema::Duration{0}) {
            return revival_.due_date;
        }
        std::vector<schema::TimePoint> dates;
        for (std::size_t i = 0; i < jobs; ++i) {
            dates.push_back(start_ + wait_of(std::min(next_++, total_)));
        }
        return persistence::DueDates(std::move(dates));
    }

private:
    /// Without a product that could overflow.
    [[nodiscard]] schema::Duration wait_of(std::int64_t index) const {
        const std::int64_t all = std::max<std::int64_t>(total_, 1);
        const std::int64_t spread = revival_.spread.count();
        return schema::Duration{spread / all * index + spread % all * index / all};
    }

    const Revival& revival_;
    const std::int64_t total_;
    const schema::TimePoint start_;
    std::int64_t next_ = 0;
};

}  // namespace

DeadLetters::DeadLetters(persistence::OperatorStore& store, const schema::Clock& clock)
    : store_(store), clock_(clock), search_(store) {}

std::optional<JobDetails> DeadLetters::find(std::string_view id) const {
    auto details = search_.find(id);
    const bool is_dead = details && details->placed.place == JobPlace::dead_letter;
    return is_dead ? std::move(details) : std::nullopt;
}

JobPage DeadLetters::list(
    const persistence::JobFilter& filter,
    std::string_view after,
    std::size_t limit
) const {
    return search_.list(
        {.places = {JobPlace::dead_letter},
         .filter = filter,
         .after = std::string(after),
         .limit = limit,
         .patience = kPatience}
    );
}

std::optional<schema::Page<schema::PlacedJob>> DeadLetters::newest(
    const persistence::JobFilter& filter,
    std::string_view after,
    std::size_t limit
) const {
    std::optional<persistence::DeadLetterMark> behind;
    if (!after.empty()) {
        const auto last = find(after);
        if (!last) {
            return std::nullopt;
        }
        const schema::Job& job = last->placed.job;
        behind = {.failed_time = job.failed_time, .id = job.id};
    }
    return schema::first_page(limit, [&](std::size_t most) {
        std::vector<schema::PlacedJob> found;
        for (schema::Job& job : store_.newest_dead_letters(filter, behind, most)) {
            found.push_back({.place = JobPlace::dead_letter, .job = std::move(job)});
        }
        return found;
    });
}

std::vector<persistence::TypeCount> DeadLetters::count_types(const persistence::JobFilter& filter
) const {
    return store_.count_types(JobPlace::dead_letter, filter);
}

CauseSummary DeadLetters::causes(const persistence::JobFilter& filter, const BulkWatch& watch)
    const {
    CauseTally tally;
    BulkCounts counts{.total = count_in(store_, JobPlace::dead_letter, filter)};
    schema::for_each_page(
        {.after = {}, .size = kPage},
        [&](const std::string& after, std::size_t limit) {
            return failures_in(store_, filter, after, limit);
        },
        &DeadLetterFailure::id,
        [&](const std::vector<DeadLetterFailure>& page) {
            std::ranges::for_each(page, [&](const auto& failure) { tally.add(failure); });
            counts.done += static_cast<std::int64_t>(page.size());
            return !watch.on_page || watch.on_page(counts);
        }
    );
    return tally.take();
}

std::int64_t DeadLetters::count(const DeadSelection& selection) const {
    if (const auto* const jobs = std::get_if<JobSelection>(&selection)) {
        return search_.count({JobPlace::dead_letter}, *jobs);
    }
    const auto& [cause, filter] = std::get<CauseSelection>(selection);
    std::int64_t total = 0;
    for_each_failure(store_, filter, "", [&](const DeadLetterFailure& failure) {
        total += is_of(cause, failure) ? 1 : 0;
        return true;
    });
    return total;
}

Preview DeadLetters::preview(const DeadSelection& selection, std::size_t most) const {
    if (const auto* const of_cause = std::get_if<CauseSelection>(&selection)) {
        const auto first = JobSelection::these(ids_of_cause(*of_cause, "", most));
        return {
            .count = count(selection),
            .first = search_.preview({JobPlace::dead_letter}, first, most).first,
        };
    }
    return search_.preview({JobPlace::dead_letter}, std::get<JobSelection>(selection), most);
}

BulkCounts DeadLetters::requeue(
    const DeadSelection& selection,
    const Revival& revival,
    const BulkWatch& watch
) {
    const BulkWatch paced_watch = revival.pace ? paced(watch, *revival.pace, clock_) : watch;
    const std::int64_t total = count(selection);
    SpreadDates dates(revival, total, clock_.now());
    if (const Ids* const ids = ids_in(selection)) {
        const auto requeue = [&](const std::string& id) {
            return requeue_one(id, revival.retries, dates.next(1));
        };
        return change_each(*ids, requeue, paced_watch);
    }
    const auto requeue = [&](const Ids& ids) {
        return results_of(
            store_, ids, store_.requeue(ids, revival.retries, dates.next(ids.size()), clock_.now())
        );
    };
    const BulkSource source{
        .total = total,
        .page = page_of(revival),
        .read = reader_of(selection),
        .key_of = std::identity{},
    };
    return change_all(source, requeue, paced_watch);
}

/// What was named and runs already is as it was meant to be.
ItemResult DeadLetters::requeue_one(
    const std::string& id,
    int retries,
    const persistence::DueDates& due_dates
) {
    const auto answers = store_.requeue(std::span(&id, 1), retries, due_dates, clock_.now());
    ItemResult item = result_of(store_, id, answers.front());
    if (item.answer == ItemAnswer::not_found && item.place) {
        item.answer = ItemAnswer::unchanged;
    }
    return item;
}

BulkCounts DeadLetters::remove(const DeadSelection& selection, const BulkWatch& watch) {
    const auto remove = [&](std::span<const std::string> ids) {
        return store_.remove(JobPlace::dead_letter, ids, clock_.now());
    };
    if (const Ids* const ids = ids_in(selection)) {
        const auto remove_one = [&](const std::string& id) {
            return result_of(store_, id, remove(std::span(&id, 1)).front());
        };
        return change_each(*ids, remove_one, watch);
    }
    const BulkSource source{
        .total = count(selection),
        .page = kPage,
        .read = reader_of(selection),
        .key_of = std::identity{},
    };
    return change_all(
        source, [&](const Ids& ids) { return results_of(store_, ids, remove(ids)); }, watch
    );
}

BulkCounts DeadLetters::copy(
    const DeadSelection& selection,
    const std::function<void(const persistence::JobCopy&)>& use,
    const BulkWatch& watch
) const {
    const auto copy_one = [&](const std::string& id) {
        auto found = find(id);
        if (!found) {
            return ItemResult{.id = id, .answer = ItemAnswer::not_found};
        }
        use({.job = std::move(found->placed.job), .details = std::move(found->exception_details)});
        return ItemResult{.id = id};
    };
    if (const Ids* const ids = ids_in(selection)) {
        return change_each(*ids, copy_one, watch);
    }
    const auto copy_page = [&](const Ids& ids) {
        std::vector<ItemResult> items;
        std::ranges::transform(ids, std::back_inserter(items), copy_one);
        return items;
    };
    const BulkSource source{
        .total = count(selection),
        .page = kPage,
        .read = reader_of(selection),
        .key_of = std::identity{},
    };
    return change_all(source, copy_page, watch);
}

DeadLetters::ReadIds DeadLetters::reader_of(const DeadSelection& selection) const {
    if (const auto* const of_cause = std::get_if<CauseSelection>(&selection)) {
        return [this, of_cause](const std::string& after, std::size_t limit) {
            return ids_of_cause(*of_cause, after, limit);
        };
    }
    return [this, &jobs = std::get<JobSelection>(selection)](
               const std::string& after, std::size_t limit
           ) {
        return first_of(
            JobStretches(store_, JobPlace::dead_letter, jobs.filter(), after),
            limit,
            [&](const persistence::JobFilter& stretch, const std::string& behind, std::size_t most
            ) { return store_.list_ids(JobPlace::dead_letter, stretch, behind, most); }
        );
    };
}

std::vector<std::string> DeadLetters::ids_of_cause(
    const CauseSelection& selection,
    const std::string& after,
    std::size_t limit
) const {
    Ids ids;
    for_each_failure(store_, selection.filter, after, [&](const DeadLetterFailure& failure) {
        if (is_of(selection.cause, failure)) {
            ids.push_back(failure.id);
        }
        return ids.size() < limit;
    });
    return ids;
}

namespace {

/// One attempt: where it fails it is a dead letter again, and nothing is left behind that runs.
constexpr int kAttemptsOfProbe = 1;

/// What a look at the job shows.
[[nodiscard]] ProbeResult seen(const std::string& id, std::optional<schema::PlacedJob> placed) {
    if (!placed) {
        return {.end = ProbeEnd::succeeded, .id = id};
    }
    ProbeResult result{.end = ProbeEnd::not_ended, .id = id, .place = placed->place};
    result.message = std::move(placed->job.exception_message);
    if (placed->place == JobPlace::dead_letter || placed->place == JobPlace::timer) {
        result.end = ProbeEnd::failed;
    } else if (placed->place == JobPlace::suspended) {
        result.end = ProbeEnd::suspended;
    }
    return result;
}

}  // namespace

ProbeResult DeadLetters::probe(const DeadSelection& selection, const ProbePatience& patience) {
    const std::vector<std::string> first = first_ids(selection, 1);
    if (first.empty()) {
        return {};
    }
    const std::string& id = first.front();
    ItemResult item = requeue_one(id, kAttemptsOfProbe, {});
    if (item.answer != ItemAnswer::done) {
        return {.end = ProbeEnd::not_requeued, .id = id, .item = std::move(item)};
    }
    return wait_for_end(id, patience);
}

ProbeResult DeadLetters::wait_for_end(const std::string& id, const ProbePatience& patience) {
    const schema::SteadyPoint until = clock_.steady_now() + patience.most;
    while (true) {
        ProbeResult result = seen(id, store_.find(id));
        if (result.end != ProbeEnd::not_ended || clock_.steady_now() >= until) {
            return result;
        }
        patience.wait(patience.between);
    }
}

std::vector<std::string> DeadLetters::first_ids(const DeadSelection& selection, std::size_t most)
    const {
    const auto* const jobs = std::get_if<JobSelection>(&selection);
    if (jobs == nullptr || !jobs->is_by_id()) {
        return reader_of(selection)("", most);
    }
    const std::vector<std::string>& ids = jobs->ids();
    return {ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(std::min(most, ids.size()))};
}

}  // namespace jobstrand::deadletter
