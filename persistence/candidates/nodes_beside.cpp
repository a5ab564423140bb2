#include "persistence/candidates/nodes_beside.hpp"

#include "persistence/sql/id_lists.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace jobstrand::persistence {

namespace {

constexpr std::string_view kBeside = R"sql(
    SELECT COUNT(DISTINCT JS_NODE.NODE_)
    FROM JS_NODE
    JOIN JS_SERVED ON JS_SERVED.NODE_ = JS_NODE.NODE_
    WHERE LEASE_EXP_TIME_ >= ? AND JS_NODE.NODE_ <> ? AND HANDLER_TYPE_ IN (...))sql";

}  // namespace

std::size_t count_nodes_beside(
    Transaction& transaction,
    std::string_view node,
    const ServedJobs& served,
    schema::TimePoint now
) {
    const std::vector<std::string_view> types(served.types.begin(), served.types.end());
    std::int64_t most = 0;
    for (const auto& [sql, values] : cut_id_list(kBeside, {.before = {now, node}, .ids = types})) {
        transaction.query({.sql = sql, .columns = 1}, values, [&](const Row& row) {
            most = std::max(most, row.integer(0));
        });
    }
    return static_cast<std::size_t>(most);
}

}  // namespace jobstrand::persistence
