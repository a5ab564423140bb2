#include "persistence/rows/fences.hpp"

#include "persistence/sql/dialect.hpp"
#include "persistence/sql/many_rows.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace jobstrand::persistence {

namespace {

constexpr std::string_view kByRow = "REV_ = ? AND LOCK_OWNER_ = ?";
constexpr std::string_view kByClaim =
    "COALESCE(REV_, 1) = ? AND (LOCK_OWNER_ IS NULL OR LOCK_OWNER_ = ?)";

constexpr std::string_view kLockHeld = R"sql(
    SELECT ID_
    FROM {table} {by_id}
    WHERE ID_ IN (...) AND {held}
    ORDER BY ID_
    {for_update})sql";

constexpr std::string_view kFree = R"sql(
    UPDATE ACT_RU_JOB {by_id}
    SET LOCK_OWNER_ = NULL, LOCK_EXP_TIME_ = NULL, REV_ = COALESCE(REV_, 1) + 1
    WHERE ID_ IN (...) AND {held})sql";

constexpr std::string_view kFreeUnserved = R"sql(
    UPDATE ACT_RU_JOB {by_id}
    SET NEEDS_ = ?, LOCK_OWNER_ = NULL, LOCK_EXP_TIME_ = NULL, REV_ = COALESCE(REV_, 1) + 1
    WHERE ID_ IN (...) AND {held})sql";

std::vector<Value> fence_values(int revision, std::string_view owner) {
    return {std::int64_t{revision}, owner};
}

}  // namespace

std::string_view held_condition(const FenceKind& kind) {
    return kind.by_claim ? kByClaim : kByRow;
}

FencedIds fenced(std::span<const Fence> fences) {
    FencedIds groups;
    for (const Fence& fence : fences) {
        groups[{fence.revision, fence.claim != 0}].push_back(fence.id);
    }
    for (auto& [kind, ids] : groups) {
        std::ranges::sort(ids);
    }
    return groups;
}

FencedIds fenced(std::span<const schema::Job> jobs) {
    FencedIds groups;
    for (const schema::Job& job : jobs) {
        groups[{job.revision, job.claim != 0}].push_back(job.id);
    }
    return groups;
}

std::int64_t count_of(const FencedIds& ids) {
    std::size_t count = 0;
    for (const auto& [kind, group] : ids) {
        count += group.size();
    }
    return static_cast<std::int64_t>(count);
}

std::int64_t execute_fenced(
    Transaction& transaction,
    std::string_view sql,
    const std::vector<Value>& before,
    std::string_view owner,
    const FencedIds& ids
) {
    std::int64_t touched = 0;
    for (const auto& [kind, group] : ids) {
        const std::string native = fmt::format(
            fmt::runtime(sql),
            fmt::arg("by_id", transaction.dialect().by_id),
            fmt::arg("delete_where", delete_where(transaction.dialect(), "ACT_RU_JOB")),
            fmt::arg("held", held_condition(kind))
        );
        touched += execute_for_ids(
            transaction,
            native,
            {.before = before, .ids = group, .after = fence_values(kind.revision, owner)}
        );
    }
    return touched;
}

std::int64_t free_held(Transaction& transaction, std::string_view owner, const FencedIds& ids) {
    return execute_fenced(transaction, kFree, {}, owner, ids);
}

std::int64_t free_unserved(
    Transaction& transaction,
    std::string_view owner,
    const FencedIds& ids,
    std::string_view needs
) {
    return execute_fenced(transaction, kFreeUnserved, {needs}, owner, ids);
}

std::map<std::string, int, std::less<>> held_for_update(
    Transaction& transaction,
    std::string_view owner,
    const FencedIds& ids,
    schema::JobPlace place
) {
    const Dialect& dialect = transaction.dialect();
    std::map<std::string, int, std::less<>> held;
    for (const auto& [kind, group] : ids) {
        const std::string sql = fmt::format(
            kLockHeld,
            fmt::arg("table", schema::table_of(place)),
            fmt::arg("by_id", dialect.by_id),
            fmt::arg("held", held_condition(kind)),
            fmt::arg("for_update", dialect.for_update)
        );
        const int revision = kind.revision;
        const IdListParameters parameters{.ids = group, .after = fence_values(revision, owner)};
        query_for_ids(transaction, {.sql = sql, .columns = 1}, parameters, [&](const Row& row) {
            held.emplace(row.text(0), revision);
        });
    }
    return held;
}

}  // namespace jobstrand::persistence
