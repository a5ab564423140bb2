#include "schema/ensure.hpp"
#include "schema/job_fields.hpp"
#include "schema/text/utf8.hpp"
#include "tools/operations/nouns.hpp"
#include "tools/parameters/field_options.hpp"
#include "tools/records/job_json.hpp"
#include "tools/records/runs_json.hpp"
#include "tools/service/routes.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <utility>
#include <vector>

namespace jobstrand::service {

/// What is said of the paths that are not in the table of operations: open_api.json.
extern const std::string_view kOpenApi;

namespace {

using cli::DescribedField;
using cli::DescribedResult;
using cli::Operation;
using cli::Parameter;
using cli::ParameterKind;
using Json = nlohmann::ordered_json;

/// `limitSet` of `limit set`, and likewise for what hyphens and slashes divide.
[[nodiscard]] std::string joined_words(std::string_view words) {
    std::string joined;
    bool is_next_upper = false;
    for (const char letter : words) {
        if (letter == ' ' || letter == '-' || letter == '/') {
            is_next_upper = true;
            continue;
        }
        const int upper = std::toupper(static_cast<unsigned char>(letter));
        joined += is_next_upper ? static_cast<char>(upper) : letter;
        is_next_upper = false;
    }
    return joined;
}

[[nodiscard]] Json schema_of(const Parameter& parameter) {
    Json schema{{"type", "string"}};
    switch (parameter.kind) {
        case ParameterKind::flag:
            schema["type"] = "boolean";
            break;
        case ParameterKind::number:
            schema["type"] = "integer";
            if (parameter.rules.least != std::numeric_limits<std::int64_t>::min()) {
                schema["minimum"] = parameter.rules.least;
            }
            if (parameter.rules.most != std::numeric_limits<std::int64_t>::max()) {
                schema["maximum"] = parameter.rules.most;
            }
            break;
        case ParameterKind::texts:
        case ParameterKind::repeated:
            schema["type"] = "array";
            schema["items"] = {{"type", "string"}};
            break;
        case ParameterKind::text:
        case ParameterKind::time:
        case ParameterKind::duration:
            break;
    }
    return schema;
}

[[nodiscard]] Json schema_of(const DescribedField& field) {
    Json schema = Json::object();
    if (field.type.name.empty()) {
        return schema;
    }
    if (field.type.is_nullable) {
        schema["type"] = {std::string(field.type.name), "null"};
    } else {
        schema["type"] = std::string(field.type.name);
    }
    if (field.type.name == "array") {
        schema["items"] = {{"type", "string"}};
    }
    if (!field.type.format.empty()) {
        schema["format"] = std::string(field.type.format);
    }
    if (!field.meaning.empty()) {
        schema["description"] = std::string(field.meaning);
    }
    return schema;
}

[[nodiscard]] Json schema_of(const std::vector<DescribedField>& fields) {
    Json properties = Json::object();
    Json required = Json::array();
    for (const DescribedField& field : fields) {
        properties[std::string(field.name)] = schema_of(field);
        if (field.is_always_there) {
            required.push_back(std::string(field.name));
        }
    }
    return {{"type", "object"}, {"required", required}, {"properties", properties}};
}

/// `DeadGroups`.
[[nodiscard]] std::string capitalized(std::string text) {
    text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
    return text;
}

/// The names in braces, in their order.
[[nodiscard]] std::vector<std::string> places_in(std::string_view path) {
    std::vector<std::string> places;
    for (std::size_t at = path.find('{'); at != std::string_view::npos;
         at = path.find('{', at + 1)) {
        places.emplace_back(path.substr(at + 1, path.find('}', at) - at - 1));
    }
    return places;
}

[[nodiscard]] Json content_of(const Json& schema) {
    return {{"application/json", {{"schema", schema}}}};
}

/// To something in `components`.
[[nodiscard]] Json reference(std::string_view kind, std::string_view name) {
    return {{"$ref", fmt::format("#/components/{}/{}", kind, name)}};
}

// open_api.json says in short what all of its paths have in common: a text for a schema is the name
// of one, a text for a response the name of one or else its description, the places of a path are
// parameters, and whatever can go wrong is a problem. What operations on others' paths are called
// follows from the path.

[[nodiscard]] Json whole_schema(const Json& schema) {
    return schema.is_string() ? reference("schemas", schema.get<std::string>()) : schema;
}

[[nodiscard]] Json whole_response(const Json& response, const Json& known) {
    if (response.is_string()) {
        const auto text = response.get<std::string>();
        return known.contains(text) ? reference("responses", text) : Json{{"description", text}};
    }
    if (!response.contains("schema")) {
        return response;
    }
    return {
        {"description", response["description"]},
        {"content", content_of(whole_schema(response["schema"]))}};
}

[[nodiscard]] Json place_of(const std::string& name, const Json& known) {
    const std::string known_as = capitalized(name);
    return known.contains(known_as) ? reference("parameters", known_as)
                                    : Json{
                                          {"name", name},
                                          {"in", "path"},
                                          {"required", true},
                                          {"schema", {{"type", "string"}}}};
}

/// Paths that others have thought of: their tag, and what the names of their operations begin with.
struct OthersPaths {
    std::string_view beginning;
    std::string_view tag;
    std::string_view name;
};

constexpr std::array<OthersPaths, 3> kOthersPaths{{
    {"/process-api/management", "flowable", "flowable"},
    {"/external-job-api", "flowable", "flowableWorker"},
    {"/engine-rest", "camunda", "camunda"},
}};

constexpr std::string_view kId = "{id}";

[[nodiscard]] Json whole_operation(
    const std::string& method,
    std::string_view path,
    const Json& said,
    const Json& known_responses
) {
    Json whole = Json::object();
    for (const OthersPaths& others : kOthersPaths) {
        if (path.starts_with(others.beginning)) {
            std::string rest(path.substr(others.beginning.size()));
            if (const std::size_t id = rest.find(kId); id != std::string::npos) {
                rest.replace(id, kId.size(), "One");
            }
            whole["operationId"] = joined_words(fmt::format("{} {}{}", others.name, method, rest));
            whole["tags"] = {std::string(others.tag)};
        }
    }
    whole.update(said);
    if (const auto body = whole.find("requestBody"); body != whole.end() && body->is_string()) {
        *body = {{"required", true}, {"content", content_of(whole_schema(*body))}};
    }
    Json& responses = whole["responses"];
    for (Json& response : responses) {
        response = whole_response(response, known_responses);
    }
    if (!path.starts_with("/health/")) {
        responses["default"] = reference("responses", "Problem");
    }
    return whole;
}

struct MethodAndPath {
    std::string method;  ///< In small letters.
    std::string path;
};

/// Of `GET /api/v1/jobs/{id}`.
[[nodiscard]] MethodAndPath method_and_path(std::string_view text) {
    const std::size_t blank = text.find(' ');
    return {schema::in_small_letters(text.substr(0, blank)), std::string(text.substr(blank + 1))};
}

/// The paths as OpenAPI has them, of those that open_api.json says.
[[nodiscard]] Json whole_paths(const Json& said, const Json& components) {
    Json paths = Json::object();
    for (const auto& [text, operation] : said.items()) {
        const auto [method, path] = method_and_path(text);
        if (!paths.contains(path)) {
            paths[path] = Json::object();
            for (const std::string& place : places_in(path)) {
                paths[path]["parameters"].push_back(place_of(place, components["parameters"]));
            }
        }
        paths[path][method] = whole_operation(method, path, operation, components["responses"]);
    }
    return paths;
}

/// The records of results, each under a name of its own, since generators make types of them.
class Records {
public:
    explicit Records(Json& schemas) : schemas_(schemas) {}

