#include "tools/operations/nouns.hpp"
#include "tools/service/http/message.hpp"
#include "tools/service/routes.hpp"
#include "tools/surface/run_for_client.hpp"
#include "tools/text/http_address.hpp"
#include "tools/text/json_text.hpp"
#include "tools/text/terminal_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace jobstrand::service {

using cli::ExitCode;
using cli::GivenTexts;
using cli::Operation;
using cli::Parameter;
using cli::ParameterKind;
using cli::VerbAnswer;
using cli::VerbCall;

namespace {

constexpr std::string_view kErrorStart = "jobstrand: ";

[[nodiscard]] int status_of(ExitCode code) {
    switch (code) {
        case ExitCode::done:
        case ExitCode::partly_done:
        case ExitCode::check_found:
            return 200;
        case ExitCode::wrong_usage:
            return 400;
        case ExitCode::not_found:
            return 404;
        case ExitCode::refused:
            return 409;
        case ExitCode::failed:
            break;
    }
    return 500;
}

[[nodiscard]] std::vector<std::string> error_lines_of(const VerbAnswer& answer) {
    std::vector<std::string> lines;
    std::istringstream text(answer.errors);
    for (std::string line; std::getline(text, line);) {
        lines.push_back(line.starts_with(kErrorStart) ? line.substr(kErrorStart.size()) : line);
    }
    return lines;
}

[[nodiscard]] std::string words_of(const std::vector<std::string>& parameters) {
    return fmt::format("{}", fmt::join(parameters, " "));
}

/// Who asks for a verb that is not there needs no more than who reads.
[[nodiscard]] Role role_for(const std::vector<std::string>& parameters) {
    const Operation* const verb = cli::served_operation_named(words_of(parameters));
    return verb == nullptr ? Role::read : verb->text.role;
}

/// For HTTP clients, who have no terminal.
[[nodiscard]] VerbCall as_json(VerbCall call) {
    call.arguments.insert(call.arguments.begin(), {"-o", "json"});
    call.columns = {};
    call.is_coloured = false;
    call.are_errors_coloured = false;
    call.can_be_asked = false;
    return call;
}

[[nodiscard]] Response
run_verb(const ApiParts& api, const std::function<bool()>& is_stopping, const Request& request) {
    const Operation* const verb = cli::served_operation_named(words_of(request.parameters));
    if (verb == nullptr) {
        return problem(404, "there is no such verb, or it is for the service's machine only");
    }
    if (request.scope.is_narrow() && !verb->text.honours_scope) {
        throw OutOfScope("this verb cannot be narrowed to the topics or tenants of the token");
    }
    const auto read = cli::parse_verb_call(request.body.empty() ? "{}" : request.body);
    if (!read) {
        return problem(400, read.error().message);
    }
    VerbCall call = read.value();
    call.caller = request.caller;
    call.scope = request.scope;
    const auto run = [&](const VerbCall& wanted) {
        return cli::run_for_client(
            request.parameters, wanted, api.engine, api.settings, is_stopping
        );
    };
    if (request.header("Accept").find(cli::kVerbAnswerType) == std::string_view::npos) {
        return response_to(run(as_json(call)));
    }
    return {
        .status = 200,
        .content_type = std::string(cli::kVerbAnswerType),
        .body = json_of(run(call)),
    };
}

}  // namespace

Response response_to(VerbAnswer answer) {
    const int status = status_of(answer.exit_code);
    Response response{.status = status, .body = std::move(answer.output)};
    if (status != 200) {
        std::vector<std::string> lines = error_lines_of(answer);
        const std::string detail = lines.empty() ? "the verb has failed" : lines.front();
        lines.resize(lines.size() > 1 ? lines.size() : 0);
        response = problem(status, detail, lines);
    }
    response.headers.push_back(
        {"Jobstrand-Exit-Code", std::to_string(static_cast<int>(answer.exit_code))}
    );
    return response;
}

std::vector<Route> verb_routes(const ApiParts& api, WorkPool& pool) {
    std::vector<Route> routes;
    for (const char* const pattern : {"/api/v1/verbs/{verb}", "/api/v1/verbs/{noun}/{verb}"}) {
        routes.push_back({
            .method = "POST",
            .pattern = pattern,
            .role = Role::read,
            .handle = pool.wrap([&api, &pool](const Request& request) {
                return run_verb(
                    api, [&pool] { return pool.is_stopping(); }, request
                );
            }),
            .takes = {"application/json"},
            .role_of = role_for,
            .honours_scope = true,
        });
    }
    return routes;
}

