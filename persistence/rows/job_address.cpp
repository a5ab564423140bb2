#include "persistence/rows/job_address.hpp"

#include "persistence/sql/id_lists.hpp"
#include "persistence/sql/transaction.hpp"

namespace jobstrand::persistence {

namespace {

using schema::JobPlace;

constexpr std::string_view kFindAny = R"sql(
    SELECT 'executable', ID_ FROM ACT_RU_JOB WHERE ID_ IN (...)
    UNION ALL
    SELECT 'timer', ID_ FROM ACT_RU_TIMER_JOB WHERE ID_ IN (...)
    UNION ALL
    SELECT 'suspended', ID_ FROM ACT_RU_SUSPENDED_JOB WHERE ID_ IN (...)
    UNION ALL
    SELECT 'dead', ID_ FROM ACT_RU_DEADLETTER_JOB WHERE ID_ IN (...)
    UNION ALL
    SELECT 'external', ID_ FROM ACT_RU_EXTERNAL_JOB WHERE ID_ IN (...))sql";

template <typename Session>
std::optional<JobAddress> find_any_in(Session& session, std::span<const std::string_view> ids) {
    std::optional<JobAddress> found;
    const std::vector<std::string_view> possible = possible_ids(ids, session.dialect());
    for (const auto& [sql, parameters] : cut_id_list(kFindAny, {.ids = possible})) {
        session.query({.sql = sql, .columns = 2}, parameters, [&](const Row& row) {
            found = {.id = std::string(row.text(1)), .place = *schema::place_named(row.text(0))};
        });
        if (found) {
            break;
        }
    }
    return found;
}

}  // namespace

std::optional<JobAddress>
find_any(Transaction& transaction, std::span<const std::string_view> ids) {
    return find_any_in(transaction, ids);
}

std::optional<JobAddress> find_any(Connection& connection, std::span<const std::string_view> ids) {
    return find_any_in(connection, ids);
}

}  // namespace jobstrand::persistence
