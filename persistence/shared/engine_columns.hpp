#pragma once

#include "persistence/sql/connection.hpp"
#include "schema/job.hpp"

#include <string_view>

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

}  // namespace jobstrand::persistence