namespace {

using NameOf = std::string (Parameter::*)() const;

/// Of a body, and of a list in it.
constexpr std::size_t kMostMembers = 100;
constexpr std::size_t kMostItems = 10'000;

/// What a command line reads from stdin, which is not here.
constexpr std::string_view kFromInput = "-";

[[noreturn]] void refuse(const std::string& mistake) {
    throw std::invalid_argument(mistake);
}

/// Throws std::invalid_argument when there is no such parameter.
[[nodiscard]] std::size_t
parameter_named(const Operation& operation, std::string_view name, NameOf name_of) {
    std::vector<std::string> known;
    for (const std::size_t i : cli::beside_path(operation)) {
        known.push_back(std::invoke(name_of, operation.parameters[i]));
        if (known.back() == name) {
            return i;
        }
    }
    refuse(fmt::format(
        "{} is not known; there {}",
        cli::printable(name),
        known.empty() ? "is nothing to give" : fmt::format("are {}", fmt::join(known, ", "))
    ));
}

[[nodiscard]] bool is_list(const Parameter& parameter) {
    return parameter.kind == ParameterKind::texts || parameter.kind == ParameterKind::repeated;
}

[[nodiscard]] std::vector<std::string> flag_texts(std::string_view name, std::string_view json) {
    bool flag = false;
    if (const std::string wrong = cli::read_flag(json, flag); !wrong.empty()) {
        refuse(fmt::format("{} {}", name, wrong));
    }
    return flag ? std::vector{std::string()} : std::vector<std::string>();
}

/// The texts of a JSON value that stands for a parameter. Whether they can be meant so is looked at
/// where they are read.
[[nodiscard]] std::vector<std::string>
texts_of(const Parameter& parameter, std::string_view name, std::string_view json) {
    if (json == "null") {
        return {};
    }
    if (parameter.kind == ParameterKind::flag) {
        return flag_texts(name, json);
    }
    if (parameter.kind == ParameterKind::number) {
        return {std::string(json)};
    }
    if (is_list(parameter)) {
        auto items = cli::strings_of(json, kMostItems);
        if (!items) {
            refuse(fmt::format("{} {}", name, items.error().message));
        }
        if (items.value().size() > kMostItems) {
            refuse(fmt::format("{} has at most {} items", name, kMostItems));
        }
        return items.value();
    }
    std::string text;
    if (const std::string wrong = cli::read_text(json, text); !wrong.empty()) {
        refuse(fmt::format("{} {}", name, wrong));
    }
    return {text};
}

void read_body(const Operation& operation, std::string_view body, GivenTexts& given) {
    const auto members = cli::members_of(body.empty() ? "{}" : body, kMostMembers);
    if (!members) {
        refuse(members.error().message);
    }
    for (const cli::JsonMember& member : members.value()) {
        const std::size_t at = parameter_named(operation, member.name, &Parameter::json_name);
        given.texts[at] = texts_of(operation.parameters[at], member.name, member.value);
        given.labels[at] = member.name;
    }
}

void read_query(const Operation& operation, const Request& request, GivenTexts& given) {
    for (const auto& [name, value] : query_items_of(request)) {
        const std::size_t at = parameter_named(operation, name, &Parameter::query_name);
        const Parameter& parameter = operation.parameters[at];
        if (value.empty() && !parameter.rules.may_be_empty) {
            refuse(name + " must not be empty");
        }
        given.labels[at] = name;
        if (parameter.kind == ParameterKind::flag) {
            given.texts[at] = flag_texts(name, value);
        } else if (given.texts[at].empty() || is_list(parameter)) {
            given.texts[at].push_back(value);
        } else {
            refuse(name + " is given twice");
        }
    }
}

[[nodiscard]] bool has_body(const Request& request) {
    return request.method == "PUT" || request.method == "POST";
}

/// What a command line calls `--due-in` a body calls `dueIn`, and a query `due-in`. In backticks
/// stand commands, which are typed.
[[nodiscard]] std::string
with_names(const Operation& operation, NameOf name_of, std::string_view text) {
    std::string named;
    bool is_command = false;
    for (std::size_t at = 0; at < text.size();) {
        is_command = is_command != (text[at] == '`');
        const std::size_t end =
            std::min(text.find_first_not_of("abcdefghijklmnopqrstuvwxyz-", at), text.size());
        const std::string_view word = text.substr(at, std::max(end, at + 1) - at);
        at += word.size();
        const auto meant = std::ranges::find(operation.parameters, word, &Parameter::option_name);
        named += is_command || meant == operation.parameters.end() ? std::string(word)
                                                                   : std::invoke(name_of, *meant);
    }
    return named;
}

/// Throws std::invalid_argument, which says what is wrong.
[[nodiscard]] GivenTexts given_by(const Operation& operation, const Request& request) {
    GivenTexts given;
    given.texts.resize(operation.parameters.size());
    for (const Parameter& parameter : operation.parameters) {
        given.labels.push_back(parameter.json_name());
    }
    const std::vector<std::size_t> in_path = cli::in_path(operation);
    for (std::size_t i = 0; i < in_path.size(); ++i) {
        given.texts[in_path[i]] = {request.parameters[i]};
    }
    if (has_body(request)) {
        read_body(operation, request.body, given);
    } else {
        read_query(operation, request, given);
    }
    for (std::size_t i = 0; i < operation.parameters.size(); ++i) {
        if (operation.parameters[i].rules.is_required && given.texts[i].empty()) {
            refuse(given.labels[i] + " must be given");
        }
        if (std::ranges::find(given.texts[i], kFromInput) != given.texts[i].end()) {
            refuse(given.labels[i] + " must not be -, which is for a command line");
        }
    }
    return given;
}

[[nodiscard]] std::string link_behind(const Request& request, std::string_view last) {
    std::string query;
    for (const auto& [name, value] :
         query_items(request.query()).value_or(std::vector<QueryItem>())) {
        if (name != "after") {
            query += fmt::format("{}={}&", percent_encoded(name), percent_encoded(value));
        }
    }
    return fmt::format(
        "<{}?{}after={}>; rel=\"next\"", request.path(), query, percent_encoded(last)
    );
}

/// Whether nothing was done, and the answer is a whole list that says why of each thing. Whoever
/// was broken off has written a part of one.
[[nodiscard]] bool is_list_of_refusals(const cli::VerbAnswer& answer) {
    const bool has_ended =
        answer.exit_code == cli::ExitCode::not_found || answer.exit_code == cli::ExitCode::refused;
    return has_ended && !answer.output.empty();
}

/// An operation that answers for all with a record has one for those that were named too, as
/// clients in languages with types want it.
void put_list_into_record(std::string& body) {
    if (body.starts_with('[')) {
        body.insert(0, "{\"items\":");
        body += "}\n";
    }
}

[[nodiscard]] Response run_operation(
    const ApiParts& api,
    const Operation& operation,
    const std::function<bool()>& is_stopping,
    const Request& request
) {
    GivenTexts given;
    try {
        given = given_by(operation, request);
    } catch (const std::invalid_argument& mistake) {
        return problem(400, mistake.what());
    }
    cli::VerbAnswer answer = cli::run_for_client(
        operation,
        given,
        {.caller = request.caller,
         .scope = request.scope,
         .reason = std::string(request.header("Jobstrand-Reason"))},
        api.engine,
        api.settings,
        is_stopping
    );
    answer.errors = with_names(
        operation, has_body(request) ? &Parameter::json_name : &Parameter::query_name, answer.errors
    );
    const bool is_about_one = !request.parameters.empty();
    const bool is_of_items = operation.result.kind == cli::DescribedResult::Kind::items;
    const std::string refusals =
        is_of_items && !is_about_one && is_list_of_refusals(answer) ? answer.output : "";
    const auto more_behind = std::move(answer.more_behind);
    const auto looked_at = answer.looked_at;
    Response response = response_to(std::move(answer));
    if (is_of_items && is_about_one && response.status == 200) {
        // What the path names needs no list of one.
        response.status = 204;
        response.body.clear();
    }
    if (!refusals.empty()) {
        response.status = 200;
        response.content_type = "application/json";
        response.body = refusals;
    }
    if (!operation.result.of_all.empty() && response.status == 200) {
        put_list_into_record(response.body);
    }
    if (more_behind) {
        response.headers.push_back({"Link", link_behind(request, *more_behind)});
    }
    if (looked_at) {
        response.headers.push_back({"Jobstrand-Looked-At", std::to_string(*looked_at)});
    }
    return response;
}

}  // namespace

