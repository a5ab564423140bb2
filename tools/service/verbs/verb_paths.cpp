#include "tools/service/verbs/verb_paths.hpp"

#include "tools/service/http/problem.hpp"
#include "tools/surface/program.hpp"
#include "tools/surface/run_for_client.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace jobstrand::service {

namespace {

using cli::ExitCode;
using cli::VerbAnswer;
using cli::VerbCall;

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

/// By their words: `job ls`.
using VerbRoles = std::map<std::string, Role, std::less<>>;

struct KnownVerbs {
    VerbRoles roles;
    std::set<std::string, std::less<>> honouring_scope;
};

[[nodiscard]] std::string words_of(const std::vector<std::string>& parameters) {
    return fmt::format("{}", fmt::join(parameters, " "));
}

/// Who asks for a verb that is not there needs no more than who reads.
[[nodiscard]] Role role_for(const VerbRoles& roles, const std::vector<std::string>& parameters) {
    const auto found = roles.find(words_of(parameters));
    return found == roles.end() ? Role::read : found->second;
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

[[nodiscard]] Response run_verb(
    const ApiParts& api,
    const KnownVerbs& verbs,
    const std::function<bool()>& is_stopping,
    const Request& request
) {
    if (!verbs.roles.contains(words_of(request.parameters))) {
        return problem(404, "there is no such verb, or it is for the service's machine only");
    }
    if (request.scope.is_narrow() &&
        !verbs.honouring_scope.contains(words_of(request.parameters))) {
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
    const cli::Program program;
    const auto verbs = std::make_shared<const KnownVerbs>(KnownVerbs{
        program.over_network(), program.honouring_scope()});
    std::vector<Route> routes;
    for (const char* const pattern : {"/api/v1/verbs/{verb}", "/api/v1/verbs/{noun}/{verb}"}) {
        routes.push_back({
            .method = "POST",
            .pattern = pattern,
            .role = Role::read,
            .handle = pool.wrap([&api, &pool, verbs](const Request& request) {
                return run_verb(
                    api, *verbs, [&pool] { return pool.is_stopping(); }, request
                );
            }),
            .takes = {"application/json"},
            .role_of = [verbs](const std::vector<std::string>& parameters
                       ) { return role_for(verbs->roles, parameters); },
            .honours_scope = true,
        });
    }
    return routes;
}

}  // namespace jobstrand::service
