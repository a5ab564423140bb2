#pragma once

#include "persistence/sql/sql_transaction.hpp"
#include "persistence/suspension.hpp"
#include "schema/job.hpp"
#include "schema/series.hpp"

#include <set>
#include <span>
#include <string>
#include <string_view>

namespace jobstrand::persistence {

/// The word for a scope in JS_SUSPENSION.
[[nodiscard]] std::string_view name_of(SuspensionScope scope);

/// The column of a job that names what it belongs to. Precondition: not of a series or a kind.
[[nodiscard]] std::string_view column_of(SuspensionScope scope);

/// What stands in ID_ of JS_SUSPENSION.
[[nodiscard]] std::string suspension_id(SuspensionScope scope, std::string_view id);

/// What some jobs belong to, as far as it is suspended.
struct SuspendedScopes {
    using Ids = std::set<std::string, std::less<>>;

    Ids instances = {};
    Ids definitions = {};
    Ids series = {};  ///< By themselves, or with their group.
    Ids kinds = {};
    Ids tenants = {};
    Ids jobs = {};
    bool spares_engine = false;  ///< A Flowable engine shares the tables, and suspends its own.

    /// Of a series, only the turn that carries it on waits: what has fired runs.
    [[nodiscard]] bool contain(const schema::Job& job) const;
};

/// Why it is asked what is suspended.
enum class SuspensionMoment {
    insertion,  ///< Of new jobs.
    move,
    change,  ///< By an operator, or at the end of a run: single jobs may have been suspended.
};

/// Forgets suspensions of single jobs that are there no more: they were suspended while they ran,
/// and then were done.
void forget_marks_of_ended_jobs(Transaction& transaction);

/// Writes that a scope is suspended from now on; one that is already stays as it is.
void mark_suspended(
    Transaction& transaction,
    SuspensionScope scope,
    std::string_view id,
    schema::TimePoint since
);

[[nodiscard]] bool is_anything_suspended(Transaction& transaction);

/// Asks nothing for jobs without instance, definition, tenant and REPEAT_, unless single jobs may
/// be suspended. A suspension that is found cannot be lifted before the transaction ends: the
/// activation that lifts it then finds the job that this transaction puts into the suspended place.
[[nodiscard]] SuspendedScopes find_suspended(
    Transaction& transaction,
    std::span<const schema::Job* const> jobs,
    SuspensionMoment when = SuspensionMoment::move
);

}  // namespace jobstrand::persistence
