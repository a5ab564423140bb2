#pragma once

#include "persistence/job_filter.hpp"
#include "schema/job_fields.hpp"

#include <optional>
#include <string>
#include <vector>

namespace jobstrand::cli {

class Command;
class Session;

/// An option that asks for jobs by a field, and what was typed behind it.
struct TypedCondition {
    const schema::JobField* field;
    persistence::FieldCondition::Match match;
    std::string flags;    ///< `--created-before`, or `--error,--message`.
    std::string option;   ///< As messages name it.
    std::string meaning;  ///< For `--help`.
    std::optional<std::string> text = {};
};

/// All of them, in the order of `--help`.
[[nodiscard]] std::vector<TypedCondition> filter_conditions();

/// The filter options that ls, requeue and rm share, as they were typed.
struct JobFilterOptions {
    std::vector<TypedCondition> fields = filter_conditions();
    bool locked = false;
    bool free = false;
    bool with_exception = false;
    bool without_exception = false;
};

/// --type, --instance, ... at a verb. `options` has to stay where it is.
void add_job_filter_options(const Command& verb, JobFilterOptions& options);

/// Throws CliError wrong_usage for values that cannot be meant so, empty ones above all.
[[nodiscard]] persistence::JobFilter filter_of(Session& session, const JobFilterOptions& options);

}  // namespace jobstrand::cli
