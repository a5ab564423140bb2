#pragma once

#include "schema/job.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What goes between an app and its external workers: the payload of a job, and what came of it.
namespace jobstrand::service {

/// A variable in JSON. The value is as it was written.
struct Variable {
    std::string name;
    std::string value;
};

/// Of a result; more would take many times the memory of their text.
inline constexpr std::size_t kVariables = 10'000;

/// What a worker is given as variables: the members of a payload that is a JSON object; any other
/// payload is one, `payload`. A job that belongs to a trace has `traceparent` too, if its payload
/// has nothing of this name.
[[nodiscard]] std::vector<Variable> variables_of(const schema::Job& job);

/// Reads `[{"name":..., "value":...}, ...]`, which is how Flowable's workers write variables; what
/// else an item says, its type above all, is not looked at. std::invalid_argument: it is not that.
[[nodiscard]] std::vector<Variable> flowable_variables(std::string_view json);

/// Reads `{"name": value, ...}`.
[[nodiscard]] std::vector<Variable> variables_in(std::string_view json);

/// What a worker tells the app beside that it is done.
struct WorkNews {
    std::string action;  ///< `complete`, `bpmnError`, `cmmnTerminate`.
    std::optional<std::string> error_code = {};
    std::optional<std::string> error_message = {};
    std::vector<Variable> variables = {};
};

/// The payload of the job that hands the news on (schema::kWorkerOutcomeType):
///
///     {"topic":"invoice","action":"bpmnError","errorCode":"E1","errorMessage":null,
///      "variables":{"total":17},"payload":{"order":17}}
///
/// `payload` is that of the job.
[[nodiscard]] std::function<std::string(const schema::Job&)> outcome_of(WorkNews news);

}  // namespace jobstrand::service
