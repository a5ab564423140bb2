#include "tools/service/api/operator_paths.hpp"

#include "tools/access/narrowed_store.hpp"
#include "tools/access/seen_runs.hpp"
#include "tools/parameters/done_filter.hpp"
#include "tools/parameters/job_order.hpp"
#include "tools/records/done_json.hpp"
#include "tools/records/job_json.hpp"
#include "tools/records/stats_json.hpp"
#include "tools/service/api/job_list_query.hpp"
#include "tools/service/http/problem.hpp"
#include "tools/text/json_text.hpp"
#include "tools/text/percent.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>

namespace jobstrand::service {

namespace {

[[nodiscard]] Response json_response(std::string body) {
    return {.status = 200, .body = std::move(body) + '\n'};
}

[[nodiscard]] std::string list_of(const std::vector<std::string>& items) {
    return fmt::format("[{}]", fmt::join(items, ","));
}

using deadletter::PlaceCount;

/// Jobs that are sorted by their type, which costs three times as much as to count them.
constexpr std::size_t kUnservedSoon = 2'000;

/// Where not all were counted, what is known of all takes its place.
void complete(std::vector<PlaceCount>& counts, const std::vector<PlaceCount>& known) {
    for (PlaceCount& count : counts) {
        const auto whole = std::ranges::find(known, count.place, &PlaceCount::place);
        if (count.looked_at && whole != known.end() && whole->jobs >= count.jobs) {
            count = *whole;
        }
    }
}

struct Stats {
    std::vector<PlaceCount> counts;
    cli::Record record;
};

[[nodiscard]] Stats stats_of(const ApiParts& api, const Scope& scope, bool is_soon) {
    NarrowedStore store(api.engine.store(), scope);
    auto counts = deadletter::JobSearch(store).count_places(
        is_soon ? std::optional(deadletter::kRowsSoon) : std::nullopt,
        scope.is_narrow() ? deadletter::Shown::some : deadletter::Shown::every
    );
    std::vector<persistence::UnservedJobs> unserved;
    if (!scope.is_narrow()) {
        const std::size_t most = is_soon ? kUnservedSoon : persistence::kAllRows;
        unserved = api.engine.served_store().unserved(api.engine.clock().now(), most);
        if (api.last_counts && std::ranges::any_of(counts, [](const PlaceCount& count) {
                return count.looked_at.has_value();
            })) {
            complete(counts, api.last_counts());
        }
    }
    cli::Record record = cli::record_of(counts, unserved);
    if (is_soon) {
        std::ranges::move(cli::record_of_bounds(counts), std::back_inserter(record));
    }
    return {.counts = std::move(counts), .record = std::move(record)};
}

/// `soon=true` or nothing; nullopt: something else.
[[nodiscard]] std::optional<bool> soon_in(const Request& request) {
    bool is_soon = false;
    for (const auto& [name, value] :
         query_items(request.query()).value_or(std::vector<QueryItem>{{"", ""}})) {
        if (name != "soon" || (value != "true" && value != "false")) {
            return std::nullopt;
        }
        is_soon = value == "true";
    }
    return is_soon;
}

/// Not what needs no bound, because its first rows are the page, nor what is for a narrow token:
/// where its page ends would name a job that the token may not see.
[[nodiscard]] bool is_bound_list(const deadletter::JobQuery& query, const Scope& scope) {
    const bool is_read_at_once = query.filter.is_empty() && !query.order;
    return query.rows && !query.filter.asks_payload() && !is_read_at_once && !scope.is_narrow();
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
        const deadletter::JobSearch search(store);
        const bool is_bound = is_bound_list(asked, request.scope);
        const deadletter::JobPage page = is_bound ? search.list_soon(asked) : search.list(asked);
        std::vector<std::string> items;
        for (const schema::PlacedJob& placed : page.items) {
            items.push_back(json_of(cli::record_of(placed)));
        }
        const schema::JobMember by = asked.order ? asked.order->by : &schema::Job::id;
        const schema::Job* const last = page.has_more       ? &page.items.back().job
                                        : page.looked_until ? &*page.looked_until
                                                            : nullptr;
        std::string answer = fmt::format(
            R"({{"items":{},"after":{})",
            list_of(items),
            last == nullptr ? "null" : cli::json_string(cli::mark_behind(*last, by))
        );
        if (asked.rows) {
            const bool is_of_some = is_bound && page.is_partial;
            answer += R"(,"lookedAt":)" + (is_of_some ? std::to_string(*asked.rows) : "null");
        }
        if (page.is_partial && !is_bound) {
            answer += R"(,"partial":true)";
        }
        return json_response(answer + "}");
    };
}

SoonCounts soon_counts(const ApiParts& api, const Scope& scope) {
    Stats stats = stats_of(api, scope, true);
    return {.json = json_of(stats.record), .places = std::move(stats.counts)};
}

WorkPool::BlockingHandler show_stats(const ApiParts& api) {
    return [&api](const Request& request) {
        const auto is_soon = soon_in(request);
        if (!is_soon) {
            return problem(400, "stats takes soon=true, and nothing else");
        }
        const schema::TimePoint now = api.engine.clock().now();
        persistence::NodeStore& nodes = api.engine.node_store();
        cli::Record record = stats_of(api, request.scope, *is_soon).record;
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
