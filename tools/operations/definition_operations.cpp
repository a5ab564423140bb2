#include "deadletter/bulk_change.hpp"
#include "schema/job_definition.hpp"
#include "tools/operations/nouns.hpp"
#include "tools/parameters/option_values.hpp"
#include "tools/text/terminal_text.hpp"

namespace jobstrand::cli {

namespace {

using deadletter::DefinitionSettings;
using schema::JobDefinition;

/// What takes a value away.
constexpr std::string_view kNone = "none";

constexpr const char* kNameHelp =
    "A definition, one of its elements, an element and a handler type, or DEFINITION//TYPE";
constexpr const char* kNameUnit = "DEFINITION[/ELEMENT[/TYPE]]";

using DefinitionListing = Listing<persistence::DefinitionFilter>;

struct DefinitionSetting {
    std::string name;
    DefinitionSettings settings;
    bool cascade = false;
    bool dry_run = false;  ///< Shows the jobs that a cascade would change; nothing is changed.
};

[[nodiscard]] const Fields<JobDefinition>& definition_fields() {
    const auto of_name = [](auto member) {
        return [member](const JobDefinition& one) { return one.name.*member; };
    };
    static const Fields<JobDefinition> all{
        {.name = "name",
         .value = [](const JobDefinition& one) { return text_of(one.name); },
         .column = {.heading = "NAME", .width_max = 80}},
        {.name = "processDefinitionId", .value = of_name(&schema::JobDefinitionName::definition)},
        {.name = "elementId",
         .value = of_name(&schema::JobDefinitionName::element),
         .is_null_if_empty = true},
        {.name = "handlerType",
         .value = of_name(&schema::JobDefinitionName::type),
         .is_null_if_empty = true},
        {.name = "priority",
         .value = &JobDefinition::priority,
         .meaning = "A number, or an expression",
         .column = {.heading = "PRIORITY", .width_max = 40},
         .is_null_if_empty = true},
        {.name = "overridePriority",
         .value = &JobDefinition::override_priority,
         .column = {.heading = "OVERRIDE"}},
        {.name = "retryCycle",
         .value = &JobDefinition::retry_cycle,
         .column = {.heading = "RETRY CYCLE", .width_max = 40},
         .is_null_if_empty = true},
        {.name = "category",
         .value = &JobDefinition::category,
         .meaning = "May hold expressions",
         .column = {.heading = "CATEGORY", .width_max = 40},
         .is_null_if_empty = true},
        {.name = "exclusive",
         .value = &JobDefinition::exclusive,
         .column = {.heading = "EXCLUSIVE"}},
    };
    return all;
}

[[nodiscard]] schema::Page<JobDefinition>
list_definitions(Session& session, const DefinitionListing& wanted) {
    const std::string& after = wanted.page.after;
    return session.definitions().list(
        {.filter = wanted.filter,
         .after = after.empty() ? after : text_of(schema::job_definition_named(after)),
         .limit = wanted.page.limit}
    );
}

[[nodiscard]] std::string nothing_set(const std::string& name) {
    return "nothing is set for " + quoted_if_needed(name);
}

[[nodiscard]] JobDefinition show_definition(Session& session, const NamedThing& wanted) {
    auto found = session.definitions().find(schema::job_definition_named(wanted.name));
    if (!found) {
        throw NotFound(nothing_set(wanted.name));
    }
    return *std::move(found);
}

void cascade(Session& session, const JobDefinition& definition) {
    const deadletter::BulkCounts counts =
        with_progress(session, "changed", [&](const deadletter::BulkWatch& watch) {
            deadletter::BulkRest rest(session.clock(), schema::sleep_for);
            const auto then_rest = [&](const deadletter::BulkCounts& so_far) {
                const bool goes_on = watch.on_page(so_far);
                rest.take();
                return goes_on;
            };
            return session.definitions().cascade(definition, {.on_page = then_rest});
        });
    session.tell(counted(counts.done, "job has", "jobs have") + " another priority now");
}

[[nodiscard]] ExitCode show_cascade(Session& session, const schema::JobDefinitionName& name) {
    const std::vector<schema::JobPlace> places(
        schema::kJobPlaces.begin(), schema::kJobPlaces.end()
    );
    const auto jobs =
        deadletter::JobSelection::matching(deadletter::DefinitionAdmin::jobs_of(name));
    return show_dry_run(session, session.search().preview(places, jobs, kDryRunSample));
}

[[nodiscard]] ExitCode set_definition(Session& session, const DefinitionSetting& wanted) {
    const schema::JobDefinitionName name = schema::job_definition_named(wanted.name);
    if (wanted.cascade && !wanted.settings.override_priority.value_or(std::nullopt)) {
        throw WrongUsage("--cascade wants the number of an --override");
    }
    if (wanted.dry_run) {
        if (!wanted.cascade) {
            throw WrongUsage("--dry-run goes with --cascade");
        }
        return show_cascade(session, name);
    }
    if (wanted.settings == DefinitionSettings{}) {
        throw std::invalid_argument(
            "a definition needs something to set: priority, retry-cycle, category, exclusive or "
            "override"
        );
    }
    const JobDefinition definition = session.definitions().set(name, wanted.settings);
    session.count_changes(1);
    write_result(session, record_of(definition_fields(), definition));
    if (wanted.cascade) {
        cascade(session, definition);
    }
    return ExitCode::done;
}

void remove_definitions(
    Session& session,
    const NamedThings& wanted,
    const deadletter::BulkWatch& watch
) {
    session.definitions().remove(wanted.names, watch);
}

template <std::optional<std::string> DefinitionSettings::*member>
void read_text_or_none(
    DefinitionSettings& settings,
    const std::string& text,
    const ParameterReading& /*reading*/
) {
    settings.*member = text == kNone ? std::string() : text;
}

void read_exclusive(
    DefinitionSettings& settings,
    const std::string& text,
    const ParameterReading& reading
) {
    if (text != kNone && text != "true" && text != "false") {
        refuse_parameter(reading, " must be true, false or none");
    }
    settings.exclusive.emplace(text == kNone ? std::nullopt : std::optional(text == "true"));
}

void read_override(
    DefinitionSettings& settings,
    const std::string& text,
    const ParameterReading& reading
) {
    settings.override_priority.emplace(
        text == kNone ? std::nullopt : std::optional(read_number(text, {}, reading))
    );
}

[[nodiscard]] Parameters<DefinitionListing> definition_listing() {
    using Filter = persistence::DefinitionFilter;
    return listing_parameters<Filter>({
        {"--definition", &Filter::definition, "Only of this definition", {.unit = "ID"}},
        {"--element", &Filter::element, "Only of this element", {.unit = "ID"}},
        {"--type", &Filter::type, "Only of this handler type", {.unit = "NAME"}},
    });
}

[[nodiscard]] Parameters<DefinitionSetting> definition_setting() {
    const Parameters<DefinitionSetting> name{
        {"name",
         &DefinitionSetting::name,
         kNameHelp,
         {.unit = kNameUnit, .is_required = true, .may_be_empty = true}}};
    const Parameters<DefinitionSettings> settings{
        {"--priority",
         read_text_or_none<&DefinitionSettings::priority>,
         "Unless the job has one; none takes it away",
         {.unit = "NUMBER"}},
        {"--retry-cycle",
         read_text_or_none<&DefinitionSettings::retry_cycle>,
         "Unless the job has one; none takes it away",
         {.unit = "CYCLE"}},
        {"--category",
         read_text_or_none<&DefinitionSettings::category>,
         "Unless the job has one; none takes it away",
         {.unit = "NAME"}},
        {"--exclusive",
         read_exclusive,
         "false: its jobs are not exclusive; none: they may be",
         {.unit = "true|false|none"}},
        {"--override",
         read_override,
         "A priority that goes before all others, until it is none",
         {.unit = "NUMBER"}},
    };
    const Parameters<DefinitionSetting> flags{
        {"--cascade",
         &DefinitionSetting::cascade,
         "Give the jobs that are there the override too, but for those that run; after a stop, "
         "type the same again"},
        {"--dry-run",
         &DefinitionSetting::dry_run,
         "With --cascade: show which jobs those are, change nothing"},
    };
    return joined(name, of_part(settings, &DefinitionSetting::settings), flags);
}

/// Those of what new jobs get.
[[nodiscard]] std::vector<Operation> settings_operations() {
    const auto why_not = [](const deadletter::ItemResult& item) { return nothing_set(item.id); };
    return {
        page_operation(
            {.words = "definition settings",
             .summary = "List what is set for definitions, their elements and their handler types",
             .examples = "  jobstrand definition settings\n"
                         "  jobstrand definition settings --element charge-card -o json",
             .role = service::Role::read,
             .path = "GET /api/v1/definitions"},
            definition_listing(),
            definition_fields(),
            list_definitions
        ),
        record_operation(
            {.words = "definition show",
             .summary = "Show what is set for a definition, an element or a type",
             .examples = "  jobstrand definition show shipping:3/charge-card",
             .role = service::Role::read,
             .path = "GET /api/v1/definitions/{name}"},
            one_name("name", kNameHelp, kNameUnit),
            definition_fields(),
            show_definition
        ),
        writing_operation(
            {.words = "definition set",
             .summary = "Set what new jobs get that do not say it themselves; other processes "
                        "hear of it within five seconds",
             .examples =
                 "  jobstrand definition set shipping:3 --priority 8\n"
                 "  jobstrand definition set shipping:3/charge-card --priority 100\n"
                 "  jobstrand definition set shipping:3//mail --retry-cycle R5/PT5M\n"
                 "  jobstrand definition set shipping:3/pack --category 'pack-${region}'\n"
                 "  jobstrand definition set shipping:3/charge-card --override -10\n"
                 "  jobstrand definition set shipping:3 --override -10 --cascade --dry-run\n"
                 "  jobstrand definition set shipping:3 --override -10 --cascade\n"
                 "  jobstrand definition set shipping:3/charge-card --override none",
             .path = "PUT /api/v1/definitions/{name}"},
            definition_setting(),
            {.fields = described(definition_fields())},
            set_definition
        ),
        items_operation(
            {.words = "definition rm",
             .summary = "Remove what is set for definitions, elements or types; jobs keep what "
                        "they got from it",
             .examples = "  jobstrand definition rm shipping:2",
             .path = "DELETE /api/v1/definitions/{name}"},
            several_names("names", "Their names; - reads them from stdin", kNameUnit),
            {.done = "removed", .field = "name", .why_not = why_not},
            remove_definitions
        ),
    };
}

}  // namespace

OperationNoun definition_noun() {
    return {
        .name = "definition",
        .summary = "Process definitions: kinds of instances, and what their jobs get",
        .examples =
            "  jobstrand definition suspend shipping:3\n"
            "  jobstrand definition set shipping:3 --priority 8\n"
            "  jobstrand definition ls --suspended\n"
            "  jobstrand definition activate shipping:3",
        .operations = joined(definition_scope_operations(), settings_operations()),
    };
}

}  // namespace jobstrand::cli
