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

const std::vector<TableColumn>& type_stats_columns() {
    static const std::vector<TableColumn> all{
        {.field = "handlerType", .heading = "TYPE", .width_max = 64},
        {.field = "place", .heading = "PLACE"},
        {.field = "jobs", .heading = "JOBS"},
        {.field = "runsLastMinute", .heading = "RUNS/MIN", .rank = 1},
        {.field = "failedLastMinute", .heading = "FAILED/MIN", .rank = 2},
        {.field = "locked", .heading = "LOCKED", .rank = 2},
        {.field = "oldest", .heading = "OLDEST", .rank = 1},
        {.field = "lockedBy",
         .heading = "LOCKED BY",
         .width_max = 80,
         .is_optional = true,
         .rank = 3,
         .width_least = 16},
    };
    return all;
}

/// `[{"lockOwner":"web-1:4711:...","jobs":2}]` and `web-1:4711:... 2`.
[[nodiscard]] RecordField owners_field(const std::vector<persistence::OwnerCount>& owners) {
    std::vector<std::string> objects;
    std::vector<std::string> words;
    for (const auto& [type, owner, jobs] : owners) {
        objects.push_back(json_of(Record{text_field("lockOwner", owner), number_field("jobs", jobs)}
        ));
        words.push_back(fmt::format("{} {}", owner, jobs));
    }
    return {
        .name = "lockedBy",
        .json = fmt::format("[{}]", fmt::join(objects, ",")),
        .text = fmt::format("{}", fmt::join(words, ", ")),
    };
}

[[nodiscard]] Record line_of(const PlacedTypeCount& line) {
    return {
        text_field("handlerType", line.count.handler_type),
        text_field("place", name_of(line.place)),
        number_field("jobs", line.count.jobs),
        line.runs ? number_field("runsLastMinute", line.runs->runs)
                  : text_or_null_field("runsLastMinute", {}),
        line.runs ? number_field("failedLastMinute", line.runs->failed)
                  : text_or_null_field("failedLastMinute", {}),
        number_field("locked", line.count.locked),
        time_field("oldest", line.count.oldest),
        owners_field(line.owners),
        line.looked_at ? number_field("lookedAt", static_cast<std::int64_t>(*line.looked_at))
                       : text_or_null_field("lookedAt", {}),
    };
}

[[nodiscard]] std::vector<DescribedField> described_type_stats() {
    return {
        {"handlerType", {}, {}},
        {"place", {}, {}},
        {"jobs", {}, {.name = "integer"}},
        {"runsLastMinute", {}, {.name = "integer", .is_nullable = true}},
        {"failedLastMinute", {}, {.name = "integer", .is_nullable = true}},
        {"locked", {}, {.name = "integer"}},
        {"oldest", "When the first was created", {.format = "date-time", .is_nullable = true}},
        {"lockedBy", "Who holds how many: `lockOwner` and `jobs`", {.name = ""}},
        {"lookedAt",
         "Of how many jobs of the place, the first in id order, these are; null: of all",
         {.name = "integer", .is_nullable = true}},
    };
}

/// `stats --by-type` and `type ls`: a line for each handler type and place, with the oldest job and
/// who holds how many. Reads all jobs, or the first ones where it is to be answered soon.
void write_type_stats(Session& session, bool is_soon) {
    OutputStyle style = session.style();
    const schema::TimePoint now = session.database_now();
    if (style.columns) {
        style.now = now;
    }
    RecordWriter writer(session.streams().out, session.format(), type_stats_columns(), style);
    const auto runs = session.nodes().runs_of_last_minute(now);
    const auto most = is_soon ? std::optional(deadletter::kRowsSoon) : std::nullopt;
    for (const PlacedTypeCount& line : session.search().count_types(runs, most)) {
        if (line.looked_at) {
            session.note_looked_at(*line.looked_at);
        }
        writer.add(line_of(line));
    }
    writer.finish();
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

const std::vector<TableColumn>& stats_columns() {
    static const std::vector<TableColumn> both{
        {.field = "place", .heading = "PLACE"},
        {.field = "jobs", .heading = "JOBS"},
        {.field = "locked", .heading = "LOCKED"},
    };
    return both;
}

void write_counts(Session& session, const std::vector<PlaceCount>& counts) {
    RecordWriter writer(session.streams().out, session.format(), stats_columns(), session.style());
    for (const PlaceCount& count : counts) {
        writer.add({
            text_field("place", name_of(count.place)),
            number_field("jobs", count.jobs),
            count.locked ? number_field("locked", *count.locked) : text_or_null_field("locked", {}),
        });
    }
    writer.finish();
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

void write_stats(
    Session& session,
    const std::vector<PlaceCount>& counts,
    const std::vector<UnservedJobs>& unserved,
    const std::vector<ExternalTopic>& external
) {
    Record record = cli::record_of(counts, unserved);
    std::ranges::move(
        cli::record_of(session.nodes().runs_of_last_minute(session.database_now()), external),
        std::back_inserter(record)
    );
    write_record(session.streams().out, session.format(), record, session.style());
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
        write_stats(session, counts, unserved, external);
    } else {
        write_counts(session, counts);
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
            {.kind = DescribedResult::Kind::list, .fields = described_type_stats()},
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
