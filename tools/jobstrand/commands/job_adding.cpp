#include "tools/jobstrand/commands/job_adding.hpp"

#include "persistence/db_error.hpp"
#include "schema/job_validation.hpp"
#include "tools/jobstrand/commands/job_import.hpp"
#include "tools/jobstrand/commands/option_values.hpp"
#include "tools/jobstrand/handlers/command_payload.hpp"
#include "tools/jobstrand/output/printable.hpp"
#include "tools/jobstrand/settings/nearest_name.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

namespace jobstrand::cli {

namespace {

using schema::Job;

/// An option whose text goes into a field as it is.
struct TextOption {
    std::string_view name;
    std::optional<std::string> AddOptions::*option;
    std::string Job::*field;
};

constexpr std::array kTextOptions{
    TextOption{"--type", &AddOptions::handler_type, &Job::handler_type},
    TextOption{"--retry-cycle", &AddOptions::retry_cycle, &Job::retry_cycle},
    TextOption{"--instance", &AddOptions::instance, &Job::process_instance_id},
    TextOption{"--root-instance", &AddOptions::root_instance, &Job::root_process_instance_id},
    TextOption{"--definition", &AddOptions::definition, &Job::process_definition_id},
    TextOption{"--execution", &AddOptions::execution, &Job::execution_id},
    TextOption{"--element", &AddOptions::element, &Job::element_id},
    TextOption{"--element-name", &AddOptions::element_name, &Job::element_name},
    TextOption{"--category", &AddOptions::category, &Job::category},
    TextOption{"--tenant", &AddOptions::tenant, &Job::tenant_id},
    TextOption{"--correlation-id", &AddOptions::correlation_id, &Job::correlation_id},
    TextOption{"--id", &AddOptions::id, &Job::id},
};

[[nodiscard]] Job job_of(Session& session, const AddOptions& options) {
    Job job;
    for (const TextOption& text : kTextOptions) {
        if (const auto& given = options.*text.option) {
            job.*text.field = not_empty(text.name, *given);
        }
    }
    if (options.payload) {
        job.payload = payload_of(session, *options.payload);
    }
    job.due_date = due_of(session, options.due, options.due_in);
    if (options.retries) {
        job.retries = retries_of(*options.retries);
    }
    if (options.priority) {
        job.priority = priority_of(*options.priority);
    }
    job.exclusive = !options.not_exclusive;
    if (options.external) {
        job.type = schema::kExternalWorkerType;
    }
    return job;
}

void refuse_bad(const Job& job, const Settings& settings) {
    std::vector<std::string> problems = schema::problems_of(job);
    for (std::string& problem : problems_for_service(job, settings)) {
        problems.push_back(std::move(problem));
    }
    if (!problems.empty()) {
        throw CliError(ExitCode::wrong_usage, fmt::format("{}", fmt::join(problems, "\n")));
    }
}

[[nodiscard]] bool has_fields(const AddOptions& options) {
    for (const TextOption& text : kTextOptions) {
        if (options.*text.option) {
            return true;
        }
    }
    return options.payload || options.due || options.due_in || options.retries ||
           options.priority || options.not_exclusive || options.external;
}

[[nodiscard]] ExitCode add_one(Session& session, const AddOptions& options) {
    if (!options.handler_type) {
        throw CliError(ExitCode::wrong_usage, "say which job: --type TYPE, or --from FILE");
    }
    const Job job = job_of(session, options);
    refuse_bad(job, session.settings());
    // Defended catch: an id that is taken is an answer to the caller, not trouble with the
    // database.
    try {
        const std::string id = session.engine().enqueue(job);
        const bool is_plain = session.format() == OutputFormat::table;
        write_record(
            session.streams().out,
            is_plain ? OutputFormat::name : session.format(),
            {text_field("id", id)}
        );
    } catch (const persistence::DbError& error) {
        if (error.kind() != persistence::DbErrorKind::duplicate_key || job.id.empty()) {
            throw;
        }
        throw CliError(
            ExitCode::refused, fmt::format("there is a job {} already: take another --id", job.id)
        );
    }
    return ExitCode::done;
}

}  // namespace

ExitCode add_jobs(Session& session, const AddOptions& options) {
    if (!options.from) {
        if (options.keep_going) {
            throw CliError(ExitCode::wrong_usage, "--keep-going goes with --from FILE");
        }
        return add_one(session, options);
    }
    if (has_fields(options)) {
        throw CliError(
            ExitCode::wrong_usage, "--from FILE says everything about its jobs: leave the rest out"
        );
    }
    return import_jobs(session, {.file = *options.from, .keep_going = options.keep_going});
}

std::vector<std::string> problems_for_service(const Job& job, const Settings& settings) {
    if (job.handler_type != "command" || settings.commands.empty()) {
        return {};
    }
    const auto payload = parse_command_payload(job.payload);
    if (!payload) {
        return {payload.error().message};
    }
    const std::string& name = payload.value().command;
    if (settings.commands.contains(name)) {
        return {};
    }
    std::vector<std::string_view> known;
    for (const auto& [command, ignored] : settings.commands) {
        known.push_back(command);
    }
    return {fmt::format(
        "command {} is not in the configuration; did you mean {}?",
        printable(name),
        nearest_name(name, known)
    )};
}

}  // namespace jobstrand::cli
