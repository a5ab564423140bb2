#include "tools/jobstrand/commands/instance/suspension.hpp"

#include "tools/jobstrand/commands/listing.hpp"
#include "tools/jobstrand/commands/option_values.hpp"
#include "tools/jobstrand/commands/typed_ids.hpp"
#include "tools/jobstrand/output/printable.hpp"
#include "tools/jobstrand/output/time_field.hpp"

#include <fmt/format.h>

#include <map>

namespace jobstrand::cli {

namespace {

using persistence::ScopeSummary;

const std::vector<TableColumn>& moved_columns() {
    static const std::vector<TableColumn> columns{
        {.field = "id", .heading = "ID", .width_max = 64},
        {.field = "moved", .heading = "JOBS MOVED"},
    };
    return columns;
}

const std::vector<TableColumn>& scope_columns() {
    static const std::vector<TableColumn> columns{
        {.field = "id", .heading = "ID", .width_max = 64},
        {.field = "suspended", .heading = "SUSPENDED", .rank = 2},
        {.field = "suspendedSince", .heading = "SINCE", .is_optional = true, .rank = 3},
        {.field = "places", .heading = "JOBS", .width_max = 80, .rank = 1, .width_least = 16},
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

[[nodiscard]] Record record_of(const ScopeSummary& scope) {
    return {
        text_field("id", scope.id),
        flag_field("suspended", scope.suspended_since.has_value()),
        time_field("suspendedSince", scope.suspended_since),
        places_field(scope.jobs),
    };
}

/// Who does it instead.
[[nodiscard]] std::string why_of_engine(const std::string& id, const SuspensionOptions& options) {
    const bool is_instance = options.scope == persistence::SuspensionScope::instance;
    return fmt::format(
        "{} {} is one of Flowable's, whose engine keeps executions and tasks with it: call "
        "{}.{}{}(\"{}\") there",
        is_instance ? "instance" : "definition",
        quoted_if_needed(id),
        is_instance ? "runtimeService" : "repositoryService",
        options.activate ? "activate" : "suspend",
        is_instance ? "ProcessInstanceById" : "ProcessDefinitionById",
        id
    );
}

}  // namespace

ExitCode change_suspension(Session& session, const SuspensionOptions& options) {
    const std::vector<std::string> ids = typed_ids(session, options.ids);
    for (const std::string& id : ids) {
        (void)app_id_of("the id", id);
    }
    RecordWriter writer(session.streams().out, session.format(), moved_columns(), session.style());
    const deadletter::BulkWatch watch{.on_item = [&](const deadletter::ItemResult& item) {
        if (item.answer == deadletter::ItemAnswer::refused) {
            session.tell("jobstrand: " + why_of_engine(item.id, options));
            return;
        }
        session.count_changes(1);
        writer.add({text_field("id", item.id), number_field("moved", item.moved)});
    }};
    deadletter::JobDesk desk = session.jobs();
    const deadletter::BulkCounts counts = options.activate
                                              ? desk.activate(options.scope, ids, watch)
                                              : desk.suspend(options.scope, ids, watch);
    writer.finish();
    if (counts.refused == 0) {
        return ExitCode::done;
    }
    return counts.done > 0 ? ExitCode::partly_done : ExitCode::refused;
}

ExitCode list_scopes(Session& session, const ScopeListOptions& options) {
    const deadletter::ScopeQuery query{
        .scope = options.scope,
        .only_suspended = options.only_suspended,
        .after = options.after,
        .limit = limit_of(session, options.limit),
    };
    write_page(
        session, session.search().scopes(query), scope_columns(), record_of, &ScopeSummary::id
    );
    return ExitCode::done;
}

}  // namespace jobstrand::cli
