#pragma once

#include "persistence/job_answer.hpp"
#include "persistence/rows/store_context.hpp"
#include "persistence/sql/transaction.hpp"
#include "schema/job_place.hpp"

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::persistence {

/// What became of each id; ids that are not in here were not found.
using AnswersById = std::map<std::string, JobAnswer, std::less<>>;

/// Takes jobs away from a place, in one transaction. The ids are in ascending order, each once.
using ChangeOfPage =
    std::function<AnswersById(Transaction& transaction, std::span<const std::string_view> ids)>;

/// Changes the jobs that were named, however many and however often, page by page; each page is a
/// transaction. A job with the answer `done` has left the place. The answers are in the order of
/// the ids.
[[nodiscard]] std::vector<JobAnswer> change_named_jobs(
    const StoreContext& context,
    schema::JobPlace place,
    std::span<const std::string> ids,
    const ChangeOfPage& change
);

}  // namespace jobstrand::persistence
