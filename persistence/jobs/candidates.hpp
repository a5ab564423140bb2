#pragma once

#include "persistence/claim_request.hpp"
#include "persistence/rows/job_rows.hpp"
#include "persistence/rows/new_dead_letters.hpp"
#include "persistence/rows/page_claims.hpp"
#include "persistence/rows/store_context.hpp"
#include "persistence/sql/sql_transaction.hpp"
#include "schema/acquisition.hpp"
#include "schema/job.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Which free executable jobs an acquisition takes next. They are read for update; those that
/// another node is claiming right now are passed over, so that two nodes do not wait for each
/// other.
namespace jobstrand::persistence {

/// In the order of the primary key, which is the cheap one, behind `after` and, if it is not empty,
/// before `before`.
[[nodiscard]] JobRows oldest_candidates(
    Transaction& transaction,
    const ServedJobs& served,
    std::size_t limit,
    std::string_view after,
    std::string_view before
);

// The same without locks: the gate keeps others from claiming them by the page.

[[nodiscard]] JobRows oldest_rows(
    Transaction& transaction,
    const ServedJobs& served,
    std::size_t limit,
    std::string_view after,
    std::string_view before
);

/// From the start, but for these. Fewer than `limit`: there are no more.
[[nodiscard]] JobRows oldest_rows_beside(
    Transaction& transaction,
    const ServedJobs& served,
    std::size_t limit,
    const ClaimedJobs& claimed
);

/// What a claim of a page takes next.
struct PageCandidates {
    std::vector<schema::Job> plain = {};  ///< For one claim together; their rows are not locked.
    JobRows rows = {};                    ///< The others, read for update.
    std::string last = {};                ///< The last id that was looked at; empty: there is none.
    bool is_end = false;                  ///< There is nothing to be taken behind `after`.
    bool is_full = false;                 ///< There may be more behind `last`.
};

/// The oldest free executable jobs that no claim holds. Closes the gate, so that they stay free
/// until the transaction ends, but for jobs that somebody takes by the row.
///
/// From the start of the table it reads which jobs are held, and finds all that are not. Behind an
/// id it begins behind all claims, and passes over what came in between: the next look from the
/// start finds that.
[[nodiscard]] PageCandidates page_candidates(
    Transaction& transaction,
    const StoreContext& context,
    const LockClaim& claim,
    const ServedJobs& served,
    const PageLimit& limit,
    std::string_view after
);

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

/// What an acquisition in an order looks for. Its jobs are read for update from ranges, each of
/// which an index has in its order, so that nothing is sorted.
struct OrderedSearch {
    const ServedJobs& served;
    const schema::AcquisitionOrder& order;
    const RangePositions& behind;  ///< Each range is looked at behind its position.

    /// In strict priority order, from here down.
    std::int64_t highest = std::numeric_limits<std::int64_t>::max();
};

/// A page in order. In strict priority order it ends when it is full, after the lowest priority, or
/// after a number of priorities that bounds the transaction.
struct OrderedPage {
    JobRows rows;
    std::optional<std::int64_t> rest;  ///< The next priority to look at; nullopt: there is none.
};

/// Only with the index of the order (schema::index_of).
[[nodiscard]] OrderedPage
ordered_candidates(Transaction& transaction, const OrderedSearch& search, std::size_t limit);

}  // namespace jobstrand::persistence
