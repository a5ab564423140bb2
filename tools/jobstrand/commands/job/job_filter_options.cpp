#include "tools/jobstrand/commands/job/job_filter_options.hpp"

#include <CLI/CLI.hpp>

namespace jobstrand::cli {

void add_job_filter_options(CLI::App& verb, JobFilterOptions& options) {
    const char* const group = "Filters (all given ones must match)";
    const auto add = [&](const char* name, auto& value, const char* meaning, const char* unit) {
        verb.add_option(name, value, meaning)->group(group)->type_name(unit);
    };
    add("--type", options.handler_type, "Handler type", "TYPE");
    add("--instance", options.instance, "Process instance", "ID");
    add("--definition", options.definition, "Process definition", "ID");
    add("--element", options.element, "Element", "ID");
    add("--category", options.category, "Category", "NAME");
    add("--tenant", options.tenant, "Tenant", "ID");
    add("--correlation-id", options.correlation_id, "Correlation id", "ID");
    add("--error", options.error, "Part of the exception message; case counts", "TEXT");
    add("--created-before", options.created_before, "Created before a date", "DATE");
    add("--created-after", options.created_after, "Created after a date", "DATE");
    add("--due-before", options.due_before, "Due before a date", "DATE");
    add("--due-after", options.due_after, "Due after a date", "DATE");
    verb.add_flag("--locked", options.locked, "Only jobs that a node holds")->group(group);
    verb.add_flag("--free", options.free, "Only jobs that no node holds")->group(group);
}

}  // namespace jobstrand::cli
