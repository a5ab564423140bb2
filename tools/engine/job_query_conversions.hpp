#pragma once

#include "persistence/operator_store.hpp"
#include "schema/definition/job_definition.hpp"

#include <jobstrand/definition.hpp>
#include <jobstrand/job_query.hpp>

/// The public types for operators and ours. Nothing is decided here.
namespace jobstrand::engine {

[[nodiscard]] persistence::JobFilter filter_of(const JobQuery& query);
[[nodiscard]] persistence::SortedPart part_of(const JobQuery& query);

/// Throws std::invalid_argument for a name that is none.
[[nodiscard]] schema::JobDefinition definition_of(const JobDefinition& definition);
[[nodiscard]] JobDefinition to_public(const schema::JobDefinition& definition);

}  // namespace jobstrand::engine
