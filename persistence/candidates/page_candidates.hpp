#pragma once

#include "persistence/lock_claim.hpp"
#include "persistence/page_limit.hpp"
#include "persistence/rows/job_row.hpp"
#include "persistence/rows/store_context.hpp"
#include "persistence/served_jobs.hpp"
#include "persistence/sql/sql_transaction.hpp"
#include "schema/job.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::persistence {

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

}  // namespace jobstrand::persistence
