#include "tools/jobstrand/commands/job/job_removal.hpp"

#include "tools/jobstrand/commands/item_report.hpp"
#include "tools/jobstrand/commands/job/job_listing.hpp"
#include "tools/jobstrand/commands/series/series_listing.hpp"
#include "tools/jobstrand/output/printable.hpp"
#include "tools/jobstrand/output/progress.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace jobstrand::cli {

namespace {

using persistence::JobAnswer;
using schema::JobPlace;

/// A job may move while it is looked for: from the timers to the executable jobs, and from there to
/// the dead letters. It cannot do more in the time of these tries.
constexpr int kTries = 3;

/// Jobs that one transaction removes.
constexpr std::size_t kPage = 500;

/// Without the job that carries it on, a series would end unasked.
[[nodiscard]] bool carries_series_on(Session& session, const schema::Job& job) {
    return !job.repeat.empty() &&
           session.series_store().find_series(schema::series_key_of(job)).has_value();
}

[[nodiscard]] std::string why_kept(Session& session, const std::string& id) {
    const auto placed = session.store().find(id);
    if (!placed || !carries_series_on(session, placed->job)) {
        return {};
    }
    const std::string& key = schema::series_key_of(placed->job);
    return fmt::format(
        "job {} carries {} on: `jobstrand series end {}` removes it",
        quoted_if_needed(id),
        named(key),
        quoted_if_needed(key)
    );
}

[[nodiscard]] JobAnswer remove_one(Session& session, JobPlace place, const std::string& id) {
    return session.store().remove(place, std::span(&id, 1), session.database_now()).front();
}

[[nodiscard]] JobAnswer remove_anywhere(Session& session, const std::string& id) {
    JobAnswer answer = JobAnswer::not_found;
    for (int i = 0; i < kTries && answer == JobAnswer::not_found; ++i) {
        const auto placed = session.store().find(id);
        if (!placed) {
            break;
        }
        answer = remove_one(session, placed->place, id);
    }
    return answer;
}

[[nodiscard]] std::vector<JobPlace>
places_of(const std::optional<JobPlace>& place, const BulkSelection& selection) {
    if (!place && selection.is_by_id()) {
        return {schema::kJobPlaces.begin(), schema::kJobPlaces.end()};
    }
    return {place.value_or(JobPlace::executable)};
}

struct Tally {
    std::int64_t removed = 0;
    std::int64_t locked = 0;
    std::int64_t turns = 0;  ///< They carry series on, and stay.

    [[nodiscard]] bool is_all() const { return locked + turns == 0; }
};

[[nodiscard]] Tally
remove_matching(Session& session, JobPlace place, const persistence::JobFilter& filter) {
    persistence::JobDesk& store = session.store();
    const std::int64_t total = store.count(place, filter);
    Progress progress(session.streams(), session.clock(), "removed");
    Tally tally;
    std::string after;
    while (true) {
        std::vector<std::string> ids;
        const std::vector<schema::Job> page = store.list(place, filter, after, kPage);
        if (page.empty()) {
            return tally;
        }
        for (const schema::Job& job : page) {
            if (carries_series_on(session, job)) {
                ++tally.turns;
            } else {
                ids.push_back(job.id);
            }
        }
        for (const JobAnswer answer : store.remove(place, ids, session.database_now())) {
            tally.removed += answer == JobAnswer::done ? 1 : 0;
            tally.locked += answer == JobAnswer::locked ? 1 : 0;
        }
        after = page.back().id;
        progress.show(tally.removed, total);
    }
}

[[nodiscard]] ExitCode report(Session& session, const Tally& tally) {
    write_record(
        session.streams().out,
        session.format(),
        {number_field("removed", tally.removed), number_field("locked", tally.locked)}
    );
    if (tally.is_all()) {
        return ExitCode::done;
    }
    if (tally.locked > 0) {
        session.tell(fmt::format("jobstrand: {} jobs are held by a node and stay", tally.locked));
    }
    if (tally.turns > 0) {
        session.tell(fmt::format(
            "jobstrand: {} jobs carry series on and stay: see `jobstrand series end`", tally.turns
        ));
    }
    return tally.removed > 0 ? ExitCode::partly_done : ExitCode::refused;
}

}  // namespace

ExitCode remove_jobs(Session& session, const RemoveOptions& options) {
    const BulkSelection selection = selection_of(options.bulk);
    const auto place =
        options.place.empty() ? std::nullopt : std::optional(place_of(options.place));
    if (options.bulk.dry_run) {
        show_dry_run(session, places_of(place, selection), selection);
        return ExitCode::done;
    }
    if (selection.is_by_id()) {
        return for_each_id(
            session,
            selection.ids,
            "removed",
            [&](const std::string& id) {
                return place ? remove_one(session, *place, id) : remove_anywhere(session, id);
            },
            [&](const std::string& id) { return why_kept(session, id); }
        );
    }
    const JobPlace from = place.value_or(JobPlace::executable);
    const std::int64_t count = session.store().count(from, selection.filter);
    confirm(
        session,
        options.bulk.yes,
        fmt::format("This removes {} jobs of place {} for good.", count, name_of(from))
    );
    return report(session, remove_matching(session, from, selection.filter));
}

}  // namespace jobstrand::cli
