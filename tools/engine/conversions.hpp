#pragma once

#include "deadletter/bulk_change.hpp"
#include "executor/enqueue/new_job.hpp"
#include "executor/job_handler.hpp"
#include "persistence/history_store.hpp"
#include "persistence/operator_store.hpp"
#include "persistence/series_store.hpp"
#include "persistence/sql/connection.hpp"
#include "persistence/sql/db_error.hpp"
#include "persistence/unique_keys.hpp"
#include "schema/acquisition.hpp"
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
#include <vector>

/// The public types and ours, in both directions. Nothing is decided here.
namespace jobstrand::engine {

[[nodiscard]] schema::Job job_of(NewJob job);
[[nodiscard]] std::vector<executor::UniqueJob> jobs_of(std::vector<NewJob> jobs);
[[nodiscard]] Enqueued to_public(schema::Enqueued enqueued);
[[nodiscard]] StoredJob stored_job_of(schema::Job job, schema::JobPlace place);

/// Throws std::invalid_argument for a payload that no job can have.
void require_sound_payload(const std::string& payload);

/// Without its turn.
[[nodiscard]] schema::Series series_of(NewSeries series);
[[nodiscard]] StoredSeries to_public(persistence::SeriesSummary summary);

[[nodiscard]] SeriesState to_public(persistence::SeriesCondition condition);
[[nodiscard]] persistence::SeriesCondition condition_of(SeriesState state);

[[nodiscard]] ChangeAnswer to_public(deadletter::ItemAnswer answer);

[[nodiscard]] Incident to_public(const persistence::Incident& incident);

[[nodiscard]] schema::JobPlace place_of(JobPlace place);
[[nodiscard]] JobPlace to_public(schema::JobPlace place);

[[nodiscard]] schema::ServedScope scope_of(ServedScope scope);
[[nodiscard]] ServedScope to_public(schema::ServedScope scope);

/// Borrows the texts of the job.
[[nodiscard]] JobContext context_of(const executor::JobContext& context);
[[nodiscard]] executor::HandlerResult result_of(HandlerResult result);

[[nodiscard]] std::vector<persistence::Value> values_of(std::span<const Value> values);
[[nodiscard]] std::vector<Value> to_public_values(std::span<const persistence::Value> values);

/// Throws std::invalid_argument for a cycle that cannot be read.
[[nodiscard]] schema::RetryPolicy policy_of(const RetryOptions& options);
[[nodiscard]] WiringOptions wiring_options_of(const EngineOptions& options);

[[nodiscard]] ErrorKind to_public(persistence::DbErrorKind kind);
[[nodiscard]] persistence::DbErrorKind kind_of(ErrorKind kind);

/// Calls out of the library: what it throws becomes public.
template <typename Call>
auto with_public_errors(const Call& call) {
    // Defended catch: our error type is not the app's.
    try {
        return call();
    } catch (const persistence::DbError& error) {
        throw Error(to_public(error.kind()), error.what());
    } catch (const persistence::KeyHeld& error) {
        throw Error(ErrorKind::duplicate_key, error.what());
    }
}

/// Calls of the app's code from inside: an Error that it lets through is one of ours again, so that
/// conflicts are tried again and outages are not the job's fault.
template <typename Call>
auto with_own_errors(const Call& call) {
    // Defended catch: the app's error type is not ours.
    try {
        return call();
    } catch (const Error& error) {
        throw persistence::DbError(kind_of(error.kind()), error.what());
    }
}

// For operators.

[[nodiscard]] persistence::JobFilter filter_of(const JobQuery& query);
[[nodiscard]] persistence::SortedPart part_of(const JobQuery& query);

/// Throws std::invalid_argument for a name that is none.
[[nodiscard]] schema::JobDefinition definition_of(const JobDefinition& definition);
[[nodiscard]] JobDefinition to_public(const schema::JobDefinition& definition);

/// Turns each NewJob::due into a due date. `calendars` is asked once, and only if a job names one.
/// Throws std::invalid_argument for texts that mean nothing, and next to a due_date.
void resolve_due_texts(
    std::span<NewJob> jobs,
    schema::TimePoint now,
    const std::function<schema::CalendarTexts()>& calendars
);

/// What became of the one item that `operation` is about.
template <typename Operation>
[[nodiscard]] deadletter::ItemResult item_of(const Operation& operation) {
    deadletter::ItemResult result{.answer = deadletter::ItemAnswer::not_found};
    operation(deadletter::BulkWatch{
        .on_item = [&](const deadletter::ItemResult& item) { result = item; }});
    return result;
}

template <typename Operation>
[[nodiscard]] ChangeAnswer answer_of(const Operation& operation) {
    return to_public(item_of(operation).answer);
}

}  // namespace jobstrand::engine
