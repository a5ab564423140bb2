#include "timers/series/series_problems.hpp"
#include "tools/operations/job/job_enqueueing.hpp"
#include "tools/operations/nouns.hpp"
#include "tools/parameters/bulk_changes.hpp"
#include "tools/parameters/schedule_options.hpp"
#include "tools/records/series_json.hpp"
#include "tools/text/terminal_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace jobstrand::cli {

namespace {

using deadletter::ItemAnswer;
using deadletter::ItemResult;
using deadletter::Refusal;
using deadletter::SeriesChange;
using persistence::SeriesFilter;
using persistence::SeriesSummary;
using timers::Zone;

struct SeriesListing {
    SeriesFilter filter;
    Zone zone = Zone::utc();
    PageRequest page;
};

struct SeriesKey {
    std::string key;
    Zone zone = Zone::utc();
};

struct SeriesChoice {
    std::optional<std::vector<std::string>> keys;
    std::optional<std::string> group;
    BulkFlags bulk;
};

struct SeriesRescheduling {
    std::string key;
    SeriesTimesOptions times;
    bool no_calendar = false;
};

/// How a change is spoken of.
struct ChangeWords {
    std::string_view acts;  ///< What it does with series, for the question: "pauses".
    std::string_view done;  ///< What happened to each: "paused".
};

[[nodiscard]] ChangeWords words_of(SeriesChange change) {
    switch (change) {
        case SeriesChange::pause:
            return {.acts = "pauses", .done = "paused"};
        case SeriesChange::resume:
            return {.acts = "resumes", .done = "resumed"};
        case SeriesChange::fire:
            return {.acts = "runs an extra job of each of", .done = "fired"};
        case SeriesChange::end:
            return {.acts = "ends", .done = "ended"};
        case SeriesChange::remove:
            break;
    }
    return {.acts = "removes for good, since they have ended,", .done = "removed"};
}

[[nodiscard]] std::string no_such_series(const std::string& key) {
    return "there is no " + named_series(key);
}

[[nodiscard]] std::string why_refused(const ItemResult& item) {
    const std::string key = quoted_if_needed(item.id);
    switch (item.refusal) {
        case Refusal::series_has_not_ended:
            return fmt::format(
                "{} has not ended: `jobstrand series end {}` first", named_series(item.id), key
            );
        case Refusal::series_has_no_turn:
            return fmt::format(
                "{} has lost its turn, somebody has deleted its row: `jobstrand series resume {}`",
                named_series(item.id),
                key
            );
        case Refusal::group_is_paused:
            return fmt::format(
                "{} stays paused, because its group is: `jobstrand group resume {}`",
                named_series(item.id),
                quoted_if_needed(item.group)
            );
        default:
            return named_series(item.id) + " has ended";
    }
}

[[nodiscard]] std::string why_not_series(const ItemResult& item) {
    switch (item.answer) {
        case ItemAnswer::not_found:
            return no_such_series(item.id);
        case ItemAnswer::locked:
            return fmt::format(
                "the next turn of {} is just being taken: try again", named_series(item.id)
            );
        case ItemAnswer::done:
        case ItemAnswer::unchanged:
        case ItemAnswer::refused:
            break;
    }
    return why_refused(item);
}

[[nodiscard]] ItemWords item_words_of(SeriesChange change) {
    const bool is_fire = change == SeriesChange::fire;
    return {
        .done = words_of(change).done,
        .field = "series",
        .detail = is_fire ? "jobId" : "",
        .why_not =
            [is_fire](const ItemResult& item) {
                const bool has_ended = item.refusal == Refusal::series_has_ended;
                return why_not_series(item) +
                       (is_fire && has_ended ? ": there is no turn to run" : "");
            },
    };
}

[[nodiscard]] SeriesSummary find_series(Session& session, const std::string& key) {
    auto summary = session.series_store().find_series(key);
    if (!summary) {
        throw NotFound(no_such_series(key));
    }
    return *std::move(summary);
}

[[nodiscard]] schema::Page<SeriesSummary>
list_series(Session& session, const SeriesListing& wanted) {
    return session.series().list(wanted.filter, wanted.page.after, wanted.page.limit);
}

[[nodiscard]] SeriesSummary show_series(Session& session, const SeriesKey& wanted) {
    return find_series(session, wanted.key);
}

[[nodiscard]] ExitCode show_dry_run(Session& session, std::vector<SeriesSummary> series) {
    session.tell("{} series would be changed; nothing was", series.size());
    series.resize(std::min(series.size(), kDryRunSample));
    write_list(session, series_fields(), series);
    return ExitCode::done;
}

[[nodiscard]] std::vector<std::string> keys_of(const std::vector<SeriesSummary>& series) {
    std::vector<std::string> keys;
    for (const SeriesSummary& summary : series) {
        keys.push_back(summary.series.key);
    }
    return keys;
}

template <SeriesChange change>
[[nodiscard]] ExitCode change_series(Session& session, const SeriesChoice& wanted) {
    require_one_way(
        {wanted.keys.has_value(), wanted.group.has_value(), wanted.bulk.all},
        "say which series: keys, --group NAME, or --all",
        "keys, --group and --all exclude each other"
    );
    deadletter::SeriesAdmin admin = session.series();
    std::vector<std::string> keys = wanted.keys.value_or(std::vector<std::string>());
    const bool is_nothing = wanted.keys && keys.empty();
    if (wanted.bulk.dry_run && !is_nothing) {
        return show_dry_run(session, admin.select({.keys = keys, .group = wanted.group}, change));
    }
    if (!wanted.keys) {
        keys = keys_of(admin.select({.keys = {}, .group = wanted.group}, change));
        confirm(
            session,
            wanted.bulk.yes,
            fmt::format("This {} {} series.", words_of(change).acts, keys.size())
        );
    }
    ItemReport report(session, item_words_of(change));
    admin.change(change, keys, report.watch());
    return report.finish();
}

[[nodiscard]] schema::Series
new_times(Session& session, schema::Series series, const SeriesRescheduling& wanted) {
    if (!wanted.times.repeat) {
        throw WrongUsage("say when it repeats from now on: --repeat TEXT");
    }
    if (wanted.no_calendar && wanted.times.calendar) {
        throw WrongUsage("--calendar and --no-calendar exclude each other");
    }
    series.start.reset();
    series.end.reset();
    if (wanted.no_calendar) {
        series.calendar.clear();
    }
    set_times(session, series, wanted.times);
    return series;
}

void refuse_bad_times(Session& session, const schema::Series& times) {
    const JobCheckContext context = job_check_context(session);
    const auto problems =
        timers::problems_of_new(times, context.calendars, std::nullopt, context.now);
    if (!problems.empty()) {
        throw WrongUsage("{}", fmt::join(problems, "\n"));
    }
}

/// Zone, rule for changed clocks, calendar and misfire instruction stay unless they are given;
/// start and end belonged to the old repeat and do not.
[[nodiscard]] ExitCode reschedule_series(Session& session, const SeriesRescheduling& wanted) {
    const schema::Series times =
        new_times(session, find_series(session, wanted.key).series, wanted);
    refuse_bad_times(session, times);
    const ItemResult item = session.series().reschedule(times);
    if (item.answer == ItemAnswer::refused) {
        throw Refused(why_not_series(item));
    }
    ItemReport report(
        session, {.done = "rescheduled", .field = "series", .why_not = why_not_series}
    );
    report.add(item);
    return report.finish();
}

void read_condition(
    SeriesFilter& filter,
    const std::string& word,
    const ParameterReading& reading
) {
    filter.condition = persistence::series_condition_named(word);
    if (!filter.condition) {
        refuse_parameter(
            reading, " must be waiting, running, paused or ended, not " + quoted_if_needed(word)
        );
    }
}

[[nodiscard]] Parameters<SeriesListing> series_listing() {
    const Parameters<SeriesFilter> filter{
        {"--group", &SeriesFilter::group, "Only those of a group", {.unit = "NAME"}},
        {"--state", read_condition, "waiting, running, paused or ended", {.unit = "STATE"}},
    };
    return joined(
        of_part(filter, &SeriesListing::filter),
        Parameters<SeriesListing>{{"--zone", &SeriesListing::zone, kShownZone, {.unit = "ZONE"}}},
        of_part(page_parameters(), &SeriesListing::page)
    );
}

[[nodiscard]] Parameters<SeriesChoice> series_choice() {
    return joined(
        Parameters<SeriesChoice>{
            {"keys", &SeriesChoice::keys, "The series", {.unit = "KEY"}},
            {"--group",
             &SeriesChoice::group,
             "All series that are in a group now",
             {.unit = "NAME"}}},
        of_part(bulk_parameters(), &SeriesChoice::bulk)
    );
}

[[nodiscard]] Parameters<SeriesRescheduling> rescheduling() {
    const Parameters<SeriesTimesOptions> repeat{
        {"--repeat",
         &SeriesTimesOptions::repeat,
         "R/PT10M, '0 0 12 ? * MON-FRI', ...",
         {.unit = "TEXT", .may_be_empty = true}}};
    return joined(
        Parameters<SeriesRescheduling>{
            {"key",
             &SeriesRescheduling::key,
             "The series",
             {.unit = "KEY", .is_required = true, .may_be_empty = true}}},
        of_part(joined(repeat, series_times_parameters()), &SeriesRescheduling::times),
        Parameters<SeriesRescheduling>{
            {"--no-calendar", &SeriesRescheduling::no_calendar, "Nothing is left out any more"}}
    );
}

template <SeriesChange change>
[[nodiscard]] Operation change_operation(OperationText text) {
    return writing_operation(std::move(text), series_choice(), described_items("series"), change_series<change>);
}

}  // namespace

