#include "persistence/fences.hpp"

#include "persistence/dialect.hpp"
#include "persistence/id_lists.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace jobstrand::persistence {

namespace {

constexpr std::string_view kLockHeld = R"sql(
    SELECT ID_
    FROM ACT_RU_JOB
    WHERE ID_ IN (...) AND REV_ = ? AND LOCK_OWNER_ = ?
    ORDER BY ID_
    {for_update})sql";

std::vector<Value> fence_values(int revision, std::string_view owner) {
    return {std::int64_t{revision}, owner};
}

}  // namespace

std::map<int, std::vector<std::string_view>> by_revision(std::span<const Fence> fences) {
    std::map<int, std::vector<std::string_view>> groups;
    for (const Fence& fence : fences) {
        groups[fence.revision].push_back(fence.id);
    }
    for (auto& [revision, ids] : groups) {
        std::sort(ids.begin(), ids.end());
    }
    return groups;
}

std::int64_t execute_fenced(
    Transaction& transaction,
    std::string_view sql,
    const std::vector<Value>& before,
    std::string_view owner,
    std::span<const Fence> fences
) {
    std::int64_t touched = 0;
    for (const auto& [revision, ids] : by_revision(fences)) {
        const auto statements = cut_id_list(
            sql, {.before = before, .ids = ids, .after = fence_values(revision, owner)}
        );
        for (const auto& [text, parameters] : statements) {
            touched += transaction.execute(text, parameters);
        }
    }
    return touched;
}

std::set<std::string, std::less<>>
lock_held(Transaction& transaction, std::string_view owner, std::span<const Fence> fences) {
    const std::string sql =
        fmt::format(kLockHeld, fmt::arg("for_update", dialect_of(transaction.kind()).for_update));
    std::set<std::string, std::less<>> held;
    for (const auto& [revision, ids] : by_revision(fences)) {
        const auto statements =
            cut_id_list(sql, {.ids = ids, .after = fence_values(revision, owner)});
        for (const auto& [text, parameters] : statements) {
            transaction.query({.sql = text, .columns = 1}, parameters, [&](const Row& row) {
                held.emplace(row.text(0));
            });
        }
    }
    return held;
}

}  // namespace jobstrand::persistence
