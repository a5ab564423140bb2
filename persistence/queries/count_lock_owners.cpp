#include "persistence/queries/job_queries.hpp"

#include <array>

namespace jobstrand::persistence {

namespace {

constexpr std::string_view kCountOwners = R"sql(
    SELECT HANDLER_TYPE_, LOCK_OWNER_, COUNT(*)
    FROM ACT_RU_JOB
    WHERE LOCK_OWNER_ IS NOT NULL
    GROUP BY HANDLER_TYPE_, LOCK_OWNER_
    ORDER BY HANDLER_TYPE_, COUNT(*) DESC, LOCK_OWNER_
    LIMIT ?)sql";

}  // namespace

std::vector<OwnerCount> count_lock_owners(const StoreContext& context) {
    std::vector<OwnerCount> counts;
    const std::array<Value, 1> parameters{static_cast<std::int64_t>(kOwnersCounted)};
    context.runner.read([&](Connection& connection) {
        counts.clear();
        connection.query({.sql = kCountOwners, .columns = 3}, parameters, [&](const Row& row) {
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
