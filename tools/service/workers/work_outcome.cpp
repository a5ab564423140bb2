#include "tools/service/workers/work_outcome.hpp"

#include "schema/text/trace_parent.hpp"
#include "tools/service/workers/request_members.hpp"
#include "tools/text/json_text.hpp"
#include "tools/text/json_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace jobstrand::service {

namespace {

/// The variable by which a worker gets the trace of its job.
constexpr std::string_view kTrace = "traceparent";

/// The payload as a JSON value: texts that are none become strings.
[[nodiscard]] std::string json_of_payload(std::string_view payload) {
    if (payload.empty()) {
        return "null";
    }
    return cli::problem_of_json(payload).empty() ? cli::on_one_line(payload)
                                                 : cli::json_string(payload);
}

[[nodiscard]] std::string text_or_null(const std::optional<std::string>& text) {
    return text ? cli::json_string(*text) : "null";
}

[[nodiscard]] std::string object_of(const std::vector<Variable>& variables) {
    std::string object = "{";
    for (const Variable& variable : variables) {
        object += fmt::format(
            "{}{}:{}", object.size() > 1 ? "," : "", cli::json_string(variable.name), variable.value
        );
    }
    return object + '}';
}

[[nodiscard]] std::vector<Variable> variables_of_payload(std::string_view payload) {
    if (payload.empty()) {
        return {};
    }
    const auto members = cli::members_of(payload);
    if (!members) {
        return {{.name = "payload", .value = json_of_payload(payload)}};
    }
    std::vector<Variable> variables;
    for (const cli::JsonMember& member : members.value()) {
        variables.push_back({.name = member.name, .value = cli::on_one_line(member.value)});
    }
    return variables;
}

}  // namespace

std::vector<Variable> variables_of(const schema::Job& job) {
    std::vector<Variable> variables = variables_of_payload(job.payload);
    // Plain SQL may have written anything there.
    const auto trace = schema::parse_trace_parent(job.trace_parent);
    if (trace && std::ranges::find(variables, kTrace, &Variable::name) == variables.end()) {
        variables.push_back(
            {.name = std::string(kTrace), .value = cli::json_string(schema::text_of(*trace))}
        );
    }
    return variables;
}

std::vector<Variable> variables_in(std::string_view json) {
    const auto members = cli::members_of(json, kVariables);
    if (!members) {
        throw std::invalid_argument("variables must be an object");
    }
    std::vector<Variable> variables;
    for (const cli::JsonMember& member : members.value()) {
        variables.push_back({.name = member.name, .value = cli::on_one_line(member.value)});
    }
    return variables;
}

std::vector<Variable> flowable_variables(std::string_view json) {
    const auto items = cli::items_of(json, kVariables);
    if (!items) {
        throw std::invalid_argument("variables " + items.error().message);
    }
    if (items.value().size() > kVariables) {
        throw std::invalid_argument(fmt::format("variables has more than {} items", kVariables));
    }
    std::vector<Variable> variables;
    for (const std::string_view item : items.value()) {
        const RequestMembers members(item);
        std::string name = members.required_text("name");
        if (std::ranges::find(variables, name, &Variable::name) != variables.end()) {
            throw std::invalid_argument(fmt::format("variables has the name {} twice", name));
        }
        const std::string_view value = members.value("value").value_or("null");
        variables.push_back({.name = std::move(name), .value = cli::on_one_line(value)});
    }
    return variables;
}

std::function<std::string(const schema::Job&)> outcome_of(WorkNews news) {
    return [news = std::move(news)](const schema::Job& job) {
        return fmt::format(
            R"({{"topic":{},"action":{},"errorCode":{},"errorMessage":{},"variables":{},"payload":{}}})",
            cli::json_string(job.handler_type),
            cli::json_string(news.action),
            text_or_null(news.error_code),
            text_or_null(news.error_message),
            object_of(news.variables),
            json_of_payload(job.payload)
        );
    };
}

}  // namespace jobstrand::service
