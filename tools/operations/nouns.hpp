#pragma once

#include "tools/operations/operation.hpp"

#include <span>
#include <string_view>
#include <vector>

/// The nouns whose operations stand in the table. Their sources are here, but for `serve` and
/// `demo`, which stand beside the service that they start (program/), and `completion` and
/// `manual`, which are made from the declared command line (surface/).
namespace jobstrand::cli {

[[nodiscard]] OperationNoun audit_noun();
[[nodiscard]] OperationNoun batch_noun();
[[nodiscard]] OperationNoun calendar_noun();
[[nodiscard]] OperationNoun completion_noun();
[[nodiscard]] OperationNoun config_noun();
[[nodiscard]] OperationNoun dead_noun();
[[nodiscard]] OperationNoun definition_noun();
[[nodiscard]] OperationNoun group_noun();
[[nodiscard]] OperationNoun incident_noun();
[[nodiscard]] OperationNoun instance_noun();
[[nodiscard]] OperationNoun job_noun();
[[nodiscard]] OperationNoun limit_noun();
[[nodiscard]] OperationNoun lock_noun();
[[nodiscard]] OperationNoun log_noun();
[[nodiscard]] OperationNoun node_noun();
[[nodiscard]] OperationNoun rate_noun();
[[nodiscard]] OperationNoun schema_noun();
[[nodiscard]] OperationNoun series_noun();
[[nodiscard]] OperationNoun tenant_noun();
[[nodiscard]] OperationNoun timer_noun();
[[nodiscard]] OperationNoun token_noun();
[[nodiscard]] OperationNoun type_noun();

// Verbs without a noun.
[[nodiscard]] OperationNoun demo_verb();
[[nodiscard]] OperationNoun doctor_verb();
[[nodiscard]] OperationNoun manual_verb();
[[nodiscard]] OperationNoun serve_verb();
[[nodiscard]] OperationNoun stats_verb();
[[nodiscard]] OperationNoun top_verb();

/// All of them, in the order of the help.
[[nodiscard]] std::span<const OperationNoun> operation_nouns();

/// By noun and verb, `job add`; null: there is none.
[[nodiscard]] const Operation* operation_named(std::string_view words);

/// Likewise, of those that services run for clients.
[[nodiscard]] const Operation* served_operation_named(std::string_view words);

/// `instance move`, between two databases.
[[nodiscard]] Operation instance_move_operation();

/// `timer next`.
[[nodiscard]] Operation timer_next_operation();

/// `dead requeue` and `dead rm`; `dead export` and `dead import`.
[[nodiscard]] std::vector<Operation> dead_change_operations();
[[nodiscard]] std::vector<Operation> dead_copy_operations();

/// `definition ls`, `suspend` and `activate`, which are those of instances and tenants too.
[[nodiscard]] std::vector<Operation> definition_scope_operations();

}  // namespace jobstrand::cli
