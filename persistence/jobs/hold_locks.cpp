#include "persistence/jobs/executor_moves.hpp"
#include "persistence/rows/fences.hpp"

#include <algorithm>

namespace jobstrand::persistence {

namespace {

// REV_ stays, so that the fences of the running jobs go on to hold.
constexpr std::string_view kExtend = R"sql(
    UPDATE ACT_RU_JOB {by_id}
    SET LOCK_EXP_TIME_ = ?
    WHERE ID_ IN (...) AND REV_ = ? AND LOCK_OWNER_ = ?)sql";

std::vector<std::string>
ids_not_in(const std::map<std::string, int, std::less<>>& held, std::span<const Fence> fences) {
    std::vector<std::string> ids;
    for (const Fence& fence : fences) {
        if (!held.contains(fence.id)) {
            ids.push_back(fence.id);
        }
    }
    return ids;
}

}  // namespace

bool is_held(Transaction& transaction, std::string_view owner, const Fence& fence) {
    return !lock_held(transaction, owner, fenced(std::span(&fence, 1))).empty();
}

std::vector<std::string>
extend_locks(const StoreContext& context, const LockClaim& claim, std::span<const Fence> fences) {
    std::vector<std::string> lost;
    const FencedIds ids = fenced(fences);
    const auto extend = [&](Transaction& transaction) {
        lost.clear();
        const std::int64_t extended =
            execute_fenced(transaction, kExtend, {claim.until}, claim.owner, ids);
        if (extended < count_of(ids)) {
            lost = ids_not_in(lock_held(transaction, claim.owner, ids), fences);
        }
    };
    if (!fences.empty()) {
        context.runner.run(extend, run_again);
    }
    return lost;
}

void release_locks(
    const StoreContext& context,
    std::string_view owner,
    std::span<const Fence> fences
) {
    const auto free = [&](Transaction& transaction) {
        free_held(transaction, owner, fenced(fences));
    };
    if (!fences.empty()) {
        context.runner.run(free, run_again);
    }
}

}  // namespace jobstrand::persistence
