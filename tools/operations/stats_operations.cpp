#include "tools/operations/database/type_stats.hpp"
#include "tools/operations/nouns.hpp"
#include "tools/records/stats_json.hpp"
#include "tools/text/printable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace jobstrand::cli {

namespace {

using deadletter::ExternalTopic;
using deadletter::PlaceCount;
using persistence::JobKind;
using persistence::UnservedJobs;

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
        session.tell(fmt::format(
            "nobody serves {}{}{}: {} jobs wait",
            quoted_if_needed(kind.handler_type),
            kind.needs.empty() ? "" : " that needs " + quoted_if_needed(kind.needs),
            limits_in_words(kind),
            jobs
        ));
    }
}

void print_abandoned(Session& session, const std::vector<ExternalTopic>& external) {
    for (const ExternalTopic& topic : external) {
        if (topic.is_abandoned()) {
            session.tell(fmt::format(
                "no external worker asks for {}: {} jobs wait",
                quoted_if_needed(topic.topic),
                topic.waiting
            ));
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
