#include "persistence/exclusive/waiting_jobs.hpp"
#include "persistence/limits/limit_slots.hpp"
#include "persistence/rows/sql_executor_store.hpp"
#include "persistence/sql/dialect.hpp"
#include "persistence/sql/id_lists.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

namespace jobstrand::persistence {

namespace {

/// Groups of one look.
constexpr std::int64_t kGroupsOfOnePart = 200;

/// Jobs that one look reads of a group.
constexpr std::size_t kWaitingOfOneLook = 100;

constexpr std::string_view kPartOfGroups = R"sql(
    SELECT GROUP_
    FROM JS_LIMITED {by_id}
    WHERE GROUP_ > ? AND (USED_UNTIL_ IS NULL OR USED_UNTIL_ < ?)
    ORDER BY GROUP_
    LIMIT ?)sql";

// Who has locked one of them is about to start jobs in it, and may use its rate up.
constexpr std::string_view kLockUnlocked = R"sql(
    SELECT GROUP_
    FROM JS_LIMITED {by_id}
    WHERE GROUP_ IN (...) AND (USED_UNTIL_ IS NULL OR USED_UNTIL_ < ?)
    ORDER BY GROUP_
    {skip_locked})sql";

constexpr std::string_view kMarked = R"sql(
    SELECT ID_
    FROM ACT_RU_JOB {by_id}
    WHERE ID_ IN (...) AND LOCK_OWNER_ = ?)sql";

constexpr std::string_view kDeleteGroups = R"sql(
    {delete_where} GROUP_ IN (...))sql";

using GroupNames = std::vector<std::string>;

std::vector<std::string_view> views_of(const GroupNames& groups) {
    return {groups.begin(), groups.end()};
}

/// Rates that were used up until then are not used at all any more.
std::int64_t used_before(schema::TimePoint now) {
    return std::chrono::microseconds(now.time_since_epoch()).count();
}

GroupNames part_of_groups(Connection& connection, std::string_view behind, schema::TimePoint now) {
    const std::string sql =
        fmt::format(kPartOfGroups, fmt::arg("by_id", connection.dialect().by_id));
    const std::array<Value, 3> parameters{behind, used_before(now), kGroupsOfOnePart};
    GroupNames groups;
    connection.query({.sql = sql, .columns = 1}, parameters, [&](const Row& row) {
        groups.emplace_back(row.text(0));
    });
    return groups;
}

/// In ascending order.
GroupNames
lock_unlocked(Transaction& transaction, const GroupNames& groups, schema::TimePoint now) {
    const Dialect& dialect = transaction.dialect();
    const std::string sql = fmt::format(
        kLockUnlocked,
        fmt::arg("by_id", dialect.by_id),
        fmt::arg("skip_locked", dialect.skip_locked)
    );
    GroupNames locked;
    const std::vector<std::string_view> names = views_of(groups);
    const IdListParameters parameters{.ids = names, .after = {used_before(now)}};
    for (const auto& [text, values] : cut_id_list(sql, parameters)) {
        transaction.query({.sql = text, .columns = 1}, values, [&](const Row& row) {
            locked.emplace_back(row.text(0));
        });
    }
    std::ranges::sort(locked);
    return locked;
}

/// Those in which jobs run leave the list.
void keep_idle(GroupNames& groups, const SlotsRead& slots) {
    std::erase_if(groups, [&](const std::string& group) { return slots.loads.contains(group); });
}

/// Whether a job waits in a group. Rows of those that have waited are deleted.
bool does_any_wait(Transaction& transaction, std::string_view group) {
    std::vector<WaitingJob> waiting =
        waiting_in(transaction, kForLimit, {&group, 1}, kWaitingOfOneLook);
    const bool is_cut = waiting.size() == kWaitingOfOneLook;
    std::vector<std::string_view> ids;
    for (const WaitingJob& job : waiting) {
        ids.emplace_back(job.id);
    }
    const std::string sql = fmt::format(kMarked, fmt::arg("by_id", transaction.dialect().by_id));
    std::set<std::string, std::less<>> marked;
    const IdListParameters parameters{.ids = ids, .after = {kForLimit.mark}};
    for (const auto& [text, values] : cut_id_list(sql, parameters)) {
        transaction.query({.sql = text, .columns = 1}, values, [&](const Row& row) {
            marked.emplace(row.text(0));
        });
    }
    std::erase_if(waiting, [&](const WaitingJob& job) { return marked.contains(job.id); });
    forget_waiting(transaction, kForLimit, waiting);
    return is_cut || !marked.empty();
}

void delete_idle(Transaction& transaction, const GroupNames& groups, schema::TimePoint now) {
    GroupNames idle = lock_unlocked(transaction, groups, now);
    SlotsRead slots = read_slots(transaction, {}, views_of(idle));
    keep_idle(idle, slots);
    std::erase_if(idle, [&](const std::string& group) {
        return does_any_wait(transaction, group);
    });
    std::erase_if(slots.stale, [&](const LimitSlot& slot) {
        return !std::ranges::binary_search(idle, slot.group);
    });
    delete_slots(transaction, slots.stale);
    const std::string sql = fmt::format(
        kDeleteGroups, fmt::arg("delete_where", delete_where(transaction.dialect(), "JS_LIMITED"))
    );
    execute_for_ids(transaction, sql, {.ids = views_of(idle)});
}

}  // namespace

std::string SqlExecutorStore::forget_idle_groups(std::string_view behind, schema::TimePoint now) {
    GroupNames groups;
    std::string end;
    // Read apart from the write: on SQLite nearly every pass then leaves the writer alone.
    context_.runner.read([&](Connection& connection) {
        groups = part_of_groups(connection, behind, now);
        end = std::cmp_less(groups.size(), kGroupsOfOnePart) ? std::string() : groups.back();
        keep_idle(groups, read_slots(connection, {}, views_of(groups)));
    });
    if (!groups.empty()) {
        context_.runner.run(
            [&](Transaction& transaction) { delete_idle(transaction, groups, now); }, run_again
        );
    }
    return end;
}

}  // namespace jobstrand::persistence
