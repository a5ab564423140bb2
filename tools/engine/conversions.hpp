#pragma once

#include "deadletter/bulk_change.hpp"
#include "executor/enqueue/new_job.hpp"
#include "executor/job_handler.hpp"
#include "persistence/history_store.hpp"
#include "persistence/operator_store.hpp"
#include "persistence/series_store.hpp"
#include "persistence/sql/connection.hpp"
#include "persistence/sql/db_error.hpp"
#include "schema/job.hpp"
#include "schema/job_definition.hpp"
#include "schema/job_failure.hpp"
#include "schema/series.hpp"
#include "schema/time.hpp"
#include "tools/engine/wiring.hpp"

#include <jobstrand/change_answer.hpp>
#include <jobstrand/definition.hpp>
#include <jobstrand/engine.hpp>
#include <jobstrand/job.hpp>
#include <jobstrand/job_query.hpp>
#include <jobstrand/series.hpp>

#include <functional>
#include <span>
#include <utility>
#include <vector>

/// The public types and ours where they differ, in both directions. Nothing is decided here.
namespace jobstrand::engine {

/// A list of one.
template <typename T>
[[nodiscard]] std::vector<T> one(T item) {
    std::vector<T> list;
    list.push_back(std::move(item));
    return list;
}

[[nodiscard]] schema::Job job_of(NewJob job);
[[nodiscard]] std::vector<executor::UniqueJob> jobs_of(std::vector<NewJob> jobs);
[[nodiscard]] StoredJob stored_job_of(schema::Job job, JobPlace place);

/// Throws std::invalid_argument for a payload that no job can have.
void require_sound_payload(const std::string& payload);

/// Without its turn.
[[nodiscard]] schema::Series series_of(NewSeries series);
[[nodiscard]] StoredSeries to_public(persistence::SeriesSummary summary);

/// Borrows the texts of the job.
[[nodiscard]] JobContext context_of(const executor::JobContext& context);
[[nodiscard]] executor::HandlerResult result_of(HandlerResult result);

[[nodiscard]] std::vector<persistence::Value> values_of(std::span<const Value> values);
[[nodiscard]] std::vector<Value> to_public_values(std::span<const persistence::Value> values);

/// Throws std::invalid_argument for a cycle that cannot be read.
[[nodiscard]] schema::RetryPolicy policy_of(const RetryOptions& options);
[[nodiscard]] WiringOptions wiring_options_of(const EngineOptions& options);

/// Calls of the app's code from inside: an Error that it lets through is one of ours again, so that
/// conflicts are tried again and outages are not the job's fault.
template <typename Call>
auto with_own_errors(const Call& call) {
    // Defended catch: the app makes errors of the public type.
    try {
        return call();
    } catch (const persistence::DbError&) {
        throw;
    } catch (const Error& error) {
        throw persistence::DbError(error);
    }
}

/// Calls the app's code in the midst of our work with a database. What other calls of an engine
/// have thrown there, and the app lets through, is none of this database's errors.
template <typename Call>
auto with_foreign_errors(const Call& call) {
    // Defended catch: else a transaction would count as failed, and be run again.
    try {
        return call();
    } catch (const persistence::DbError& error) {
        if (error.kind() == persistence::DbErrorKind::unreadable) {
            throw;  // Of the row that is being read.
        }
        throw Error(static_cast<const Error&>(error).kind(), error.what());
    }
}

// For operators.

[[nodiscard]] persistence::JobFilter filter_of(const JobQuery& query);
[[nodiscard]] persistence::SortedPart part_of(const JobQuery& query);

[[nodiscard]] JobDefinition to_public(const schema::JobDefinition& definition);

/// Turns each NewJob::due into a due date. `calendars` is asked once, and only if a job names one.
/// Throws std::invalid_argument for texts that mean nothing, and next to a due_date.
void resolve_due_texts(
    std::span<NewJob> jobs,
    schema::TimePoint now,
    const std::function<schema::CalendarTexts()>& calendars
);
void resolve_due_texts(std::span<NewJob> jobs, Wiring& wiring);

/// What became of the one item that `operation` is about.
template <typename Operation>
[[nodiscard]] deadletter::ItemResult item_of(const Operation& operation) {
    deadletter::ItemResult result{.answer = deadletter::ItemAnswer::not_found};
    operation(deadletter::BulkWatch{
        .on_item = [&](const deadletter::ItemResult& item) { result = item; }});
    return result;
}

}  // namespace jobstrand::engine
