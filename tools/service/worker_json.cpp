#include "tools/service/worker_json.hpp"

#include "schema/text/trace_parent.hpp"
#include "tools/text/terminal_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <stdexcept>
#include <utility>

namespace jobstrand::service {

namespace {

/// No request has more members than that.
constexpr std::size_t kMostRequestMembers = 1000;

/// `problem` stands behind the member's name; empty: there is none.
void refuse_member(std::string_view name, const std::string& problem) {
    if (!problem.empty()) {
        throw std::invalid_argument(fmt::format("{} {}", name, problem));
    }
}

}  // namespace

RequestMembers::RequestMembers(std::string_view json)
    : RequestMembers(cli::members_of(json, kMostRequestMembers)) {}

RequestMembers RequestMembers::of_value(std::string_view json) {
    return RequestMembers(cli::members_of_value(json, kMostRequestMembers));
}

RequestMembers::RequestMembers(const schema::ParseResult<std::vector<cli::JsonMember>>& members) {
    refuse_member("the body", members ? "" : members.error().message);
    members_ = members.value();
}

std::optional<std::string_view> RequestMembers::value(std::string_view name) const {
    const auto found = std::ranges::find(members_, name, &cli::JsonMember::name);
    const bool is_there = found != members_.end() && found->value != "null";
    return is_there ? std::optional(found->value) : std::nullopt;
}

std::optional<std::string> RequestMembers::text(std::string_view name) const {
    const auto written = value(name);
    std::optional<std::string> read;
    if (written) {
        refuse_member(name, cli::read_text(*written, read.emplace()));
    }
    return read;
}

std::string RequestMembers::required_text(std::string_view name) const {
    std::string read = text(name).value_or("");
    refuse_member(name, read.empty() ? "is required" : "");
    return read;
}

std::optional<std::int64_t>
RequestMembers::number(std::string_view name, std::int64_t least, std::int64_t most) const {
    const auto written = value(name);
    std::optional<std::int64_t> read;
    if (written) {
        refuse_member(name, cli::read_whole_number(*written, least, most, read.emplace()));
    }
    return read;
}

std::optional<schema::Duration> RequestMembers::duration(std::string_view name) const {
    const auto written = value(name);
    std::optional<schema::Duration> read;
    if (written) {
        refuse_member(name, cli::read_duration(*written, read));
    }
    return read;
}

void RequestMembers::refuse_others(std::span<const std::string_view> known) const {
    for (const cli::JsonMember& member : members_) {
        if (std::ranges::find(known, member.name) == known.end()) {
            throw std::invalid_argument(fmt::format(
                "there is no {}, only {}", cli::printable(member.name), fmt::join(known, ", ")
            ));
        }
    }
}

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

[[nodiscard]] std::string_view type_of_number(std::string_view value) {
    std::int64_t number = 0;
    const char* const end = value.data() + value.size();
    const auto [stop, error] = std::from_chars(value.data(), end, number);
    if (error != std::errc{} || stop != end) {
        return "double";
    }
    using Integer = std::numeric_limits<std::int32_t>;
    return number >= Integer::min() && number <= Integer::max() ? "integer" : "long";
}

[[nodiscard]] std::vector<Variable>
variables_from(const std::vector<cli::JsonMember>& members, ValueOf value_of) {
    std::vector<Variable> variables;
    for (const cli::JsonMember& member : members) {
        variables.push_back({.name = member.name, .value = value_of(member)});
    }
    return variables;
}

[[nodiscard]] std::vector<Variable> variables_of_payload(std::string_view payload) {
    if (payload.empty()) {
        return {};
    }
    const auto members = cli::members_of(payload);
    if (!members) {
        return {{.name = "payload", .value = json_of_payload(payload)}};
    }
    return variables_from(members.value(), as_written);
}

}  // namespace

std::string as_written(const cli::JsonMember& variable) {
    return cli::on_one_line(variable.value);
}

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

std::vector<Variable> variables_in(std::string_view json, ValueOf value_of) {
    const auto members = cli::members_of(json, kVariables);
    if (!members) {
        throw std::invalid_argument("variables must be an object");
    }
    return variables_from(members.value(), value_of);
}

std::string_view type_of(std::string_view value) {
    switch (value.front()) {  // It is JSON, so this tells what it is.
        case '"':
            return "string";
        case 't':
        case 'f':
            return "boolean";
        case 'n':
            return "null";
        case '{':
        case '[':
            return "json";
        default:
            return type_of_number(value);
    }
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

executor::WorkHandedOn work_handed_on(WorkNews news) {
    return {[news = std::move(news)](const schema::Job& job) {
        return fmt::format(
            R"({{"topic":{},"action":{},"errorCode":{},"errorMessage":{},"variables":{},"payload":{}}})",
            cli::json_string(job.handler_type),
            cli::json_string(news.action),
            text_or_null(news.error_code),
            text_or_null(news.error_message),
            object_of(news.variables),
            json_of_payload(job.payload)
        );
    }};
}

}  // namespace jobstrand::service
