#include "tools/jobstrand/commands/job_removal.hpp"

#include "tools/jobstrand/commands/item_report.hpp"
#include "tools/jobstrand/commands/job_listing.hpp"
#include "tools/jobstrand/output/progress.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace jobstrand::cli {

namespace {

using persistence::Answer;
using schema::JobPlace;

/// A job may move while it is looked for: from the timers to the executable jobs, and from there to
/// the dead letters. It cannot do more in the time of these tries.
constexpr int kTries = 3;

/// Jobs that one transaction removes.
constexpr std::size_t kPage = 500;

[[nodiscard]] Answer remove_one(Session& session, JobPlace place, const std::string& id) {
    return session.store().remove(place, std::span(&id, 1), session.database_now()).front();
}

[[nodiscard]] Answer remove_anywhere(Session& session, const std::string& id) {
    Answer answer = Answer::not_found;
    for (int i = 0; i < kTries && answer == Answer::not_found; ++i) {
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
};

[[nodiscard]] Tally
remove_matching(Session& session, JobPlace place, const persistence::JobFilter& filter) {
    persistence::JobStore& store = session.store();
    const std::int64_t total = store.count(place, filter);
    Progress progress(session.streams(), session.clock(), "removed");
    Tally tally;
    std::string after;
    while (true) {
        std::vector<std::string> ids;
        for (schema::Job& job : store.list(place, filter, after, kPage)) {
            ids.push_back(std::move(job.id));
        }
        if (ids.empty()) {
            return tally;
        }
        for (const Answer answer : store.remove(place, ids, session.database_now())) {
            tally.removed += answer == Answer::done ? 1 : 0;
            tally.locked += answer == Answer::locked ? 1 : 0;
        }
        after = ids.back();
        progress.show(tally.removed, total);
    }
}

[[nodiscard]] ExitCode report(Session& session, const Tally& tally) {
    write_record(
        session.streams().out,
        session.format(),
        {number_field("removed", tally.removed), number_field("locked", tally.locked)}
    );
    if (tally.locked == 0) {
        return ExitCode::done;
    }
    session.tell(fmt::format("jobstrand: {} jobs are held by a node and stay", tally.locked));
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
        return for_each_id(session, selection.ids, "removed", [&](const std::string& id) {
            return place ? remove_one(session, *place, id) : remove_anywhere(session, id);
        });
    }
    const JobPlace from = place.value_or(JobPlace::executable);
    const std::int64_t count = session.store().count(from, selection.filter);
    confirm(
        session,
        options.bulk,
        fmt::format("This removes {} jobs of place {} for good.", count, name_of(from))
    );
    return report(session, remove_matching(session, from, selection.filter));
}

}  // namespace jobstrand::cli
