#include "tools/service/api/operator_paths.hpp"

#include "tools/access/narrowed_store.hpp"
#include "tools/access/seen_runs.hpp"
#include "tools/parameters/done_filter.hpp"
#include "tools/parameters/job_order.hpp"
#include "tools/records/done_json.hpp"
#include "tools/records/job_json.hpp"
#include "tools/records/stats_json.hpp"
#include "tools/service/api/job_query.hpp"
#include "tools/service/http/problem.hpp"
#include "tools/text/json_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

namespace jobstrand::service {

namespace {

[[nodiscard]] Response json_response(std::string body) {
    return {.status = 200, .body = std::move(body) + '\n'};
}

[[nodiscard]] std::string list_of(const std::vector<std::string>& items) {
    return fmt::format("[{}]", fmt::join(items, ","));
}

[[nodiscard]] cli::Record stats_of(const ApiParts& api, const Scope& scope) {
    NarrowedStore store(api.engine.store(), scope);
    const auto counts = deadletter::JobSearch(store).count_places();
    std::vector<persistence::UnservedJobs> unserved;
    if (!scope.is_narrow()) {
        unserved = api.engine.served_store().unserved(api.engine.clock().now());
    }
    return cli::record_of(counts, unserved);
}

[[nodiscard]] Response
list_done(const ApiParts& api, const Scope& scope, const deadletter::JobQuery& query) {
    const auto filter = cli::done_filter_of(query.filter);
    if (!filter) {
        return problem(400, "place=done goes with type, tenant, instance, after and limit");
    }
    const auto page =
        SeenRuns(api.engine.run_store(), scope).list(*filter, query.after, query.limit);
    std::vector<std::string> items;
    for (const persistence::EndedRun& run : page.items) {
        items.push_back(json_of(cli::record_of(cli::done_fields(), run)));
    }
    const std::string after = page.has_more ? cli::json_string(page.items.back().id) : "null";
    return json_response(fmt::format(R"({{"items":{},"after":{}}})", list_of(items), after));
}

}  // namespace

WorkPool::BlockingHandler list_jobs(const ApiParts& api) {
    return [&api](const Request& request) -> Response {
        const auto query = job_query_of(request.query(), api.engine.clock().now());
        if (!query) {
            return problem(400, query.error().message);
        }
        if (query.value().places.empty()) {
            return list_done(api, request.scope, query.value());
        }
        NarrowedStore store(api.engine.store(), request.scope);
        deadletter::JobQuery asked = query.value();
        asked.patience = deadletter::kPatience;
        const auto page = deadletter::JobSearch(store).list(asked);
        std::vector<std::string> items;
        for (const schema::PlacedJob& placed : page.items) {
            items.push_back(json_of(cli::record_of(placed)));
        }
        const schema::JobMember by = asked.order ? asked.order->by : &schema::Job::id;
        std::string after = "null";
        if (page.looked_until) {
            after =
                cli::json_string(cli::mark_behind(*page.looked_until, by)) + R"(,"partial":true)";
        } else if (page.has_more) {
            after = cli::json_string(cli::mark_behind(page.items.back().job, by));
        }
        return json_response(fmt::format(R"({{"items":{},"after":{}}})", list_of(items), after));
    };
}

std::string stats_text(const ApiParts& api, const Scope& scope) {
    return json_of(stats_of(api, scope));
}

WorkPool::BlockingHandler show_stats(const ApiParts& api) {
    return [&api](const Request& request) {
        const schema::TimePoint now = api.engine.clock().now();
        persistence::NodeStore& nodes = api.engine.node_store();
        cli::Record record = stats_of(api, request.scope);
        if (!request.scope.is_narrow()) {
            std::ranges::move(
                cli::record_of(
                    nodes.runs_of_last_minute(now),
                    deadletter::external_topics(api.engine.watch_store(), nodes, now)
                ),
                std::back_inserter(record)
            );
        }
        return json_response(json_of(record));
    };
}

WorkPool::BlockingHandler wake_node(const ApiParts& api) {
    return [&api](const Request& /*request*/) {
        api.engine.wake();
        return Response{.status = 204, .body = {}};
    };
}

}  // namespace jobstrand::service
