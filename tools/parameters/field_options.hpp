#pragma once

#include "schema/job_change.hpp"
#include "schema/job_fields.hpp"
#include "tools/parameters/parameter.hpp"
#include "tools/session/session.hpp"

#include <optional>
#include <span>
#include <string>
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

}  // namespace jobstrand::cli