    /// Whatever has these fields already keeps its name.
    [[nodiscard]] Json reference_to(const std::vector<DescribedField>& fields, std::string name) {
        Json schema = schema_of(fields);
        const auto [known, is_new] = names_.try_emplace(schema.dump(), std::move(name));
        if (is_new) {
            JOBSTRAND_ENSURE(!schemas_.contains(known->second));
            schemas_[known->second] = std::move(schema);
        }
        return reference("schemas", known->second);
    }

    [[nodiscard]] bool has(const std::string& name) const { return schemas_.contains(name); }

private:
    Json& schemas_;
    std::map<std::string, std::string> names_;
};

/// What an operation tells of one thing is named after the noun where it is all of it.
[[nodiscard]] std::string
record_name(const Operation& operation, const std::string& noun, const Records& records) {
    const std::string of_noun = capitalized(noun);
    const std::string& words = operation.text.words;
    const bool is_all = words.ends_with(" ls") || words.ends_with(" show");
    return is_all && !records.has(of_noun) ? of_noun
                                           : capitalized(joined_words(operation.text.words));
}

[[nodiscard]] Json
schema_of_result(const Operation& operation, const std::string& noun, Records& records) {
    const DescribedResult& result = operation.result;
    const bool is_answer = result.kind == DescribedResult::Kind::items;
    const std::string name = is_answer
                                 ? capitalized(std::string(result.fields.front().name)) + "Answer"
                                 : record_name(operation, noun, records);
    Json item = records.reference_to(result.fields, name);
    if (!result.other_fields.empty()) {
        item = {{"anyOf", {item, records.reference_to(result.other_fields, name + "Other")}}};
    }
    if (result.kind == DescribedResult::Kind::record) {
        return item;
    }
    const Json list{{"type", "array"}, {"items", item}};
    if (result.of_all.empty()) {
        return list;
    }
    // What becomes of those that were named, or of all that match.
    Json record = schema_of(result.of_all);
    record["properties"]["items"] = list;
    return record;
}

[[nodiscard]] Json
responses_of(const Operation& operation, const std::string& noun, Records& records) {
    const bool is_about_one =
        operation.result.kind == DescribedResult::Kind::items && !in_path(operation).empty();
    Json responses;
    if (is_about_one) {
        responses["204"] = {{"description", "Done"}};
    } else {
        responses["200"] = {
            {"description", "Done"},
            {"content", content_of(schema_of_result(operation, noun, records))}};
    }
    if (operation.result.kind == DescribedResult::Kind::page) {
        responses["200"]["headers"]["Link"] = {
            {"description", "Where the list goes on: rel=next"}, {"schema", {{"type", "string"}}}};
    }
    const bool may_be_soon = std::ranges::any_of(operation.parameters, [](const Parameter& one) {
        return one.option_name() == "--soon";
    });
    if (may_be_soon) {
        responses["200"]["headers"]["Jobstrand-Looked-At"] = {
            {"description", "Of how many jobs of a full place this is; not there: of all"},
            {"schema", {{"type", "integer"}}}};
    }
    responses["default"] = reference("responses", "Problem");
    return responses;
}

[[nodiscard]] Json parameter_of(
    const std::string& name,
    std::string_view in,
    const Parameter& parameter,
    bool is_required
) {
    Json schema = schema_of(parameter);
    if (in == "path") {
        schema = {{"type", "string"}};
    }
    return {
        {"name", name},
        {"in", std::string(in)},
        {"required", is_required},
        {"description", parameter.meaning},
        {"schema", schema},
    };
}

[[nodiscard]] Json body_of(const Operation& operation) {
    Json properties = Json::object();
    Json required = Json::array();
    for (const std::size_t i : beside_path(operation)) {
        const Parameter& parameter = operation.parameters[i];
        Json schema = schema_of(parameter);
        schema["description"] = parameter.meaning;
        properties[parameter.json_name()] = schema;
        if (parameter.rules.is_required) {
            required.push_back(parameter.json_name());
        }
    }
    Json schema{{"type", "object"}, {"properties", properties}};
    if (!required.empty()) {
        schema["required"] = required;
    }
    return {{"required", !required.empty()}, {"content", content_of(schema)}};
}

[[nodiscard]] Json described(
    const Operation& operation,
    const std::string& noun,
    std::string_view path,
    Records& records
) {
    Json parameters = Json::array();
    const std::vector<std::string> places = places_in(path);
    const std::vector<std::size_t> bound = in_path(operation);
    for (std::size_t i = 0; i < bound.size(); ++i) {
        parameters.push_back(parameter_of(places[i], "path", operation.parameters[bound[i]], true));
    }
    const bool has_body = operation.text.path.starts_with('P');
    Json described{
        {"operationId", joined_words(operation.text.words)},
        {"tags", {noun.empty() ? operation.text.words : noun}},
        {"summary",
         fmt::format("{} (role {})", operation.text.summary, name_of(operation.text.role))},
    };
    if (!has_body) {
        for (const std::size_t i : beside_path(operation)) {
            const Parameter& one = operation.parameters[i];
            parameters.push_back(parameter_of(one.query_name(), "query", one, one.rules.is_required)
            );
        }
    }
    described["parameters"] = parameters;
    if (has_body && !beside_path(operation).empty()) {
        described["requestBody"] = body_of(operation);
    }
    described["responses"] = responses_of(operation, noun, records);
    return described;
}

/// The filters of a list of jobs, which the table has once for all lists.
void add_job_filters(Json& list) {
    for (const Parameter& parameter : cli::untyped(cli::job_filter_parameters())) {
        const std::string name = parameter.query_name();
        const bool is_there = std::ranges::any_of(list["parameters"], [&](const Json& one) {
            return one["name"] == name;
        });
        if (!is_there) {
            list["parameters"].push_back(parameter_of(name, "query", parameter, false));
        }
    }
}

/// What may be null is said otherwise there; nothing else that we say has changed since.
void say_in_3_0(Json& part) {
    if (part.is_object()) {
        if (const auto type = part.find("type"); type != part.end() && type->is_array()) {
            part["type"] = type->at(0);
            part["nullable"] = true;
        }
    }
    if (part.is_structured()) {
        for (Json& inner : part) {
            say_in_3_0(inner);
        }
    }
}

/// What may be said of a new job beside what open_api.json explains, from the list of all fields.
void add_settable_fields(Json& new_job) {
    Json& properties = new_job["properties"];
    for (const DescribedField& field : cli::described_job()) {
        const auto fields = schema::job_fields();
        const bool is_settable = std::ranges::any_of(fields, [&](const schema::JobField& known) {
            return known.is_settable && known.name == field.name;
        });
        const std::string name(field.name);
        if (is_settable && !properties.contains(name)) {
            properties[name] = schema_of(field);
        }
    }
}

[[nodiscard]] Json api_of_all() {
    Json api = Json::parse(kOpenApi);
    api["paths"] = whole_paths(api["paths"], api["components"]);
    Json& schemas = api["components"]["schemas"];
    add_settable_fields(schemas["NewJob"]);
    Records records(schemas);
    (void)records.reference_to(cli::described_job(), "Job");
    (void)records.reference_to(described(cli::done_fields()), "DoneJob");
    add_job_filters(api["paths"]["/api/v1/jobs"]["get"]);
    for (const cli::OperationNoun& noun : cli::operation_nouns()) {
        for (const Operation& operation : noun.operations) {
            if (!operation.text.path.empty()) {
                const auto [method, path] = method_and_path(operation.text.path);
                api["paths"][path][method] = described(operation, noun.name, path, records);
            }
        }
    }
    return api;
}

}  // namespace

std::string described_api() {
    return api_of_all().dump(1) + '\n';
}

std::string described_api_3_0() {
    Json api = api_of_all();
    api["openapi"] = "3.0.3";
    say_in_3_0(api);
    return api.dump(1) + '\n';
}

}  // namespace jobstrand::service