OperationNoun series_noun() {
    return {
        .name = "series",
        .summary = "Jobs that repeat; `job add --repeat` begins one, KEY names it",
        .examples =
            "  jobstrand job add --type log --series hourly --repeat R/PT1H\n"
            "  jobstrand series ls\n"
            "  jobstrand series pause hourly",
        .operations =
            {
                page_operation(
                    {.words = "series ls",
                     .summary = "List series, in the order of their keys",
                     .examples = "  jobstrand series ls\n"
                                 "  jobstrand series ls --group reports --state paused -o name\n"
                                 "  jobstrand series ls --zone Europe/Berlin -o csv",
                     .role = service::Role::read,
                     .path = "GET /api/v1/series"},
                    series_listing(),
                    series_fields(),
                    list_series
                ),
                record_operation<SeriesKey>(
                    {.words = "series show",
                     .summary = "Show a series with all its fields",
                     .examples = "  jobstrand series show nightly -o json",
                     .role = service::Role::read,
                     .path = "GET /api/v1/series/{series}"},
                    {{"key",
                      &SeriesKey::key,
                      "The series; - reads them from stdin",
                      {.unit = "KEY", .is_required = true, .may_be_empty = true}},
                     {"--zone", &SeriesKey::zone, kShownZone, {.unit = "ZONE"}}},
                    series_fields(),
                    show_series
                ),
                change_operation<SeriesChange::pause>(
                    {.words = "series pause",
                     .summary = "Keep the turns of series waiting until they are resumed",
                     .examples = "  jobstrand series pause nightly\n"
                                 "  jobstrand series pause --group reports --dry-run",
                     .path = "POST /api/v1/series/pause"}
                ),
                change_operation<SeriesChange::resume>(
                    {.words = "series resume",
                     .summary = "Let paused series go on; missed turns are up to their misfire "
                                "instruction",
                     .examples = "  jobstrand series resume nightly",
                     .path = "POST /api/v1/series/resume"}
                ),
                writing_operation(
                    {.words = "series reschedule",
                     .summary = "Give a series another repeat, under which it begins anew",
                     .examples =
                         "  jobstrand series reschedule nightly --repeat '0 30 3 * * ?'\n"
                         "  jobstrand series reschedule poll --repeat R/PT5M --misfire none",
                     .path = "POST /api/v1/series/{series}/reschedule"},
                    rescheduling(),
                    described_items("series"),
                    reschedule_series
                ),
                change_operation<SeriesChange::fire>(
                    {.words = "series fire",
                     .summary =
                         "Run an extra job of each series now; the series itself goes on as it was",
                     .examples = "  jobstrand series fire nightly -o json",
                     .path = "POST /api/v1/series/fire"}
                ),
                change_operation<SeriesChange::end>(
                    {.words = "series end",
                     .summary = "Take no further turn; what runs may finish",
                     .examples = "  jobstrand series end nightly\n"
                                 "  jobstrand series end --group reports --yes",
                     .path = "POST /api/v1/series/end"}
                ),
                change_operation<SeriesChange::remove>(
                    {.words = "series rm",
                     .summary = "Forget series that have ended",
                     .examples = "  jobstrand series rm nightly\n"
                                 "  jobstrand series rm --all --yes",
                     .path = "POST /api/v1/series/rm"}
                ),
            },
    };
}

}  // namespace jobstrand::cli
