#pragma once

#include "persistence/job_store.hpp"
#include "persistence/transaction.hpp"

#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::persistence {

[[nodiscard]] inline Fence fence_of(const schema::Job& job) {
    return {.id = job.id, .revision = job.revision};
}

/// Ids by revision, ascending: one statement can write about all jobs of one revision. The ids are
/// borrowed from the fences.
[[nodiscard]] std::map<int, std::vector<std::string_view>> by_revision(std::span<const Fence> fences
);

/// Runs a statement whose condition is `ID_ IN (...) AND REV_ = ? AND LOCK_OWNER_ = ?` for all
/// fences. Returns how many rows it touched: fewer than fences when some are lost.
std::int64_t execute_fenced(
    Transaction& transaction,
    std::string_view sql,
    const std::vector<Value>& before,
    std::string_view owner,
    std::span<const Fence> fences
);

/// The ids of the executable jobs that still stand under these fences; their rows are locked until
/// the transaction ends.
[[nodiscard]] std::set<std::string, std::less<>>
lock_held(Transaction& transaction, std::string_view owner, std::span<const Fence> fences);

}  // namespace jobstrand::persistence
