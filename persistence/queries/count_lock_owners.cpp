#include "persistence/rows/sql_operator_store.hpp"

#include <fmt/format.h>

#include <string>

namespace jobstrand::persistence {

namespace {

constexpr std::string_view kCountOwners = R"sql(
    SELECT HANDLER_TYPE_, LOCK_OWNER_, COUNT(*)
    FROM ACT_RU_JOB
    WHERE LOCK_OWNER_ IS NOT NULL {and_near}
    GROUP BY HANDLER_TYPE_, LOCK_OWNER_
    ORDER BY HANDLER_TYPE_, COUNT(*) DESC, LOCK_OWNER_
    LIMIT ?)sql";

}  // namespace

std::vector<OwnerCount> SqlOperatorStore::count_lock_owners(std::string_view up_to) {
    std::vector<OwnerCount> counts;
    std::vector<Value> parameters;
    if (!up_to.empty()) {
        parameters.emplace_back(up_to);
    }
    parameters.emplace_back(static_cast<std::int64_t>(kOwnersCounted));
    const std::string sql =
        fmt::format(kCountOwners, fmt::arg("and_near", up_to.empty() ? "" : "AND ID_ <= ?"));
    context_.runner.read([&](Connection& connection) {
        counts.clear();
        connection.query({.sql = sql, .columns = 3}, parameters, [&](const Row& row) {
            counts.push_back({
                .handler_type = std::string(row.text(0)),
                .lock_owner = std::string(row.text(1)),
                .jobs = row.integer(2),
            });
        });
    });
    return counts;
}

}  // namespace jobstrand::persistence
