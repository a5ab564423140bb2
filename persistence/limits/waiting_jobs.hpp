#pragma once

#include "persistence/sql/sql_transaction.hpp"
#include "schema/concurrency.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// The jobs that wait for the holder of their group, or for a limit: each has a mark in its row of
/// ACT_RU_JOB and a row by which its group finds it. A job that somebody has changed or taken away
/// meanwhile has lost its mark, and its row here means nothing.
///
/// A group with jobs that wait for its holder has one, and only who has read the group's row for
/// update lets jobs wait or takes them out. So neither misses the other.
namespace jobstrand::persistence {

/// What they wait for.
struct WaitingRoom {
    std::string_view table;
    std::string_view mark;  ///< Their LOCK_OWNER_.
};
inline constexpr WaitingRoom kForExclusive{"JS_WAITING", schema::kWaitingOwner};
inline constexpr WaitingRoom kForLimit{"JS_LIMIT_WAITING", schema::kLimitedOwner};

struct WaitingJob {
    std::string group;
    std::string id;
};

/// Marks these executable jobs, which this transaction has read for update.
void let_wait(Transaction& transaction, const WaitingRoom& room, std::span<const WaitingJob> jobs);

/// Up to `limit` for each few hundred of the groups, ordered by group and id. `groups` ascend.
[[nodiscard]] std::vector<WaitingJob> waiting_in(
    Transaction& transaction,
    const WaitingRoom& room,
    std::span<const std::string_view> groups,
    std::size_t limit
);

/// They do not wait any more; their marks stay.
void forget_waiting(
    Transaction& transaction,
    const WaitingRoom& room,
    std::span<const WaitingJob> jobs
);

/// Makes jobs free that still have their marks. Returns how many there were. `ids` ascend.
std::int64_t free_waiting(
    Transaction& transaction,
    const WaitingRoom& room,
    std::span<const std::string_view> ids
);

}  // namespace jobstrand::persistence
