#include "tools/jobstrand/commands/instance/suspension.hpp"

#include "deadletter/bulk/bulk_rest.hpp"
#include "schema/definition/job_definition.hpp"
#include "tools/jobstrand/commands/item_report.hpp"
#include "tools/jobstrand/commands/listing.hpp"
#include "tools/jobstrand/commands/option_values.hpp"
#include "tools/jobstrand/handlers/suspension_order.hpp"
#include "tools/jobstrand/output/printable.hpp"
#include "tools/jobstrand/output/progress.hpp"
#include "tools/jobstrand/output/time_field.hpp"

#include <fmt/format.h>

#include <map>
#include <utility>

namespace jobstrand::cli {

namespace {

using persistence::ScopeSummary;
using persistence::SuspensionScope;

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

[[nodiscard]] Record record_of_scope(const ScopeSummary& scope) {
    return {
        text_field("id", scope.id),
        flag_field("suspended", scope.suspended_since.has_value()),
        time_field("suspendedSince", scope.suspended_since),
        places_field(scope.jobs),
    };
}

const std::vector<TableColumn>& order_columns() {
    static const std::vector<TableColumn> columns{
        {.field = "id", .heading = "ID", .width_max = 64},
        {.field = "job", .heading = "BY JOB", .width_max = 64},
        {.field = "due", .heading = "AT"},
    };
    return columns;
}

/// What is meant by an id, with the options about the elements of definitions.
[[nodiscard]] std::string
scoped_id(SuspensionScope scope, const SuspensionOptions& options, const std::string& id) {
    if (scope != SuspensionScope::job_definition) {
        return id;
    }
    const schema::JobDefinitionName name{id, options.element, options.type};
    if (!can_be_named(name)) {
        throw CliError(
            ExitCode::refused,
            "the jobs of an element or type cannot be told apart from others: a name has a slash"
        );
    }
    return text_of(name);
}

[[nodiscard]] SuspensionScope scope_of(SuspensionScope scope, const SuspensionOptions& options) {
    const bool is_of_kind = !options.element.empty() || !options.type.empty();
    if (is_of_kind && options.without_jobs) {
        throw CliError(
            ExitCode::wrong_usage, "--new-jobs-only goes with neither --element nor --type"
        );
    }
    if (is_of_kind) {
        return SuspensionScope::job_definition;
    }
    return options.without_jobs ? SuspensionScope::new_of_definition : scope;
}

/// One job for each, which does it at the due date.
ExitCode order_for_later(
    Session& session,
    SuspensionVerb verb,
    const std::vector<std::string>& ids,
    schema::TimePoint due
) {
    std::vector<executor::NewJob> jobs;
    for (const std::string& id : ids) {
        executor::NewJob job;
        job.job.handler_type = kSuspensionType;
        job.job.due_date = due;
        job.job.payload = payload_of({.activate = verb.activate, .scope = verb.scope, .id = id});
        jobs.push_back(std::move(job));
    }
    const auto enqueued = session.enqueueing().enqueue_all(std::move(jobs));
    RecordWriter writer(session.streams().out, session.format(), order_columns(), session.style());
    for (std::size_t i = 0; i < ids.size(); ++i) {
        session.count_changes(1);
        writer.add({
            text_field("id", ids[i]),
            text_field("job", enqueued[i].id),
            time_field("due", due),
        });
    }
    writer.finish();
    return ExitCode::done;
}

/// Who does it instead.
[[nodiscard]] std::string why_of_engine(const std::string& id, SuspensionVerb verb) {
    const std::string_view word = verb.activate ? "activate" : "suspend";
    if (verb.scope == SuspensionScope::instance) {
        return fmt::format(
            "instance {} is one of Flowable's, whose engine keeps executions and tasks with it: "
            "call runtimeService.{}ProcessInstanceById(\"{}\") there",
            quoted_if_needed(id),
            word,
            id
        );
    }
    const bool is_kind = verb.scope == SuspensionScope::job_definition;
    const std::string definition = is_kind ? schema::job_definition_named(id).definition : id;
    return fmt::format(
        "definition {} is one of Flowable's, whose engine keeps executions and tasks with it: call "
        "repositoryService.{}ProcessDefinitionById(\"{}\") there",
        quoted_if_needed(definition),
        word,
        definition
    );
}

/// Suspends at leisure, because what is suspended runs no more from the first moment on; activates
/// as fast as can be.
deadletter::BulkCounts
change_at_once(Session& session, SuspensionVerb verb, const std::vector<std::string>& ids) {
    RecordWriter writer(session.streams().out, session.format(), moved_columns(), session.style());
    Progress progress(session.streams(), session.clock(), "moved");
    deadletter::BulkRest rest(session.clock(), schema::sleep_for);
    const deadletter::BulkWatch watch{
        .on_item =
            [&](const deadletter::ItemResult& item) {
                if (item.answer == deadletter::ItemAnswer::refused) {
                    session.tell("jobstrand: " + why_of_engine(item.id, verb));
                    return;
                }
                session.count_changes(1);
                writer.add({text_field("id", item.id), number_field("moved", item.moved)});
            },
        .on_moved =
            [&](std::int64_t moved) {
                progress.show(moved);
                if (!verb.activate) {
                    rest.take();
                }
                return !session.must_stop();
            },
    };
    deadletter::JobDesk desk = session.jobs();
    const deadletter::BulkCounts counts = verb.activate ? desk.activate(verb.scope, ids, watch)
                                                        : desk.suspend(verb.scope, ids, watch);
    writer.finish();
    if (session.must_stop()) {
        throw CliError(ExitCode::failed, "the service stops; ask again for the rest");
    }
    return counts;
}

}  // namespace

ExitCode
change_suspension(Session& session, SuspensionVerb verb, const SuspensionOptions& options) {
    verb.scope = scope_of(verb.scope, options);
    std::vector<std::string> ids = options.ids;
    for (std::string& id : ids) {
        (void)app_id_of("the id", id);
        id = scoped_id(verb.scope, options, id);
    }
    if (const auto due = due_of(session, options.due)) {
        return order_for_later(session, verb, ids, *due);
    }
    const deadletter::BulkCounts counts = change_at_once(session, verb, ids);
    if (counts.refused == 0) {
        return ExitCode::done;
    }
    return counts.done > 0 ? ExitCode::partly_done : ExitCode::refused;
}

ExitCode list_scopes(Session& session, SuspensionScope scope, const ScopeListOptions& options) {
    const deadletter::ScopeQuery query{
        .scope = scope,
        .only_suspended = options.only_suspended,
        .after = options.page.after,
        .limit = options.page.limit,
    };
    write_page(
        session, session.search().scopes(query), scope_columns(), record_of_scope, &ScopeSummary::id
    );
    return ExitCode::done;
}

}  // namespace jobstrand::cli
