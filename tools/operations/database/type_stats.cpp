#include "tools/operations/database/type_stats.hpp"

#include "tools/output/time_field.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace jobstrand::cli {

namespace {

using deadletter::PlacedTypeCount;

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

}  // namespace

std::vector<DescribedField> described_type_stats() {
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
        session.tell(fmt::format(
            "only the first {} jobs of full places are counted; without --soon all are",
            *session.looked_at()
        ));
    }
}

}  // namespace jobstrand::cli
