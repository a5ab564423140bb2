#include "persistence/limit_store.hpp"
#include "persistence/limits/limit_slots.hpp"
#include "persistence/limits/waiting_jobs.hpp"
#include "persistence/rows/job_rows.hpp"
#include "persistence/rows/sql_executor_store.hpp"
#include "persistence/rows/store_context.hpp"
#include "persistence/sql/dialect.hpp"
#include "persistence/sql/many_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace jobstrand::persistence {

namespace {

using schema::JobLimit;

constexpr std::string_view kAll = R"sql(
    SELECT KIND_, VALUE_, CONCURRENT_, PER_NODE_, STARTS_, PERIOD_MS_
    FROM JS_LIMIT
    ORDER BY KIND_, VALUE_)sql";

constexpr std::string_view kDelete = "{delete_where} GROUP_ = ?";

constexpr std::string_view kInsert = R"sql(
    INSERT INTO JS_LIMIT (KIND_, GROUP_, VALUE_, CONCURRENT_, PER_NODE_, STARTS_, PERIOD_MS_)
    VALUES (?, ?, ?, ?, ?, ?, ?))sql";

constexpr std::string_view kRunning = R"sql(
    SELECT S.GROUP_, COUNT(*)
    FROM JS_SLOT S
    WHERE (SELECT 1 FROM ACT_RU_JOB J WHERE J.ID_ = S.ID_ AND LOCK_OWNER_ <> ?) = 1
    GROUP BY S.GROUP_
    ORDER BY S.GROUP_
    LIMIT 10000)sql";

constexpr std::string_view kWaitingNow = R"sql(
    SELECT W.GROUP_, COUNT(*)
    FROM JS_LIMIT_WAITING W
    WHERE (SELECT 1 FROM ACT_RU_JOB J WHERE J.ID_ = W.ID_ AND LOCK_OWNER_ = ?) = 1
    GROUP BY W.GROUP_
    ORDER BY W.GROUP_
    LIMIT 10000)sql";

std::optional<int> number_or_none(const Row& row, std::size_t column) {
    return row.is_null(column) ? std::nullopt
                               : std::optional(static_cast<int>(row.integer(column)));
}

std::optional<schema::StartRate> rate_or_none(const std::optional<int>& starts, const Row& row) {
    if (!starts || row.is_null(5)) {
        return std::nullopt;
    }
    return schema::StartRate{.starts = *starts, .period = schema::Duration(row.integer(5))};
}

Value value_or_null(const std::optional<int>& number) {
    return number ? Value{static_cast<std::int64_t>(*number)} : Value{};
}

std::int64_t delete_limit(Transaction& transaction, std::string_view group) {
    const std::string sql = delete_from(transaction.dialect(), "JS_LIMIT", kDelete);
    return transaction.execute(sql, {group});
}

}  // namespace

std::vector<JobLimit> LimitStore::limits() {
    return context_.runner.read([](Connection& connection) {
        return all_rows(connection, {.sql = kAll, .columns = 6}, {}, [](const Row& row) {
            JobLimit limit =
                schema::limit_named(std::string(row.text(0)) + ":" + std::string(row.text(1)));
            limit.concurrent = number_or_none(row, 2);
            limit.per_node = number_or_none(row, 3);
            limit.rate = rate_or_none(number_or_none(row, 4), row);
            return limit;
        });
    });
}

void LimitStore::set_limit(const JobLimit& limit) {
    const std::string name = schema::name_of(limit);
    const std::string_view kind = std::string_view(name).substr(0, name.find(':'));
    const std::string group = schema::group_name(limit.kind, limit.value);
    const auto write = [&](Transaction& transaction) {
        (void)delete_limit(transaction, group);
        transaction.execute(
            kInsert,
            {kind,
             std::string_view(group),
             std::string_view(limit.value),
             value_or_null(limit.concurrent),
             value_or_null(limit.per_node),
             limit.rate ? Value{static_cast<std::int64_t>(limit.rate->starts)} : Value{},
             limit.rate ? Value{limit.rate->period.count()} : Value{}}
        );
    };
    context_.runner.run(write, run_again);
}

bool LimitStore::remove_limit(const JobLimit& limit) {
    const std::string group = schema::group_name(limit.kind, limit.value);
    std::int64_t removed = 0;
    context_.runner.run(
        [&](Transaction& transaction) { removed += delete_limit(transaction, group); }, run_again
    );
    return removed > 0;
}

std::vector<GroupUse> LimitStore::group_uses() {
    std::map<std::string, GroupUse> uses;
    const Value mark{schema::kLimitedOwner};
    context_.runner.read([&](Connection& connection) {
        uses.clear();
        connection.query({.sql = kRunning, .columns = 2}, {&mark, 1}, [&](const Row& row) {
            uses[std::string(row.text(0))].running = row.integer(1);
        });
        connection.query({.sql = kWaitingNow, .columns = 2}, {&mark, 1}, [&](const Row& row) {
            uses[std::string(row.text(0))].waiting = row.integer(1);
        });
    });
    std::vector<GroupUse> list;
    for (auto& [group, use] : uses) {
        use.group = group;
        list.push_back(std::move(use));
    }
    return list;
}

bool SqlExecutorStore::refresh_limits() {
    schema::JobLimits limits(LimitStore(context_).limits());
    const bool are_any = !limits.are_none();
    context_.limits.replace(std::move(limits));
    return are_any;
}

namespace {

// As in limit_slots: a slot counts only while its owner holds the job.
constexpr std::string_view kRunsByOwner = R"sql(
    SELECT S.OWNER_, COUNT(*)
    FROM JS_SLOT S
    WHERE S.GROUP_ = ?
        AND (SELECT 1 FROM ACT_RU_JOB J WHERE J.ID_ = S.ID_ AND LOCK_OWNER_ = S.OWNER_) = 1
    GROUP BY S.OWNER_)sql";

constexpr std::string_view kUsedUntil = R"sql(
    SELECT USED_UNTIL_
    FROM JS_LIMITED
    WHERE GROUP_ = ?)sql";

}  // namespace

GroupRuns LimitStore::runs_of_group(std::string_view group) {
    const Value name{group};
    return context_.runner.read([&](Connection& connection) {
        GroupRuns runs;
        connection.query({.sql = kRunsByOwner, .columns = 2}, {&name, 1}, [&](const Row& row) {
            runs.running.emplace(row.text(0), row.integer(1));
        });
        connection.query({.sql = kUsedUntil, .columns = 1}, {&name, 1}, [&](const Row& row) {
            if (!row.is_null(0)) {
                runs.used_until = schema::UsedUntil(std::chrono::microseconds(row.integer(0)));
            }
        });
        return runs;
    });
}

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
    return all_texts(connection, sql, {behind, used_before(now), kGroupsOfOnePart});
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
    query_for_ids(transaction, {.sql = sql, .columns = 1}, parameters, [&](const Row& row) {
        locked.emplace_back(row.text(0));
    });
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
    const std::vector<std::string_view> ids = ids_of(waiting);
    const std::string sql = fmt::format(kMarked, fmt::arg("by_id", transaction.dialect().by_id));
    std::set<std::string, std::less<>> marked;
    const IdListParameters parameters{.ids = ids, .after = {kForLimit.mark}};
    query_for_ids(transaction, {.sql = sql, .columns = 1}, parameters, [&](const Row& row) {
        marked.emplace(row.text(0));
    });
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
    const std::string sql = delete_from(transaction.dialect(), "JS_LIMITED", kDeleteGroups);
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
