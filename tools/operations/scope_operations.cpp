#include "deadletter/bulk_change.hpp"
#include "deadletter/instance_move.hpp"
#include "persistence/suspension.hpp"
#include "schema/job_definition.hpp"
#include "tools/handlers/operator_jobs.hpp"
#include "tools/operations/nouns.hpp"
#include "tools/output/progress.hpp"
#include "tools/output/record.hpp"
#include "tools/parameters/option_values.hpp"
#include "tools/parameters/schedule_options.hpp"
#include "tools/text/terminal_text.hpp"

#include <fmt/format.h>

#include <map>
#include <utility>

namespace jobstrand::cli {

namespace {

using persistence::ScopeSummary;
using persistence::SuspensionScope;

struct ScopeListing {
    bool only_suspended = false;
    PageRequest page;
};

/// What is done, and with what.
struct SuspensionVerb {
    SuspensionScope scope = SuspensionScope::instance;
    bool activate = false;
};

struct SuspensionOptions {
    std::vector<std::string> ids;
    std::string element;  ///< Of a definition: only its jobs.
    std::string type;     ///< Likewise.
    bool without_jobs = false;
    DueOptions due;
};

/// A group of series, by its name.
using NamedGroup = std::pair<const std::string, deadletter::SeriesGroup>;

[[nodiscard]] const Fields<NamedGroup>& series_group_fields() {
    const auto since = [](const NamedGroup& group) { return group.second.paused_since; };
    static const Fields<NamedGroup> all{
        {.name = "id",
         .value = &NamedGroup::first,
         .column = {.heading = "GROUP", .width_max = 64}},
        {.name = "series",
         .value = [](const NamedGroup& group) { return group.second.series; },
         .meaning = "How many have not ended",
         .column = {.heading = "SERIES", .rank = 2}},
        {.name = "paused",
         .value = [](const NamedGroup& group) { return group.second.paused_since.has_value(); },
         .column = {.heading = "PAUSED", .rank = 1}},
        {.name = "pausedSince",
         .value = since,
         .column = {.heading = "SINCE", .is_optional = true, .rank = 3}},
    };
    return all;
}

[[nodiscard]] std::vector<NamedGroup> list_groups(Session& session, const NoParameters&) {
    const auto groups = session.series().groups();
    return {groups.begin(), groups.end()};
}

const std::vector<TableColumn>& moved_columns() {
    static const std::vector<TableColumn> columns{
        {.field = "id", .heading = "ID", .width_max = 64},
        {.field = "moved", .heading = "JOBS MOVED"},
    };
    return columns;
}

/// `{"executable":2}` and `executable=2`: places without jobs are left out.
[[nodiscard]] RecordField places_field(const ScopeSummary& scope) {
    Record counts;
    std::string text;
    for (const auto& [place, count] : scope.jobs) {
        counts.push_back(number_field(name_of(place), count));
        text += fmt::format("{}{}={}", text.empty() ? "" : " ", name_of(place), count);
    }
    return {.name = {}, .json = json_of(counts), .text = text};
}

[[nodiscard]] const Fields<ScopeSummary>& scope_fields() {
    static const Fields<ScopeSummary> all{
        {.name = "id", .value = &ScopeSummary::id, .column = {.heading = "ID", .width_max = 64}},
        {.name = "suspended",
         .value = [](const ScopeSummary& scope) { return scope.suspended_since.has_value(); },
         .column = {.heading = "SUSPENDED", .rank = 2}},
        {.name = "suspendedSince",
         .value = &ScopeSummary::suspended_since,
         .column = {.heading = "SINCE", .is_optional = true, .rank = 3}},
        {.name = "places",
         .value = {places_field, {.name = "object"}},
         .meaning = "How many jobs stand in each place",
         .column = {.heading = "JOBS", .width_max = 80, .rank = 1, .width_least = 16}},
    };
    return all;
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
    if (!is_of_kind(scope)) {
        return id;
    }
    const schema::JobDefinitionName name{id, options.element, options.type};
    if (!can_be_named(name)) {
        throw Refused(
            "the jobs of an element or type cannot be told apart from others: a name has a slash"
        );
    }
    return text_of(name);
}

[[nodiscard]] SuspensionScope scope_of(SuspensionScope scope, const SuspensionOptions& options) {
    if (!options.element.empty() || !options.type.empty()) {
        return options.without_jobs ? SuspensionScope::new_of_job_definition
                                    : SuspensionScope::job_definition;
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
    const std::string definition =
        is_of_kind(verb.scope) ? schema::job_definition_named(id).definition : id;
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
    deadletter::JobAdmin admin = session.jobs();
    const deadletter::BulkCounts counts = verb.activate ? admin.activate(verb.scope, ids, watch)
                                                        : admin.suspend(verb.scope, ids, watch);
    writer.finish();
    if (session.must_stop()) {
        throw Failed("the service stops; ask again for the rest");
    }
    return counts;
}

/// Its jobs may stand in two databases, and would run in both.
void refuse_if_moving(Session& session, const std::vector<std::string>& instances) {
    for (const std::string& id : instances) {
        const auto way = deadletter::InstanceMove::incomplete(
            session.named_locks(), id, session.engine().clock().now()
        );
        if (way) {
            throw Refused(
                "the move of instance {0} {1} is not complete: `jobstrand instance move {0}` "
                "again",
                quoted_if_needed(id),
                *way
            );
        }
    }
}

[[nodiscard]] ExitCode
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
    if (verb.activate && verb.scope == SuspensionScope::instance) {
        refuse_if_moving(session, ids);
    }
    const deadletter::BulkCounts counts = change_at_once(session, verb, ids);
    return code_of(counts.done, counts.refused);
}

template <SuspensionScope scope>
[[nodiscard]] schema::Page<ScopeSummary> list_scopes(Session& session, const ScopeListing& wanted) {
    return session.search().scopes(
        {.scope = scope,
         .only_suspended = wanted.only_suspended,
         .after = wanted.page.after,
         .limit = wanted.page.limit}
    );
}

template <SuspensionScope scope, bool activate>
[[nodiscard]] ExitCode change_scopes(Session& session, const SuspensionOptions& options) {
    return change_suspension(session, {scope, activate}, options);
}

template <SuspensionScope scope>
[[nodiscard]] Operation list_of_scopes(OperationText text) {
    text.role = service::Role::read;
    const Parameters<ScopeListing> suspended{
        {"--suspended", &ScopeListing::only_suspended, "Only those that are suspended"}};
    const auto parameters = joined(suspended, of_part(page_parameters(), &ScopeListing::page));
    return page_operation(std::move(text), parameters, scope_fields(), list_scopes<scope>);
}

[[nodiscard]] Parameters<SuspensionOptions>
ids_of_scopes(const char* name, const char* meaning, const char* unit) {
    return {{name, &SuspensionOptions::ids, meaning, {.unit = unit, .is_required = true}}};
}

/// Of instances, definitions and tenants, which may be changed at a date.
[[nodiscard]] Parameters<SuspensionOptions> changing_scopes() {
    const auto due = due_parameters(
        "Not now but then, by a timer job that a service carries out", "Not now but after this time"
    );
    return joined(
        ids_of_scopes("ids", "Their ids; - reads them from stdin", "ID"),
        of_part(joined(due, due_context_parameters()), &SuspensionOptions::due)
    );
}

[[nodiscard]] Parameters<SuspensionOptions> changing_definitions(bool activate) {
    Parameters<SuspensionOptions> all{
        {"--element", &SuspensionOptions::element, "Only the jobs of this element", {.unit = "ID"}},
        {"--type",
         &SuspensionOptions::type,
         "Only the jobs of this handler type",
         {.unit = "NAME"}},
    };
    if (!activate) {
        all.push_back(
            {"--new-jobs-only",
             &SuspensionOptions::without_jobs,
             "Jobs that are there go on running"}
        );
    }
    return joined(all, changing_scopes());
}

template <SuspensionScope scope, bool activate>
[[nodiscard]] Operation
change_of_scopes(OperationText text, const Parameters<SuspensionOptions>& parameters) {
    return writing_operation(
        std::move(text),
        parameters,
        {.kind = DescribedResult::Kind::list,
         .fields =
             {{"id", "What was named", {}},
              {"moved", "How many jobs", {.name = "integer"}, false},
              {"job", "Of what is for later: the timer that does it", {}, false},
              {"due", "When that is", {.format = "date-time"}, false}}},
        change_scopes<scope, activate>
    );
}

}  // namespace

OperationNoun instance_noun() {
    constexpr auto scope = SuspensionScope::instance;
    return {
        .name = "instance",
        .summary = "Process instances: jobs that belong together",
        .examples =
            "  jobstrand instance suspend order-17\n"
            "  jobstrand instance ls\n"
            "  jobstrand instance activate order-17",
        .operations =
            {
                list_of_scopes<scope>(
                    {.words = "instance ls",
                     .summary = "List instances that have jobs or are suspended",
                     .examples = "  jobstrand instance ls -o json\n"
                                 "  jobstrand instance ls --suspended",
                     .path = "GET /api/v1/instances"}
                ),
                change_of_scopes<scope, false>(
                    {.words = "instance suspend",
                     .summary = "Keep the jobs of instances from running until they are activated",
                     .examples = "  jobstrand instance suspend order-17 order-18",
                     .path = "POST /api/v1/instances/suspend"},
                    changing_scopes()
                ),
                change_of_scopes<scope, true>(
                    {.words = "instance activate",
                     .summary = "Let the jobs of suspended instances go on, each where it was",
                     .examples = "  jobstrand instance activate order-17",
                     .path = "POST /api/v1/instances/activate"},
                    changing_scopes()
                ),
                instance_move_operation(),
            },
    };
}

OperationNoun tenant_noun() {
    constexpr auto scope = SuspensionScope::tenant;
    return {
        .name = "tenant",
        .summary = "Tenants: whose jobs they are",
        .examples =
            "  jobstrand tenant suspend acme\n"
            "  jobstrand tenant ls\n"
            "  jobstrand tenant activate acme",
        .operations =
            {
                list_of_scopes<scope>(
                    {.words = "tenant ls",
                     .summary = "List tenants that have jobs or are suspended; without "
                                "--suspended, all jobs are read",
                     .examples = "  jobstrand tenant ls --suspended",
                     .path = "GET /api/v1/tenants"}
                ),
                change_of_scopes<scope, false>(
                    {.words = "tenant suspend",
                     .summary = "Keep the jobs of tenants from running until they are activated",
                     .examples = "  jobstrand tenant suspend acme",
                     .path = "POST /api/v1/tenants/suspend"},
                    changing_scopes()
                ),
                change_of_scopes<scope, true>(
                    {.words = "tenant activate",
                     .summary = "Let the jobs of suspended tenants go on, each where it was",
                     .examples = "  jobstrand tenant activate acme",
                     .path = "POST /api/v1/tenants/activate"},
                    changing_scopes()
                ),
            },
    };
}

OperationNoun group_noun() {
    constexpr auto scope = SuspensionScope::timer_group;
    const Parameters<SuspensionOptions> names =
        ids_of_scopes("names", "The groups; - reads them from stdin", "NAME");
    return {
        .name = "group",
        .summary = "Groups of series, to be paused as a whole",
        .examples =
            "  jobstrand group ls\n"
            "  jobstrand group pause reports",
        .operations =
            {
                list_operation<NoParameters>(
                    {.words = "group ls",
                     .summary = "List groups that have series or are paused",
                     .examples = "  jobstrand group ls -o json",
                     .role = service::Role::read,
                     .path = "GET /api/v1/groups"},
                    {},
                    series_group_fields(),
                    list_groups
                ),
                change_of_scopes<scope, false>(
                    {.words = "group pause",
                     .summary = "Pause the series of groups, those too that are yet to come",
                     .examples = "  jobstrand group pause reports",
                     .path = "POST /api/v1/groups/pause"},
                    names
                ),
                change_of_scopes<scope, true>(
                    {.words = "group resume",
                     .summary = "Let groups go on; series that were paused themselves stay paused",
                     .examples = "  jobstrand group resume reports",
                     .path = "POST /api/v1/groups/resume"},
                    names
                ),
            },
    };
}

std::vector<Operation> definition_scope_operations() {
    constexpr auto scope = SuspensionScope::definition;
    return {
        list_of_scopes<scope>(
            {.words = "definition ls",
             .summary = "List definitions that have jobs or are suspended; without --suspended, "
                        "all jobs are read",
             .examples =
                 "  jobstrand definition ls --suspended\n"
                 "  jobstrand definition ls --suspended -o name | jobstrand definition activate -"}
        ),
        change_of_scopes<scope, false>(
            {.words = "definition suspend",
             .summary = "Keep the jobs of definitions from running until they are activated",
             .examples = "  jobstrand definition suspend shipping:3\n"
                         "  jobstrand definition suspend shipping:3 --element charge-card\n"
                         "  jobstrand definition suspend shipping:3 --new-jobs-only\n"
                         "  jobstrand definition suspend shipping:3 --due 'tomorrow 22:00'",
             .path = "POST /api/v1/definitions/suspend"},
            changing_definitions(false)
        ),
        change_of_scopes<scope, true>(
            {.words = "definition activate",
             .summary = "Let the jobs of suspended definitions go on, each where it was",
             .examples = "  jobstrand definition activate shipping:3",
             .path = "POST /api/v1/definitions/activate"},
            changing_definitions(true)
        ),
    };
}

}  // namespace jobstrand::cli
