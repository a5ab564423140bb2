#pragma once

#include "persistence/sql/transaction.hpp"
#include "persistence/suspension.hpp"
#include "schema/job.hpp"
#include "schema/series/series.hpp"

#include <set>
#include <span>
#include <string>
#include <string_view>

namespace jobstrand::persistence {

/// The word for a scope in JS_SUSPENSION.
[[nodiscard]] std::string_view name_of(SuspensionScope scope);

/// The column of a job that names its instance or its definition. Precondition: one of the two.
[[nodiscard]] std::string_view column_of(SuspensionScope scope);

/// Which instances, definitions and series of some jobs are suspended.
struct SuspendedScopes {
    std::set<std::string, std::less<>> instances;
    std::set<std::string, std::less<>> definitions;
    std::set<std::string, std::less<>> series;  ///< By themselves, or with their group.

    /// Of a series, only the turn that carries it on waits: what has fired runs.
    [[nodiscard]] bool contain(const schema::Job& job) const {
        return instances.contains(job.process_instance_id) ||
               definitions.contains(job.process_definition_id) ||
               (!job.repeat.empty() && series.contains(schema::series_key_of(job)));
    }
};

/// Writes that a scope is suspended from now on; one that is already stays as it is.
void mark_suspended(
    Transaction& transaction,
    SuspensionScope scope,
    std::string_view id,
    schema::TimePoint since
);

[[nodiscard]] bool is_anything_suspended(Transaction& transaction);

/// Asks nothing for jobs without instance, definition and REPEAT_. A suspension that is found
/// cannot be lifted before the transaction ends: the activation that lifts it then finds the job
/// that this transaction puts into the suspended place.
[[nodiscard]] SuspendedScopes
find_suspended(Transaction& transaction, std::span<const schema::Job* const> jobs);

}  // namespace jobstrand::persistence
