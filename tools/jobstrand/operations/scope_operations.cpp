#include "tools/jobstrand/operations/scope_operations.hpp"

#include "tools/jobstrand/commands/instance/suspension.hpp"
#include "tools/jobstrand/operations/due_parameters.hpp"
#include "tools/jobstrand/operations/nouns.hpp"

namespace jobstrand::cli {

namespace {

using persistence::SuspensionScope;

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

template <SuspensionScope scope>
[[nodiscard]] ExitCode list_scopes_of(Session& session, const ScopeListOptions& options) {
    return list_scopes(session, scope, options);
}

template <SuspensionScope scope, bool activate>
[[nodiscard]] ExitCode change_scopes(Session& session, const SuspensionOptions& options) {
    return change_suspension(session, {scope, activate}, options);
}

template <SuspensionScope scope>
[[nodiscard]] Operation list_of_scopes(OperationText text) {
    text.role = service::Role::read;
    const Parameters<ScopeListOptions> parameters = with_part<ScopeListOptions>(
        {{"--suspended", &ScopeListOptions::only_suspended, "Only those that are suspended"}},
        page_parameters(),
        &ScopeListOptions::page
    );
    return writing_operation(
        std::move(text),
        parameters,
        {.kind = DescribedResult::Kind::page,
         .fields =
             {{"id", "", {}},
              {"suspended", "", {.name = "boolean"}},
              {"suspendedSince", "", {.format = "date-time", .is_nullable = true}},
              {"places", "How many jobs stand in each place", {.name = "object"}}}},
        list_scopes_of<scope>
    );
}

[[nodiscard]] Parameters<SuspensionOptions>
ids_of_scopes(const char* name, const char* meaning, const char* unit) {
    return {{name, &SuspensionOptions::ids, meaning, {.unit = unit, .is_required = true}}};
}

/// Of instances, definitions and tenants, which may be changed at a date.
[[nodiscard]] Parameters<SuspensionOptions> changing_scopes() {
    const auto of_due = [](const Parameters<DueOptions>& parameters) {
        return with_part<SuspensionOptions>({}, parameters, &SuspensionOptions::due);
    };
    return joined(
        ids_of_scopes("ids", "Their ids; - reads them from stdin", "ID"),
        of_due(due_parameters(
            "Not now but then, by a timer job that a service carries out",
            "Not now but after this time"
        )),
        of_due(due_context_parameters())
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
