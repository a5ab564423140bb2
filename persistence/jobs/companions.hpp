#pragma once

#include "persistence/rows/job_row.hpp"
#include "persistence/served_jobs.hpp"
#include "persistence/sql/transaction.hpp"
#include "schema/exclusive_group.hpp"

#include <cstddef>

namespace jobstrand::persistence {

/// Adds to a page of free executable jobs, in the order of their ids, up to `room` further ones
/// that stand behind it: exclusive jobs of instances of which the page has one (R087). One write
/// then takes what would else be met one by one, by other nodes too. They come last, in the order
/// of their ids, and are read for update.
///
/// Instances of which the page has several stand together anyway, and are not looked for. Of each
/// group no more are added than its holder may claim. Needs schema::kInstanceIndex.
void add_companions(
    Transaction& transaction,
    const ServedJobs& served,
    schema::ExclusiveOver over,
    std::size_t room,
    JobRows& page
);

}  // namespace jobstrand::persistence
