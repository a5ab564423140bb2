#include "tools/service/api/operator_paths.hpp"

#include "deadletter/desk/node_desk.hpp"
#include "schema/limits.hpp"
#include "tools/jobstrand/commands/item_report.hpp"
#include "tools/jobstrand/commands/job/job_order.hpp"
#include "tools/jobstrand/json/job_json.hpp"
#include "tools/jobstrand/json/json_text.hpp"
#include "tools/jobstrand/json/json_values.hpp"
#include "tools/jobstrand/json/member_values.hpp"
#include "tools/jobstrand/json/node_json.hpp"
#include "tools/jobstrand/json/stats_json.hpp"
#include "tools/service/api/job_query.hpp"
#include "tools/service/api/narrowed_store.hpp"
#include "tools/service/http/problem.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace jobstrand::service {

namespace {

/// Ids of one request.
constexpr std::size_t kIdsMax = 10'000;

/// Of a body; there are fewer.
constexpr std::size_t kMembersOfRequeue = 100;

[[nodiscard]] Response json_response(std::string body) {
    return {.status = 200, .body = std::move(body) + '\n'};
}

[[nodiscard]] std::string list_of(const std::vector<std::string>& items) {
    return fmt::format("[{}]", fmt::join(items, ","));
}

/// Tells a node something; the desk says whether there is one.
template <typename Tell>
[[nodiscard]] Response tell_node(const Request& request, const Tell& tell) {
    bool is_there = false;
    tell(
        std::vector<std::string>{request.parameters.front()},
        deadletter::BulkWatch{
            .on_item = [&](const deadletter::ItemResult& item
                       ) { is_there = item.answer != deadletter::ItemAnswer::not_found; }}
    );
    return is_there ? Response{.status = 204, .body = {}}
                    : problem(404, "there is no living node of this name");
}

/// What a requeue asks for, and what is wrong with it; empty: nothing.
struct RequeueOrder {
    std::vector<std::string> ids;
    std::int64_t retries = 0;
    std::string problem = {};
};

[[nodiscard]] std::string read_ids(std::string_view json, RequeueOrder& order) {
    const auto ids = cli::strings_of(json, kIdsMax);
    if (!ids) {
        return "ids " + ids.error().message;
    }
    order.ids = ids.value();
    return order.ids.size() <= kIdsMax ? "" : fmt::format("ids has at most {} items", kIdsMax);
}

[[nodiscard]] RequeueOrder requeue_order(const ApiParts& api, std::string_view body) {
    RequeueOrder order{.ids = {}, .retries = api.settings.executor.retry.default_attempts};
    const auto members = cli::members_of(body, kMembersOfRequeue);
    if (!members) {
        order.problem = members.error().message;
        return order;
    }
    for (const cli::JsonMember& member : members.value()) {
        if (member.name == "ids") {
            order.problem = read_ids(member.value, order);
        } else if (member.name == "retries") {
            const std::string wrong = cli::read_whole_number(
                member.value, 1, schema::limits::kRetryAttempts, order.retries
            );
            order.problem = wrong.empty() ? "" : "retries " + wrong;
        } else {
            order.problem = "there are only ids and retries";
        }
        if (!order.problem.empty()) {
            return order;
        }
    }
    order.problem = order.ids.empty() ? "ids must name at least one dead letter" : "";
    return order;
}

[[nodiscard]] std::string_view word_of(deadletter::ItemAnswer answer) {
    using deadletter::ItemAnswer;
    switch (answer) {
        case ItemAnswer::done:
            return "requeued";
        case ItemAnswer::skipped:
            return "skipped";
        case ItemAnswer::not_found:
            return "not found";
        case ItemAnswer::locked:
        case ItemAnswer::refused:
            return "refused";
    }
    return "";
}

/// Empty: it was not.
[[nodiscard]] std::string why_refused(const deadletter::ItemResult& item) {
    const bool is_refused = item.answer == deadletter::ItemAnswer::refused ||
                            item.answer == deadletter::ItemAnswer::locked;
    return is_refused ? cli::why_not_job(item) : "";
}

}  // namespace

