#pragma once

#include "persistence/job_filter.hpp"
#include "schema/job_fields.hpp"
#include "tools/parameters/parameter.hpp"
#include "tools/session/session.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// The options that are about a job's fields, made from schema::job_fields().
namespace jobstrand::cli {

/// An option of a field, and what was typed behind it.
struct TypedField {
    const schema::JobField* field;
    const schema::FieldOption* option;
    std::optional<std::string> text = {};  ///< Empty for an option that takes nothing.
    std::vector<std::string> texts = {};   ///< All that were typed, where the field is a list.
};

using TypedFields = std::vector<TypedField>;

/// The options of one kind in the order of `--help`: `fields_with(&schema::JobField::add)`.
[[nodiscard]] TypedFields fields_with(schema::FieldOption schema::JobField::*kind);

/// The same as parameters of an operation.
[[nodiscard]] Parameters<TypedFields> field_parameters(schema::FieldOption schema::JobField::*kind);

/// The option as messages name it: `--type`.
[[nodiscard]] std::string name_of(const schema::FieldOption& option);

/// `--retries, --priority or --payload`.
[[nodiscard]] std::string names_of(const TypedFields& fields);

[[nodiscard]] bool is_given(const TypedFields& fields, const schema::JobMember& member);

/// What was typed as a value of its member. Throws CliError wrong_usage for what cannot be meant
/// so, an empty text above all. Precondition: something was typed.
[[nodiscard]] schema::JobChange change_of(Session& session, const TypedField& typed);

/// An option that asks for jobs by a field, and what was typed behind it: of a text that is to be
/// the same any number, of which one is enough.
struct TypedCondition {
    const schema::JobField* field;
    persistence::FieldCondition::Match match;
    std::string flags;    ///< `--created-before`, or `--error,--message`.
    std::string option;   ///< As messages name it.
    std::string meaning;  ///< For `--help`.
    std::vector<std::string> texts = {};
};

/// All of them, in the order of `--help`.
[[nodiscard]] std::vector<TypedCondition> filter_conditions();

/// The filter options that ls, requeue and rm share, as they were typed.
struct JobFilterOptions {
    std::vector<TypedCondition> fields = filter_conditions();
    std::vector<std::string> without = {};  ///< Names of fields, as of their options.
    bool locked = false;
    bool free = false;
    bool with_exception = false;
    bool without_exception = false;
    std::vector<std::string> where = {};  ///< See parse_where(); all of them must match.
};

/// --type, --instance, ...
[[nodiscard]] const Parameters<JobFilterOptions>& job_filter_parameters();

/// The fields that a job may be without, as --without names them; nullopt: none of them.
[[nodiscard]] std::optional<schema::JobMember> field_without(std::string_view name);

/// `instance`, `definition`, ...: all of them.
[[nodiscard]] std::vector<std::string_view> fields_without();

/// Throws CliError wrong_usage for values that cannot be meant so, empty ones above all.
[[nodiscard]] persistence::JobFilter filter_of(Session& session, const JobFilterOptions& options);

}  // namespace jobstrand::cli
