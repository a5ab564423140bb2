#pragma once

#include "schema/definition/job_definition.hpp"
#include "tools/jobstrand/output/record.hpp"

namespace jobstrand::cli {

/// What is known of a definition, of an element or a type: its name and what it says.
[[nodiscard]] Record record_of(const schema::JobDefinition& definition);

}  // namespace jobstrand::cli
