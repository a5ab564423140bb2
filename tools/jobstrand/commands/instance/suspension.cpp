#include "tools/jobstrand/commands/instance/suspension.hpp"

#include "tools/jobstrand/commands/option_values.hpp"

#include <fmt/format.h>

#include <map>

namespace jobstrand::cli {

namespace {

using persistence::InstanceSummary;

const std::vector<TableColumn>& moved_columns() {
    static const std::vector<TableColumn> columns{
        {.field = "id", .heading = "ID", .width_max = 64},
        {.field = "moved", .heading = "JOBS MOVED"},
    };
    return columns;
}

const std::vector<TableColumn>& instance_columns() {
    static const std::vector<TableColumn> columns{
        {.field = "id", .heading = "ID", .width_max = 64},
        {.field = "suspended", .heading = "SUSPENDED"},
        {.field = "places", .heading = "JOBS", .width_max = 80},
    };
    return columns;
}

/// `{"executable":2}` and `executable=2`: places without jobs are left out.
[[nodiscard]] RecordField places_field(const std::map<schema::JobPlace, std::int64_t>& jobs) {
    Record counts;
    std::string text;
    for (const auto& [place, count] : jobs) {
        counts.push_back(number_field(name_of(place), count));
        text += fmt::format("{}{}={}", text.empty() ? "" : " ", name_of(place), count);
    }
    return {.name = "places", .json = json_of(counts), .text = text};
}

[[nodiscard]] Record record_of(const InstanceSummary& instance) {
    return {
        text_field("id", instance.id),
        flag_field("suspended", instance.suspended),
        places_field(instance.jobs),
    };
}

}  // namespace

ExitCode change_suspension(Session& session, const SuspensionOptions& options) {
    for (const std::string& id : options.ids) {
        (void)id_of("the id", id);
    }
    RecordWriter writer(session.streams().out, session.format(), moved_columns());
    persistence::SuspensionDesk& desk = session.suspension_desk();
    for (const std::string& id : options.ids) {
        const schema::TimePoint now = session.database_now();
        const std::int64_t moved = options.activate ? desk.activate(options.scope, id, now)
                                                    : desk.suspend(options.scope, id, now);
        writer.add({text_field("id", id), number_field("moved", moved)});
    }
    writer.finish();
    return ExitCode::done;
}

ExitCode list_instances(Session& session, const InstanceListOptions& options) {
    const std::size_t limit = limit_of(options.limit);
    std::vector<InstanceSummary> instances =
        session.suspension_desk().instances(options.after, limit + 1);
    const bool is_cut = instances.size() > limit;
    if (is_cut) {
        instances.resize(limit);
    }
    RecordWriter writer(session.streams().out, session.format(), instance_columns());
    for (const InstanceSummary& instance : instances) {
        writer.add(record_of(instance));
    }
    writer.finish();
    if (is_cut) {
        session.tell(fmt::format("there are more: go on with --after {}", instances.back().id));
    }
    return ExitCode::done;
}

}  // namespace jobstrand::cli