WorkPool::BlockingHandler list_jobs(const ApiParts& api) {
    return [&api](const Request& request) -> Response {
        const auto query = job_query_of(request.query(), api.engine.clock().now());
        if (!query) {
            return problem(400, query.error().message);
        }
        NarrowedStore store(api.engine.store(), request.scope);
        const auto page = deadletter::JobSearch(store).list(query.value());
        std::vector<std::string> items;
        for (const schema::PlacedJob& placed : page.items) {
            items.push_back(json_of(cli::record_of(placed)));
        }
        const auto& order = query.value().order;
        const std::string after =
            page.has_more ? cli::json_string(cli::mark_behind(
                                page.items.back().job, order ? order->by : &schema::Job::id
                            ))
                          : "null";
        return json_response(fmt::format(R"({{"items":{},"after":{}}})", list_of(items), after));
    };
}

std::string stats_text(const ApiParts& api, const Scope& scope) {
    NarrowedStore store(api.engine.store(), scope);
    const auto counts = deadletter::JobSearch(store).count_places();
    std::vector<persistence::UnservedJobs> unserved;
    if (!scope.is_narrow()) {
        unserved = api.engine.served_store().unserved(api.engine.clock().now());
    }
    return json_of(cli::record_of(counts, unserved));
}

WorkPool::BlockingHandler show_stats(const ApiParts& api) {
    return [&api](const Request& request) { return json_response(stats_text(api, request.scope)); };
}

WorkPool::BlockingHandler wake_node(const ApiParts& api) {
    return [&api](const Request& /*request*/) {
        api.engine.wake();
        return Response{.status = 204, .body = {}};
    };
}

WorkPool::BlockingHandler list_nodes(const ApiParts& api) {
    return [&api](const Request& /*request*/) {
        std::vector<std::string> nodes;
        deadletter::NodeDesk desk(api.engine.node_store());
        for (const persistence::Node& node : desk.list()) {
            nodes.push_back(json_of(cli::record_of(node)));
        }
        for (const persistence::Node& node : desk.lost(api.engine.clock().now())) {
            nodes.push_back(json_of(cli::record_of(node)));
        }
        return json_response(list_of(nodes));
    };
}

WorkPool::BlockingHandler drain_node(const ApiParts& api) {
    return [&api](const Request& request) {
        return tell_node(request, [&](const auto& nodes, const auto& watch) {
            deadletter::NodeDesk(api.engine.node_store()).drain(nodes, watch);
        });
    };
}

WorkPool::BlockingHandler resume_node(const ApiParts& api) {
    return [&api](const Request& request) {
        return tell_node(request, [&](const auto& nodes, const auto& watch) {
            deadletter::NodeDesk(api.engine.node_store()).resume(nodes, watch);
        });
    };
}

WorkPool::BlockingHandler requeue_dead(const ApiParts& api) {
    return [&api](const Request& request) -> Response {
        const RequeueOrder order = requeue_order(api, request.body);
        if (!order.problem.empty()) {
            return problem(400, order.problem + "; nothing was requeued");
        }
        std::vector<std::string> items;
        std::int64_t requeued = 0;
        NarrowedStore store(api.engine.store(), request.scope);
        (void)deadletter::DeadLetters(store, api.engine.clock())
            .requeue(
                deadletter::JobSelection::these(order.ids),
                {.retries = static_cast<int>(order.retries)},
                {.on_item =
                     [&](const deadletter::ItemResult& item) {
                         requeued += item.answer == deadletter::ItemAnswer::done ? 1 : 0;
                         items.push_back(json_of(cli::Record{
                             cli::text_field("id", item.id),
                             cli::text_field("answer", word_of(item.answer)),
                             cli::text_or_null_field("why", why_refused(item)),
                         }));
                     }}
            );
        Response response = json_response(list_of(items));
        response.changed = requeued;
        return response;
    };
}

}  // namespace jobstrand::service
