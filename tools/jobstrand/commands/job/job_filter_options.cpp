#include "tools/jobstrand/commands/job/job_filter_options.hpp"

#include "tools/jobstrand/commands/command_line.hpp"

#include <array>
#include <cstddef>

namespace jobstrand::cli {

namespace {

constexpr const char* kFilters = "Filters (all given ones must match)";
constexpr const char* kWithout = "Without a value: tenant, due, ...";

struct FilterFlag {
    const char* names;
    bool JobFilterOptions::*member;
    const char* meaning;
};

constexpr std::array kFlags{
    FilterFlag{"--locked", &JobFilterOptions::locked, "Only jobs that a node holds"},
    FilterFlag{"--free", &JobFilterOptions::free, "Only jobs that no node holds"},
    FilterFlag{
        "--with-exception",
        &JobFilterOptions::with_exception,
        "Only jobs with a failure: of their last run"},
    FilterFlag{
        "--without-exception",
        &JobFilterOptions::without_exception,
        "Only jobs without one"},
};

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
        Parameters<JobFilterOptions> parameters = condition_parameters();
        parameters.push_back(
            {"--without",
             {ParameterKind::repeated, keep_without},
             kWithout,
             {.unit = "FIELD", .heading = kFilters}}
        );
        for (const FilterFlag& flag : kFlags) {
            parameters.push_back({flag.names, flag.member, flag.meaning, {.heading = kFilters}});
        }
        return parameters;
    }();
    return all;
}

void add_job_filter_options(const Command& verb, JobFilterOptions& options) {
    for (TypedCondition& typed : options.fields) {
        verb.add_repeated_option(typed.flags, typed.texts, typed.meaning)
            .group(kFilters)
            .type_name(std::string(typed.field->filter.unit));
    }
    verb.add_repeated_option("--without", options.without, kWithout)
        .group(kFilters)
        .type_name("FIELD");
    for (const FilterFlag& flag : kFlags) {
        verb.add_flag(flag.names, options.*flag.member, flag.meaning).group(kFilters);
    }
}

}  // namespace jobstrand::cli
