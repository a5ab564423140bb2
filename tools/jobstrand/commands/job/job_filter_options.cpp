#include "tools/jobstrand/commands/job/job_filter_options.hpp"

#include "tools/jobstrand/commands/command_line.hpp"

namespace jobstrand::cli {

void add_job_filter_options(const Command& verb, JobFilterOptions& options) {
    const char* const group = "Filters (all given ones must match)";
    for (TypedCondition& typed : options.fields) {
        verb.add_repeated_option(typed.flags, typed.texts, typed.meaning)
            .group(group)
            .type_name(std::string(typed.field->filter.unit));
    }
    verb.add_repeated_option("--without", options.without, "Without a value: tenant, due, ...")
        .group(group)
        .type_name("FIELD");
    verb.add_flag("--locked", options.locked, "Only jobs that a node holds").group(group);
    verb.add_flag("--free", options.free, "Only jobs that no node holds").group(group);
    verb.add_flag(
            "--with-exception",
            options.with_exception,
            "Only jobs with a failure: of their last run"
    )
        .group(group);
    verb.add_flag("--without-exception", options.without_exception, "Only jobs without one")
        .group(group);
}

}  // namespace jobstrand::cli