std::vector<Route> operation_routes(const ApiParts& api, WorkPool& pool, SharedAnswers& shared) {
    std::vector<Route> routes;
    for (const cli::OperationNoun& noun : cli::operation_nouns()) {
        for (const Operation& operation : noun.operations) {
            const std::string_view path = operation.text.path;
            const std::size_t blank = path.find(' ');
            if (path.empty()) {
                continue;
            }
            const auto run = [&api, &pool, &operation](const Request& request) {
                return run_operation(
                    api, operation, [&pool] { return pool.is_stopping(); }, request
                );
            };
            const bool has_body = path.starts_with('P') && !beside_path(operation).empty();
            const bool is_look = path.starts_with("GET ");
            Handler handle = pool.wrap(run);
            routes.push_back({
                .method = std::string(path.substr(0, blank)),
                .pattern = std::string(path.substr(blank + 1)),
                .role = operation.text.role,
                .handle = is_look ? shared.wrap(std::move(handle)) : std::move(handle),
                .takes = has_body ? std::vector<std::string_view>{"application/json"}
                                  : std::vector<std::string_view>{},
                .honours_scope = operation.text.honours_scope,
            });
        }
    }
    // A name that is written out goes before one in braces.
    std::ranges::stable_sort(routes, {}, [](const Route& route) {
        return std::ranges::count(route.pattern, '{');
    });
    return routes;
}

}  // namespace jobstrand::service
