#pragma once

#include "schema/job.hpp"
#include "tools/service/workers/work_outcome.hpp"

#include <string>
#include <string_view>
#include <vector>

/// External jobs in the JSON of Camunda's external task REST, which its clients read.
namespace jobstrand::service {

/// A locked external task: the topic is the handler type, and the payload comes as variables (see
/// variables_of), each with Camunda's word for its type. Arrays and objects are texts there.
/// `wanted`: the names of those that are to come; nullptr: all of them.
[[nodiscard]] std::string
camunda_json(const schema::Job& job, const std::vector<std::string>* wanted = nullptr);

/// Reads `{"name": {"value": ..., "type": ...}, ...}`. Of the types only `Json` means something:
/// its text is JSON, and is read as what it says. std::invalid_argument: it is not that.
[[nodiscard]] std::vector<Variable> camunda_variables(std::string_view json);

}  // namespace jobstrand::service
