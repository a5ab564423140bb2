#include "tools/parameters/job_filter_options.hpp"

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
    static const Parameters<JobFilterOptions> all = [] {
        const auto keep_without = [](JobFilterOptions& options, const auto& texts, const auto&...) {
            options.without = texts;
        };
        const auto keep_where = [](JobFilterOptions& options, const auto& texts, const auto&...) {
            options.where = texts;
        };
        Parameters<JobFilterOptions> parameters = condition_parameters();
        parameters.push_back(
            {"--where",
             {ParameterKind::repeated, keep_where},
             "With AND, OR, NOT: 'type:mail OR payload.order:17'",
             {.unit = "TEXT", .heading = kFilters}}
        );
        parameters.push_back(
            {"--without",
             {ParameterKind::repeated, keep_without},
             "Without a value: tenant, due, ...",
             {.unit = "FIELD", .heading = kFilters}}
        );
        const ParameterRules flag{.heading = kFilters};
        const Parameters<JobFilterOptions> flags{
            {"--locked", &JobFilterOptions::locked, "Only jobs that a node holds", flag},
            {"--free", &JobFilterOptions::free, "Only jobs that no node holds", flag},
            {"--with-exception",
             &JobFilterOptions::with_exception,
             "Only jobs with a failure: of their last run",
             flag},
            {"--without-exception",
             &JobFilterOptions::without_exception,
             "Only jobs without one",
             flag},
        };
        return joined(parameters, flags);
    }();
    return all;
}

}  // namespace jobstrand::cli
