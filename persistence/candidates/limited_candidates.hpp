#pragma once

#include "persistence/lock_claim.hpp"
#include "persistence/page_limit.hpp"
#include "persistence/rows/store_context.hpp"
#include "persistence/rows/unreadable_rows.hpp"
#include "persistence/served_jobs.hpp"
#include "persistence/sql/sql_transaction.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::persistence {

/// A group with jobs that wait for room, and how many of them may be taken.
struct LimitRoom {
    std::string group;
    std::size_t room = 0;
};

/// Groups with waiting jobs, behind this one.
struct WaitingGroups {
    std::vector<LimitRoom> with_room;
    std::string end;  ///< The last that was looked at; empty: there is none behind it.
    std::optional<schema::Duration> until_next = {};  ///< See LimitedJobs.
};

/// Reads without a lock; what it finds is a hint of where to look.
[[nodiscard]] WaitingGroups waiting_groups(
    const StoreContext& context,
    const LockClaim& claim,
    const ServedJobs& served,
    std::string_view behind
);

/// Jobs that wait in these groups, read for update, of each a share of `limit`. They count as
/// waiting no more, though they have their marks. Rows of jobs that wait no longer are deleted.
[[nodiscard]] JobRows limited_candidates(
    Transaction& transaction,
    const ServedJobs& served,
    const PageLimit& limit,
    std::span<const LimitRoom> groups
);

}  // namespace jobstrand::persistence
