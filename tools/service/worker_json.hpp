#pragma once

#include "executor/workers/worker_broker.hpp"
#include "schema/job.hpp"
#include "schema/time.hpp"
#include "tools/text/json_text.hpp"

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::service {

/// The members of a JSON object that somebody else's client sends. null is as good as absent, and
/// what is not asked for is left alone.
///
/// What cannot be meant so is std::invalid_argument, whose text names the member. The text that is
/// read must outlive this.
class RequestMembers final {
public:
    explicit RequestMembers(std::string_view json);

    /// Of a value within JSON that was read: its members are not looked through a second time.
    [[nodiscard]] static RequestMembers of_value(std::string_view json);

    /// As it was written; nullopt: absent.
    [[nodiscard]] std::optional<std::string_view> value(std::string_view name) const;

    [[nodiscard]] std::optional<std::string> text(std::string_view name) const;
    [[nodiscard]] std::string required_text(std::string_view name) const;

    [[nodiscard]] std::optional<std::int64_t>
    number(std::string_view name, std::int64_t least, std::int64_t most) const;

    /// ISO 8601, or milliseconds as a text.
    [[nodiscard]] std::optional<schema::Duration> duration(std::string_view name) const;

    /// Members of other names, null too.
    void refuse_others(std::span<const std::string_view> known) const;
    void refuse_others(std::initializer_list<std::string_view> known) const {
        refuse_others(std::span(known.begin(), known.size()));
    }

private:
    explicit RequestMembers(const schema::ParseResult<std::vector<cli::JsonMember>>& members);

    std::vector<cli::JsonMember> members_;
};

// What goes between an app and its external workers: the payload of a job, and what came of it.

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

using ValueOf = std::string (*)(const cli::JsonMember& variable);

/// The value as it stands there.
[[nodiscard]] std::string as_written(const cli::JsonMember& variable);

/// Reads `{"name": value, ...}`.
[[nodiscard]] std::vector<Variable>
variables_in(std::string_view json, ValueOf value_of = as_written);

/// What kind of JSON a value is, in Flowable's words: `string`, `integer`, `long`, `double`,
/// `boolean`, `null`, `json`. Those of Camunda begin with a capital.
[[nodiscard]] std::string_view type_of(std::string_view value);

/// What a worker tells the app beside that it is done.
struct WorkNews {
    std::string action;  ///< `complete`, `bpmnError`, `cmmnTerminate`.
    std::optional<std::string> error_code = {};
    std::optional<std::string> error_message = {};
    std::vector<Variable> variables = {};
};

/// To be handed on to the app, by a job (schema::kWorkerOutcomeType) with the payload
///
///     {"topic":"invoice","action":"bpmnError","errorCode":"E1","errorMessage":null,
///      "variables":{"total":17},"payload":{"order":17}}
///
/// `payload` is that of the job.
[[nodiscard]] executor::WorkHandedOn work_handed_on(WorkNews news);

}  // namespace jobstrand::service
