#include "tools/service/api/limit_paths.hpp"

#include "deadletter/desk/limit_desk.hpp"
#include "tools/jobstrand/json/json_text.hpp"
#include "tools/jobstrand/json/json_values.hpp"
#include "tools/jobstrand/json/limit_json.hpp"
#include "tools/jobstrand/json/member_values.hpp"
#include "tools/service/api/audited.hpp"
#include "tools/service/http/problem.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace jobstrand::service {

namespace {

/// Of a body; there are fewer.
constexpr std::size_t kMembersOfLimit = 100;

[[nodiscard]] std::string read_runs(std::string_view json, std::optional<int>& runs) {
    std::int64_t number = 0;
    std::string wrong = cli::read_whole_number(json, 0, schema::kMostConcurrent, number);
    runs = static_cast<int>(number);
    return wrong;
}

[[nodiscard]] std::string read_rate(std::string_view json, std::optional<schema::StartRate>& rate) {
    std::string text;
    if (std::string wrong = cli::read_text(json, text); !wrong.empty()) {
        return wrong;
    }
    const auto parsed = schema::parse_start_rate(text);
    if (!parsed) {
        return ": " + parsed.error().message;
    }
    rate = parsed.value();
    return "";
}

/// Reads one of its numbers. What is wrong with it; empty: nothing.
[[nodiscard]] std::string read_member(const cli::JsonMember& member, schema::JobLimit& limit) {
    if (member.value == "null") {
        return "";
    }
    if (member.name == "concurrent") {
        return read_runs(member.value, limit.concurrent);
    }
    if (member.name == "perNode") {
        return read_runs(member.value, limit.per_node);
    }
    if (member.name == "rate") {
        return read_rate(member.value, limit.rate);
    }
    return "is not known; there are concurrent, perNode and rate";
}

/// Throws std::invalid_argument, which says what is wrong.
[[nodiscard]] schema::JobLimit limit_of(std::string_view name, std::string_view body) {
    schema::JobLimit limit = schema::limit_named(name);
    const auto members = cli::members_of(body, kMembersOfLimit);
    if (!members) {
        throw std::invalid_argument(members.error().message);
    }
    for (const cli::JsonMember& member : members.value()) {
        if (const std::string wrong = read_member(member, limit); !wrong.empty()) {
            throw std::invalid_argument(fmt::format("{} {}", member.name, wrong));
        }
    }
    return limit;
}

[[nodiscard]] WorkPool::BlockingHandler list_limits(const ApiParts& api) {
    return [&api](const Request& /*request*/) {
        std::vector<std::string> limits;
        for (const auto& summary : deadletter::LimitDesk(api.engine.limit_store()).list()) {
            limits.push_back(json_of(cli::record_of(summary)));
        }
        return Response{.status = 200, .body = fmt::format("[{}]\n", fmt::join(limits, ","))};
    };
}

[[nodiscard]] WorkPool::BlockingHandler set_limit(const ApiParts& api) {
    return [&api](const Request& request) -> Response {
        try {
            const schema::JobLimit limit = limit_of(request.parameters.front(), request.body);
            deadletter::LimitDesk(api.engine.limit_store()).set(limit);
            return {.status = 200, .body = json_of(cli::record_of(limit)) + '\n'};
        } catch (const std::invalid_argument& mistake) {
            return problem(400, mistake.what());
        }
    };
}

[[nodiscard]] WorkPool::BlockingHandler remove_limit(const ApiParts& api) {
    return [&api](const Request& request) -> Response {
        bool is_there = false;
        deadletter::LimitDesk(api.engine.limit_store())
            .remove(
                {request.parameters.front()},
                {.on_item = [&](const deadletter::ItemResult& item
                            ) { is_there = item.answer == deadletter::ItemAnswer::done; }}
            );
        return is_there ? Response{.status = 204, .body = {}}
                        : problem(404, "there is no limit of this name");
    };
}

}  // namespace

std::vector<Route> limit_routes(const ApiParts& api, WorkPool& pool) {
    return {
        {"GET", "/api/v1/limits", Role::read, pool.wrap(list_limits(api))},
        {"PUT",
         "/api/v1/limits/{limit}",
         Role::admin,
         pool.wrap(audited(api, "limit set", set_limit(api))),
         {"application/json"}},
        {"DELETE",
         "/api/v1/limits/{limit}",
         Role::admin,
         pool.wrap(audited(api, "limit rm", remove_limit(api)))},
    };
}

}  // namespace jobstrand::service
