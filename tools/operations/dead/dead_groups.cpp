#include "tools/operations/dead/dead_groups.hpp"

#include "deadletter/causes/cause_tally.hpp"
#include "tools/output/progress.hpp"
#include "tools/parameters/listing.hpp"
#include "tools/parameters/option_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace jobstrand::cli {

namespace {

using deadletter::CauseGroup;
using deadletter::CauseSummary;

[[nodiscard]] CauseSummary read_dead_causes(Session& session, const GroupsOptions& options) {
    if (options.soon) {
        return deadletter::latest_causes(
            session.store(), deadletter::kRowsSoon, filter_of(session, options.filter)
        );
    }
    Progress progress(session.streams(), session.clock(), "read");
    return session.dead_letters().causes(
        filter_of(session, options.filter),
        {.on_page =
             [&](const deadletter::BulkCounts& counts) {
                 progress.show(counts.done, counts.total);
                 if (session.must_stop()) {
                     throw CliError(ExitCode::failed, "the service stops: ask again");
                 }
                 return true;
             }}
    );
}

}  // namespace

const Fields<CauseGroup>& dead_group_fields() {
    const auto of_cause = [](auto member) {
        return [member](const CauseGroup& group) { return group.cause.*member; };
    };
    using deadletter::FailureCause;
    static const Fields<CauseGroup> all{
        {.name = "group",
         .value = &CauseGroup::id,
         .meaning = "What `dead requeue --group` takes",
         .column = {.heading = "GROUP"}},
        {.name = "jobs", .value = &CauseGroup::jobs, .column = {.heading = "JOBS"}},
        {.name = "handlerType",
         .value = of_cause(&FailureCause::handler_type),
         .column = {.heading = "TYPE", .rank = 1},
         .is_null_if_empty = true},
        {.name = "errorClass",
         .value = of_cause(&FailureCause::error_class),
         .column = {.heading = "ERROR", .width_max = 64, .rank = 2, .width_least = 12},
         .is_null_if_empty = true},
        {.name = "message",
         .value = of_cause(&FailureCause::message),
         .column =
             {.heading = "MESSAGE",
              .width_max = 80,
              .rank = 2,
              .width_least = 16,
              .tone = Tone::bad},
         .is_null_if_empty = true},
        {.name = "firstFailedTime",
         .value = &CauseGroup::first_failed,
         .column = {.heading = "FIRST", .rank = 4},
         .place = 2},
        {.name = "lastFailedTime",
         .value = &CauseGroup::last_failed,
         .column = {.heading = "LAST", .rank = 3},
         .place = 1},
        {.name = "exampleId",
         .value = &CauseGroup::example,
         .column = {.heading = "EXAMPLE", .width_max = 64, .is_job_id = true, .rank = 5},
         .place = 3},
        {.name = "lookedAt",
         .value = &CauseGroup::looked_at,
         .meaning = "Of how many of the latest dead letters these are; null: of all"},
    };
    return all;
}

ExitCode list_causes(Session& session, const GroupsOptions& options) {
    const std::size_t limit = limit_of(session, options.limit);
    const CauseSummary summary = read_dead_causes(session, options);
    write_items(
        session,
        std::vector<CauseGroup>(
            summary.groups.begin(),
            summary.groups.begin() +
                static_cast<std::ptrdiff_t>(std::min(limit, summary.groups.size()))
        ),
        columns_of(dead_group_fields()),
        [](const CauseGroup& group) { return record_of(dead_group_fields(), group); }
    );
    if (summary.looked_at) {
        session.note_looked_at(*summary.looked_at);
        session.tell(fmt::format(
            "these are of the latest {} dead letters; without --soon all are read",
            *summary.looked_at
        ));
    }
    if (summary.groups.size() > limit) {
        session.tell(fmt::format(
            "there are {} more groups: say --limit, or a filter", summary.groups.size() - limit
        ));
    }
    if (summary.others > 0) {
        session.tell(fmt::format(
            "{} dead letters are of further causes than the {} that are told apart: take a filter",
            summary.others,
            deadletter::kCausesKept
        ));
    }
    return ExitCode::done;
}

}  // namespace jobstrand::cli
