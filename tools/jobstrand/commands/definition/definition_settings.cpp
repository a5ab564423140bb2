#include "tools/jobstrand/commands/definition/definition_settings.hpp"

#include "deadletter/bulk/bulk_rest.hpp"
#include "tools/jobstrand/commands/bulk_selection.hpp"
#include "tools/jobstrand/commands/item_report.hpp"
#include "tools/jobstrand/commands/listing.hpp"
#include "tools/jobstrand/commands/option_values.hpp"
#include "tools/jobstrand/commands/typed_ids.hpp"
#include "tools/jobstrand/json/definition_json.hpp"
#include "tools/jobstrand/output/printable.hpp"

#include <fmt/format.h>

#include <limits>
#include <optional>
#include <stdexcept>
#include <utility>

namespace jobstrand::cli {

namespace {

/// What takes a value away.
constexpr std::string_view kNone = "none";

const std::vector<TableColumn>& definition_columns() {
    static const std::vector<TableColumn> columns{
        {.field = "name", .heading = "NAME", .width_max = 80},
        {.field = "priority", .heading = "PRIORITY", .width_max = 40},
        {.field = "overridePriority", .heading = "OVERRIDE"},
        {.field = "retryCycle", .heading = "RETRY CYCLE", .width_max = 40},
        {.field = "exclusive", .heading = "EXCLUSIVE"},
    };
    return columns;
}

[[nodiscard]] schema::JobDefinitionName name_in(const std::string& text) {
    try {
        return schema::job_definition_named(text);
    } catch (const std::invalid_argument& mistake) {
        throw CliError(ExitCode::wrong_usage, mistake.what());
    }
}

[[nodiscard]] std::optional<std::string> text_of(const std::optional<std::string>& typed) {
    return typed == kNone ? std::string{} : typed;
}

[[nodiscard]] std::optional<std::optional<bool>>
flag_of(std::string_view option, const std::optional<std::string>& typed) {
    if (!typed) {
        return std::nullopt;
    }
    if (*typed == kNone) {
        return std::optional<std::optional<bool>>(std::in_place, std::nullopt);
    }
    if (*typed != "true" && *typed != "false") {
        throw CliError(ExitCode::wrong_usage, std::string(option) + " must be true, false or none");
    }
    return std::optional(*typed == "true");
}

[[nodiscard]] std::optional<std::optional<std::int64_t>>
number_of(std::string_view option, const std::optional<std::string>& typed) {
    if (!typed) {
        return std::nullopt;
    }
    if (*typed == kNone) {
        return std::optional<std::optional<std::int64_t>>(std::in_place, std::nullopt);
    }
    using Limits = std::numeric_limits<std::int64_t>;
    return std::optional(whole_number(option, *typed, Limits::min(), Limits::max()));
}

[[nodiscard]] deadletter::DefinitionSettings settings_of(const DefinitionSetOptions& options) {
    return {
        .priority = text_of(options.priority),
        .retry_cycle = text_of(options.retry_cycle),
        .exclusive = flag_of("--exclusive", options.exclusive),
        .override_priority = number_of("--override", options.override_priority),
    };
}

void cascade(Session& session, const schema::JobDefinition& definition) {
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
    session.tell(fmt::format("{} jobs have another priority now", counts.done));
}

/// What the options say is checked as it would be to carry it out.
[[nodiscard]] ExitCode show_cascade(
    Session& session,
    const schema::JobDefinitionName& name,
    const DefinitionSetOptions& options
) {
    (void)settings_of(options);
    const std::vector<schema::JobPlace> places(
        schema::kJobPlaces.begin(), schema::kJobPlaces.end()
    );
    const auto jobs = deadletter::JobSelection::matching(deadletter::DefinitionDesk::jobs_of(name));
    return show_dry_run(session, session.search().preview(places, jobs, kDryRunSample));
}

}  // namespace

ExitCode list_definitions(Session& session, const DefinitionListOptions& options) {
    const deadletter::DefinitionQuery query{
        .filter =
            {.definition = options.definition, .element = options.element, .type = options.type},
        .after = options.after.empty() ? "" : schema::text_of(name_in(options.after)),
        .limit = limit_of(session, options.limit),
    };
    write_page(
        session,
        session.definitions().list(query),
        definition_columns(),
        record_of,
        [](const schema::JobDefinition& one) { return schema::text_of(one.name); }
    );
    return ExitCode::done;
}

ExitCode show_definition(Session& session, const DefinitionShowOptions& options) {
    const auto found = session.definitions().find(name_in(options.name));
    if (!found) {
        throw CliError(ExitCode::not_found, "nothing is set for " + quoted_if_needed(options.name));
    }
    write_record(session.streams().out, session.format(), record_of(*found));
    return ExitCode::done;
}

ExitCode set_definition(Session& session, const DefinitionSetOptions& options) {
    const schema::JobDefinitionName name = name_in(options.name);
    if (options.cascade && (!options.override_priority || options.override_priority == kNone)) {
        throw CliError(ExitCode::wrong_usage, "--cascade wants the number of an --override");
    }
    if (options.dry_run) {
        if (!options.cascade) {
            throw CliError(ExitCode::wrong_usage, "--dry-run goes with --cascade");
        }
        return show_cascade(session, name, options);
    }
    try {
        const schema::JobDefinition definition =
            session.definitions().set(name, settings_of(options));
        session.count_changes(1);
        write_record(session.streams().out, session.format(), record_of(definition));
        if (options.cascade) {
            cascade(session, definition);
        }
    } catch (const std::invalid_argument& mistake) {
        throw CliError(ExitCode::wrong_usage, mistake.what());
    }
    return ExitCode::done;
}

ExitCode remove_definitions(Session& session, const DefinitionRemoveOptions& options) {
    const auto why_not = [](const deadletter::ItemResult& item) {
        return "nothing is set for " + quoted_if_needed(item.id);
    };
    ItemReport report(session, {.done = "removed", .field = "name", .why_not = why_not});
    session.definitions().remove(typed_ids(session, options.names), report.watch());
    return report.finish();
}

}  // namespace jobstrand::cli
