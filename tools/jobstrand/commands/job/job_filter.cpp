#include "tools/jobstrand/commands/job/job_filter_options.hpp"
#include "tools/jobstrand/commands/option_values.hpp"
#include "tools/jobstrand/exit_code.hpp"

#include <string_view>

namespace jobstrand::cli {

namespace {

void set_text(std::string& field, std::string_view option, const std::optional<std::string>& text) {
    if (text) {
        field = not_empty(option, *text);
    }
}

void set_time(
    std::optional<schema::TimePoint>& field,
    std::string_view option,
    const std::optional<std::string>& text
) {
    if (text) {
        field = instant_of(option, *text);
    }
}

}  // namespace

persistence::JobFilter filter_of(const JobFilterOptions& options) {
    persistence::JobFilter filter;
    set_text(filter.handler_type, "--type", options.handler_type);
    set_text(filter.process_instance_id, "--instance", options.instance);
    set_text(filter.process_definition_id, "--definition", options.definition);
    set_text(filter.element_id, "--element", options.element);
    set_text(filter.category, "--category", options.category);
    set_text(filter.tenant_id, "--tenant", options.tenant);
    set_text(filter.correlation_id, "--correlation-id", options.correlation_id);
    set_text(filter.error, "--error", options.error);
    set_time(filter.created_before, "--created-before", options.created_before);
    set_time(filter.created_after, "--created-after", options.created_after);
    set_time(filter.due_before, "--due-before", options.due_before);
    set_time(filter.due_after, "--due-after", options.due_after);
    if (options.locked && options.free) {
        throw CliError(ExitCode::wrong_usage, "--locked and --free exclude each other");
    }
    if (options.locked || options.free) {
        filter.locked = options.locked;
    }
    return filter;
}

}  // namespace jobstrand::cli
