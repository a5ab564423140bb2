#include "tools/jobstrand/commands/nouns.hpp"

namespace jobstrand::cli {

namespace {

using deadletter::PlaceCount;

struct StatsOptions {};

const std::vector<TableColumn>& columns() {
    static const std::vector<TableColumn> both{
        {.field = "place", .heading = "PLACE"},
        {.field = "jobs", .heading = "JOBS"},
        {.field = "locked", .heading = "LOCKED"},
    };
    return both;
}

void write_rows(Session& session, const std::vector<PlaceCount>& counts) {
    RecordWriter writer(session.streams().out, session.format(), columns());
    for (const PlaceCount& count : counts) {
        writer.add({
            text_field("place", name_of(count.place)),
            number_field("jobs", count.jobs),
            count.locked ? number_field("locked", *count.locked) : text_or_null_field("locked", {}),
        });
    }
    writer.finish();
}

void write_object(Session& session, const std::vector<PlaceCount>& counts) {
    Record places;
    Record locked;
    for (const PlaceCount& count : counts) {
        places.push_back(number_field(name_of(count.place), count.jobs));
        if (count.locked) {
            locked.push_back(number_field(name_of(count.place), *count.locked));
        }
    }
    const Record all{
        {.name = "places", .json = json_of(places), .text = {}},
        {.name = "locked", .json = json_of(locked), .text = {}},
    };
    write_record(session.streams().out, session.format(), all);
}

ExitCode show_stats(Session& session, const StatsOptions&) {
    const std::vector<PlaceCount> counts = session.search().count_places();
    const OutputFormat format = session.format();
    if (format == OutputFormat::json || format == OutputFormat::jsonl) {
        write_object(session, counts);
    } else {
        write_rows(session, counts);
    }
    return ExitCode::done;
}

}  // namespace

void add_stats_command(const Command& program, Action& action) {
    (void)add_verb<StatsOptions>(
        program,
        action,
        {.name = "stats",
         .summary = "Count the jobs of each place",
         .examples = "  jobstrand stats\n"
                     "  jobstrand stats -o json | jq .places.dead"},
        show_stats
    );
}

}  // namespace jobstrand::cli
