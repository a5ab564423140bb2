#include "persistence/rows/job_address.hpp"

#include "persistence/sql/id_lists.hpp"
#include "persistence/sql/sql_transaction.hpp"

#include <concepts>
#include <utility>

namespace jobstrand::persistence {

namespace {

using schema::JobPlace;

constexpr std::string_view kFind = R"sql(
    SELECT 'executable', ID_ FROM ACT_RU_JOB WHERE ID_ IN (...)
    UNION ALL
    SELECT 'timer', ID_ FROM ACT_RU_TIMER_JOB WHERE ID_ IN (...)
    UNION ALL
    SELECT 'suspended', ID_ FROM ACT_RU_SUSPENDED_JOB WHERE ID_ IN (...)
    UNION ALL
    SELECT 'dead', ID_ FROM ACT_RU_DEADLETTER_JOB WHERE ID_ IN (...)
    UNION ALL
    SELECT 'external', ID_ FROM ACT_RU_EXTERNAL_JOB WHERE ID_ IN (...))sql";

/// `is_enough` is asked after each few hundred ids.
template <typename Session>
std::vector<JobAddress> find_in(
    Session& session,
    std::span<const std::string_view> ids,
    const std::predicate<const std::vector<JobAddress>&> auto& is_enough
) {
    std::vector<JobAddress> found;
    const std::vector<std::string_view> possible = possible_ids(ids, session.dialect());
    for (const auto& [sql, parameters] : cut_id_list(kFind, {.ids = possible})) {
        session.query({.sql = sql, .columns = 2}, parameters, [&](const Row& row) {
            found.push_back(
                {.id = std::string(row.text(1)), .place = *schema::place_named(row.text(0))}
            );
        });
        if (is_enough(found)) {
            break;
        }
    }
    return found;
}

template <typename Session>
std::optional<JobAddress> find_any_in(Session& session, std::span<const std::string_view> ids) {
    std::vector<JobAddress> found =
        find_in(session, ids, [](const auto& so_far) { return !so_far.empty(); });
    return found.empty() ? std::nullopt : std::optional(std::move(found.back()));
}

}  // namespace

std::optional<JobAddress>
find_any(Transaction& transaction, std::span<const std::string_view> ids) {
    return find_any_in(transaction, ids);
}

std::optional<JobAddress> find_any(Connection& connection, std::span<const std::string_view> ids) {
    return find_any_in(connection, ids);
}

std::vector<JobAddress> find_all(Transaction& transaction, std::span<const std::string_view> ids) {
    return find_in(transaction, ids, [](const auto&) { return false; });
}

}  // namespace jobstrand::persistence
