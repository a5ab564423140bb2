#include "persistence/nodes/served_jobs.hpp"

#include "persistence/sql/dialect.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace jobstrand::persistence {

namespace {

// A node has one row for each handler type, and one, without a type, for each thing that jobs may
// need.
constexpr std::string_view kForgetServed = R"sql(
    DELETE FROM JS_SERVED
    WHERE NODE_ = ?)sql";

constexpr std::string_view kInsertServed = R"sql(
    INSERT INTO JS_SERVED (NODE_, HANDLER_TYPE_, NEEDS_)
    VALUES (?, ?, ?))sql";

constexpr std::string_view kLiving = R"sql(
    SELECT JS_SERVED.NODE_, HANDLER_TYPE_, NEEDS_
    FROM JS_NODE
    JOIN JS_SERVED ON JS_SERVED.NODE_ = JS_NODE.NODE_
    WHERE LEASE_EXP_TIME_ >= ?)sql";

constexpr std::string_view kWaiting = R"sql(
    SELECT HANDLER_TYPE_, NEEDS_, COUNT(*)
    FROM (
        SELECT HANDLER_TYPE_, NEEDS_
        FROM ACT_RU_JOB {by_id}
        WHERE LOCK_EXP_TIME_ IS NULL
        ORDER BY ID_
        LIMIT ?
    ) part
    GROUP BY HANDLER_TYPE_, NEEDS_)sql";

struct NodeServes {
    std::set<std::string, std::less<>> types;
    std::set<std::string, std::less<>> needs;

    [[nodiscard]] bool serves(const JobKind& kind) const {
        return types.contains(kind.handler_type) &&
               (kind.needs.empty() || needs.contains(kind.needs));
    }
};

/// By node.
using LivingNodes = std::map<std::string, NodeServes, std::less<>>;

LivingNodes living_nodes(Connection& connection, schema::TimePoint now) {
    LivingNodes nodes;
    const Value since{now};
    connection.query({.sql = kLiving, .columns = 3}, {&since, 1}, [&](const Row& row) {
        NodeServes& node = nodes[std::string(row.text(0))];
        const bool is_type = !row.text(1).empty();
        (is_type ? node.types : node.needs).emplace(row.text(is_type ? 1 : 2));
    });
    return nodes;
}

bool is_any_serving(const LivingNodes& nodes, const JobKind& kind) {
    return std::ranges::any_of(nodes, [&](const auto& node) { return node.second.serves(kind); });
}

}  // namespace

void replace_served(Transaction& transaction, std::string_view node, const ServedJobs& served) {
    transaction.execute(kForgetServed, {node});
    for (const std::string& type : served.types) {
        transaction.execute(kInsertServed, {node, std::string_view(type), std::string_view()});
    }
    for (const std::string& need : served.needs) {
        transaction.execute(kInsertServed, {node, std::string_view(), std::string_view(need)});
    }
}

bool is_served(const StoreContext& context, const JobKind& kind, schema::TimePoint now) {
    bool is_any = false;
    context.runner.read([&](Connection& connection) {
        is_any = is_any_serving(living_nodes(connection, now), kind);
    });
    return is_any;
}

std::vector<UnservedJobs>
unserved_jobs(const StoreContext& context, schema::TimePoint now, std::size_t rows) {
    std::vector<UnservedJobs> unserved;
    context.runner.read([&](Connection& connection) {
        unserved.clear();
        const LivingNodes nodes = living_nodes(connection, now);
        const std::string sql =
            fmt::format(kWaiting, fmt::arg("by_id", connection.dialect().by_id));
        const Value limit{static_cast<std::int64_t>(rows)};
        connection.query({.sql = sql, .columns = 3}, {&limit, 1}, [&](const Row& row) {
            JobKind kind{
                .handler_type = std::string(row.text(0)), .needs = std::string(row.text(1))};
            if (!is_any_serving(nodes, kind)) {
                unserved.push_back({.kind = std::move(kind), .jobs = row.integer(2)});
            }
        });
    });
    std::ranges::sort(unserved, {}, &UnservedJobs::kind);
    return unserved;
}

}  // namespace jobstrand::persistence
