#include "tools/operations/nouns.hpp"
#include "tools/output/fields.hpp"
#include "tools/output/record.hpp"
#include "tools/records/stats_json.hpp"
#include "tools/session/session.hpp"
#include "tools/text/terminal_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <vector>

namespace jobstrand::cli {

using deadletter::ExternalTopic;
using deadletter::PlaceCount;
using deadletter::PlacedTypeCount;
using persistence::JobKind;
using persistence::UnservedJobs;

namespace {

/// `[{"lockOwner":"web-1:4711:...","jobs":2}]` and `web-1:4711:... 2`.
[[nodiscard]] RecordField owners_field(const PlacedTypeCount& line) {
    std::vector<Record> records;
    std::vector<std::string> words;
    for (const auto& [type, owner, jobs] : line.owners) {
        records.push_back({text_field("lockOwner", owner), number_field("jobs", jobs)});
        words.push_back(fmt::format("{} {}", owner, jobs));
    }
    return records_field({}, records, fmt::format("{}", fmt::join(words, ", ")));
}

[[nodiscard]] const Fields<PlacedTypeCount>& type_stats_fields() {
    using persistence::TypeCount;
    using persistence::TypeRuns;
    const auto count = [](auto member) {
        return [member](const PlacedTypeCount& line) { return line.count.*member; };
    };
    const auto runs = [](auto member) {
        return [member](const PlacedTypeCount& line) {
            return line.runs ? std::optional((*line.runs).*member) : std::nullopt;
        };
    };
    static const Fields<PlacedTypeCount> all{
        {.name = "handlerType",
         .value = count(&TypeCount::handler_type),
         .column = {.heading = "TYPE", .width_max = 64}},
        {.name = "place", .value = &PlacedTypeCount::place, .column = {.heading = "PLACE"}},
        {.name = "jobs", .value = count(&TypeCount::jobs), .column = {.heading = "JOBS"}},
        {.name = "runsLastMinute",
         .value = runs(&TypeRuns::runs),
         .column = {.heading = "RUNS/MIN", .rank = 1}},
        {.name = "failedLastMinute",
         .value = runs(&TypeRuns::failed),
         .column = {.heading = "FAILED/MIN", .rank = 2}},
        {.name = "locked",
         .value = count(&TypeCount::locked),
         .column = {.heading = "LOCKED", .rank = 2}},
        {.name = "oldest",
         .value = count(&TypeCount::oldest),
         .meaning = "When the first was created",
         .column = {.heading = "OLDEST", .rank = 1}},
        {.name = "lockedBy",
         .value = {owners_field, {.name = ""}},
         .meaning = "Who holds how many: `lockOwner` and `jobs`",
         .column =
             {.heading = "LOCKED BY",
              .width_max = 80,
              .is_optional = true,
              .rank = 3,
              .width_least = 16}},
        {.name = "lookedAt",
         .value = &PlacedTypeCount::looked_at,
         .meaning =
             "Of how many jobs of the place, the first in id order, these are; null: of all"},
    };
    return all;
}

/// `stats --by-type` and `type ls`: a line for each handler type and place, with the oldest job and
/// who holds how many. Reads all jobs, or the first ones where it is to be answered soon.
void write_type_stats(Session& session, bool is_soon) {
    const auto runs = session.nodes().runs_of_last_minute(session.database_now());
    const auto most = is_soon ? std::optional(deadletter::kRowsSoon) : std::nullopt;
    const std::vector<PlacedTypeCount> lines = session.search().count_types(runs, most);
    for (const PlacedTypeCount& line : lines) {
        if (line.looked_at) {
            session.note_looked_at(*line.looked_at);
        }
    }
    write_list(session, type_stats_fields(), lines);
    if (session.looked_at()) {
        session.tell(
            "only the first {} jobs of full places are counted; without --soon all are",
            *session.looked_at()
        );
    }
}

struct StatsOptions {
    bool by_type = false;
};

struct TypeListing {
    bool soon = false;
};

[[nodiscard]] const Fields<PlaceCount>& place_fields() {
    static const Fields<PlaceCount> all{
        {.name = "place", .value = &PlaceCount::place, .column = {.heading = "PLACE"}},
        {.name = "jobs", .value = &PlaceCount::jobs, .column = {.heading = "JOBS"}},
        {.name = "locked", .value = &PlaceCount::locked, .column = {.heading = "LOCKED"}},
    };
    return all;
}

/// What nodes are limited to, as far as that keeps these jobs from them.
[[nodiscard]] std::string limits_in_words(const JobKind& kind) {
    std::string text;
    const auto add = [&](std::string_view name, const std::string& value) {
        if (!value.empty()) {
            text += fmt::format(", {} {}", name, quoted_if_needed(value));
        }
    };
    add("category", kind.category);
    add("tenant", kind.tenant_id);
    add("definition", kind.process_definition_id);
    if (kind.priority) {
        text += fmt::format(", priority {}", *kind.priority);
    }
    return text;
}

/// For people; in JSON it is part of the object.
void print_unserved(Session& session, const std::vector<UnservedJobs>& unserved) {
    for (const auto& [kind, jobs] : unserved) {
        session.tell(
            "nobody serves {}{}{}: {}",
            quoted_if_needed(kind.handler_type),
            kind.needs.empty() ? "" : " that needs " + quoted_if_needed(kind.needs),
            limits_in_words(kind),
            counted(jobs, "job waits", "jobs wait")
        );
    }
}

void print_abandoned(Session& session, const std::vector<ExternalTopic>& external) {
    for (const ExternalTopic& topic : external) {
        if (topic.is_abandoned()) {
            session.tell(
                "no external worker asks for {}: {}",
                quoted_if_needed(topic.topic),
                counted(topic.waiting, "job waits", "jobs wait")
            );
        }
    }
}

ExitCode show_stats(Session& session, const StatsOptions& options) {
    if (options.by_type) {
        write_type_stats(session, false);
        return ExitCode::done;
    }
    const std::vector<PlaceCount> counts = session.search().count_places();
    std::vector<UnservedJobs> unserved;
    std::vector<ExternalTopic> external;
    if (!session.is_narrowed()) {
        unserved = session.served().unserved(session.database_now());
        external = deadletter::external_topics(
            session.engine().watch_store(), session.engine().node_store(), session.database_now()
        );
    }
    const OutputFormat format = session.format();
    if (format == OutputFormat::json || format == OutputFormat::jsonl) {
        Record record = cli::record_of(counts, unserved);
        std::ranges::move(
            cli::record_of(session.nodes().runs_of_last_minute(session.database_now()), external),
            std::back_inserter(record)
        );
        write_result(session, record);
    } else {
        write_list(session, place_fields(), counts);
        print_unserved(session, unserved);
        print_abandoned(session, external);
    }
    return ExitCode::done;
}

ExitCode list_types(Session& session, const TypeListing& options) {
    write_type_stats(session, options.soon);
    return ExitCode::done;
}

}  // namespace

OperationNoun type_noun() {
    return {
        .name = "type",
        .summary = "Handler types: how many jobs of each stand where",
        .examples = "  jobstrand type ls",
        .operations = {writing_operation<TypeListing>(
            {.words = "type ls",
             .summary = "List handler types by place, with the runs of the last minute, the oldest "
                        "job and who holds how many",
             .examples = "  jobstrand type ls\n"
                         "  jobstrand type ls --soon -o json",
             .role = service::Role::read,
             .path = "GET /api/v1/types",
             .honours_scope = true},
            {{"--soon", &TypeListing::soon, kSoon}},
            {.kind = DescribedResult::Kind::list, .fields = described(type_stats_fields())},
            list_types
        )}};
}

OperationNoun stats_verb() {
    return {
        .operations = {writing_operation<StatsOptions>(
            {.words = "stats",
             .summary = "Count the jobs of each place, and those that nobody serves",
             .examples = "  jobstrand stats\n"
                         "  jobstrand stats --by-type\n"
                         "  jobstrand stats -o json | jq .places.dead",
             .role = service::Role::read,
             .honours_scope = true},
            {{"--by-type",
              &StatsOptions::by_type,
              "By handler type, with the runs of the last minute, the oldest job and who holds "
              "how many"}},
            {},
            show_stats
        )}};
}

}  // namespace jobstrand::cli
