#include "tools/jobstrand/commands/job/job_filter_options.hpp"

#include "tools/jobstrand/commands/command_line.hpp"

#include <cstddef>

namespace jobstrand::cli {

namespace {

constexpr const char* kFilters = "Filters (all given ones must match)";

/// They take any number of texts, which are read where all of them are there.
[[nodiscard]] Parameters<JobFilterOptions> condition_parameters() {
    Parameters<JobFilterOptions> all;
    const std::vector<TypedCondition> conditions = filter_conditions();
    for (std::size_t i = 0; i < conditions.size(); ++i) {
        const auto keep = [i](JobFilterOptions& options, const auto& texts, const auto&...) {
            options.fields[i].texts = texts;
        };
        all.push_back(
            {conditions[i].flags,
             {ParameterKind::repeated, keep},
             conditions[i].meaning,
             {.unit = std::string(conditions[i].field->filter.unit), .heading = kFilters}}
        );
    }
    return all;
}

}  // namespace

const Parameters<JobFilterOptions>& job_filter_parameters() {
    static const ParameterRules rules{.heading = kFilters};
    static const auto keep_without = [](JobFilterOptions& options, const auto& texts, const auto&...
                                     ) { options.without = texts; };
    static const Parameters<JobFilterOptions> all = joined(
        condition_parameters(),
        {
            {"--without",
             {ParameterKind::repeated, keep_without},
             "Without a value: tenant, due, ...",
             {.unit = "FIELD", .heading = kFilters}},
            {"--locked", &JobFilterOptions::locked, "Only jobs that a node holds", rules},
            {"--free", &JobFilterOptions::free, "Only jobs that no node holds", rules},
            {"--with-exception",
             &JobFilterOptions::with_exception,
             "Only jobs with a failure: of their last run",
             rules},
            {"--without-exception",
             &JobFilterOptions::without_exception,
             "Only jobs without one",
             rules},
        }
    );
    return all;
}

void add_job_filter_options(const Command& verb, JobFilterOptions& options) {
    for (TypedCondition& typed : options.fields) {
        verb.add_repeated_option(typed.flags, typed.texts, typed.meaning)
            .group(kFilters)
            .type_name(std::string(typed.field->filter.unit));
    }
    verb.add_repeated_option("--without", options.without, "Without a value: tenant, due, ...")
        .group(kFilters)
        .type_name("FIELD");
    verb.add_flag("--locked", options.locked, "Only jobs that a node holds").group(kFilters);
    verb.add_flag("--free", options.free, "Only jobs that no node holds").group(kFilters);
    verb.add_flag(
            "--with-exception",
            options.with_exception,
            "Only jobs with a failure: of their last run"
    )
        .group(kFilters);
    verb.add_flag("--without-exception", options.without_exception, "Only jobs without one")
        .group(kFilters);
}

}  // namespace jobstrand::cli
