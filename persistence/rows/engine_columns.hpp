#pragma once

#include "persistence/sql/connection.hpp"
#include "persistence/sql/sql_transaction.hpp"
#include "schema/job.hpp"
#include "schema/log.hpp"
#include "schema/time.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Where the instance, the definition and the execution of a job stand in tables that an engine of
/// Flowable shares (see Dialect::has_engine). There PROCESS_INSTANCE_ID_, PROC_DEF_ID_ and
/// EXECUTION_ID_ have foreign keys to the engine's own rows, so those of our jobs stand in
/// SCOPE_ID_, SCOPE_DEFINITION_ID_ and SUB_SCOPE_ID_, where it has indexes. Jobs of the engine are
/// as it wrote them. Only statements know of it: a schema::Job has them in its own fields always.
namespace jobstrand::persistence {

/// What a SELECT and a condition write for a column of a job: the column itself, or, where tables
/// are shared, an expression for what a schema::Job has in the field of that column.
[[nodiscard]] std::string_view expression_for(std::string_view column, const Dialect& dialect);

[[nodiscard]] std::string_view expression_in_shared_tables(std::string_view column);

/// The column in which the rows that we make have it: what an index can serve.
[[nodiscard]] std::string_view our_column_for(std::string_view column, const Dialect& dialect);

/// Whether a job on these tables is one of the engine's.
[[nodiscard]] bool is_of_engine(const schema::Job& job, const Dialect& dialect);

/// The job as its row stands in shared tables.
[[nodiscard]] schema::Job as_in_shared_tables(schema::Job job);

/// A condition for rows that are ours; empty where all are: the tables are not shared.
[[nodiscard]] std::string_view and_ours(const Dialect& dialect);

/// What Flowable counts in ACT_RU_EXECUTION: how many jobs of an execution stand in each place. Its
/// engine deletes an execution without looking for jobs where a count is 0, and then fails on their
/// foreign keys; so whoever moves or deletes a job of an execution writes the counts in the same
/// transaction, and raises the revision, so that an engine that has read the row begins again.
///
/// Nothing is noted for jobs of ours, which have no execution there, nor where tables are not
/// shared.
class ExecutionCounts final {
public:
    explicit ExecutionCounts(Transaction& transaction) : transaction_(transaction) {}

    void enters(schema::JobPlace place, const schema::Job& job) { note(place, job, 1); }
    void leaves(schema::JobPlace place, const schema::Job& job) { note(place, job, -1); }

    /// Before the rows: an insert of a job locks its execution for sharing.
    void write();

private:
    using Changes = std::array<std::int64_t, 5>;  ///< By place.

    void note(schema::JobPlace place, const schema::Job& job, std::int64_t change);

    Transaction& transaction_;
    std::map<std::string, Changes> by_execution_;
};

/// Logs which of these jobs of ours, just claimed in tables that a Flowable engine shares, its
/// management has moved: it has copied Flowable's columns and REV_ only, and made the row anew.
///
/// | what was moved                                | how it is known                         |
/// |-----------------------------------------------|-----------------------------------------|
/// | whatever has a UUIDv7 as its id, as ours have | the id is more than a minute older      |
/// | a timer that nobody has changed, before it    | it was due after its row was made       |
/// | was due                                       |                                         |
/// | a dead letter, or what waited for a retry     | it has failed, and there is no attempt, |
/// |                                               | and it has not been due since           |
///
/// Of turns of a series that recall_series() has found nothing is lost but their attempts.
void log_moved_by_engine(
    schema::Log& log,
    std::span<const schema::Job> jobs,
    schema::TimePoint now
);

/// Gives turns among these jobs that an engine has moved back the name of their series, and what
/// the series keeps of them. Without it the series would stand still. Each series knows its turn.
/// Asks nothing where no engine is, or none of them has lost it.
void recall_series(Transaction& transaction, std::span<schema::Job* const> jobs);

/// The same for claimed jobs.
void recall_series(Transaction& transaction, std::span<schema::Job> jobs);

}  // namespace jobstrand::persistence
