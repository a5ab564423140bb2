#pragma once

#include "persistence/sql/connection.hpp"
#include "schema/definition/job_definition.hpp"

#include <cstddef>
#include <string_view>

namespace jobstrand::persistence {

/// The columns of a row, in the order in which definition_in reads them.
inline constexpr std::string_view kDefinitionColumns =
    "PROC_DEF_ID_, ACT_ID_, JOB_TYPE_, PRIORITY_, RETRY_CYCLE_, EXCLUSIVE_, JOB_PRIORITY_";
inline constexpr std::size_t kDefinitionColumnCount = 7;

[[nodiscard]] schema::JobDefinition definition_in(const Row& row);

}  // namespace jobstrand::persistence
