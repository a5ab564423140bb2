#pragma once

#include "persistence/operator_store.hpp"
#include "persistence/rows/store_context.hpp"
#include "persistence/sql/sql_transaction.hpp"
#include "persistence/transactions.hpp"
#include "schema/job.hpp"
#include "schema/time.hpp"

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::persistence {

/// What became of each id; ids that are not in here were not found.
using AnswersById = std::map<std::string, JobAnswer, std::less<>>;

/// Changes jobs of a place, in one transaction. The ids are in ascending order, each once.
using ChangeOfPage =
    std::function<AnswersById(Transaction& transaction, std::span<const std::string_view> ids)>;

/// Whether the work of a page was done after all, when its commit went unanswered.
using WasPageDone = std::function<bool(Transaction& transaction, const AnswersById& answers)>;

/// Changes the jobs that were named, however many and however often, page by page; each page is a
/// transaction. The answers are in the order of the ids.
[[nodiscard]] std::vector<JobAnswer> change_pages(
    const StoreContext& context,
    std::span<const std::string> ids,
    const ChangeOfPage& change,
    const WasPageDone& was_done
);

/// The same where a job with the answer `done` has left the place.
[[nodiscard]] std::vector<JobAnswer> change_named_jobs(
    const StoreContext& context,
    schema::JobPlace place,
    std::span<const std::string> ids,
    const ChangeOfPage& change
);

// What an operator does with one page of jobs, in a transaction that the caller holds. The ids are
// in ascending order, each once.

/// Of those that have their own.
using DueDatesById = std::map<std::string_view, schema::TimePoint>;

/// What dead letters get when they come back.
struct NewLife {
    int retries = 0;
    std::optional<schema::TimePoint> due_date;  ///< Of the others.
    DueDatesById due_dates;
    schema::TimePoint now;

    [[nodiscard]] std::optional<schema::TimePoint> due_date_of(std::string_view id) const {
        const auto found = due_dates.find(id);
        return found == due_dates.end() ? due_date : std::optional(found->second);
    }
};

[[nodiscard]] AnswersById requeue_page(
    Transaction& transaction,
    const StoreContext& context,
    std::span<const std::string_view> ids,
    const NewLife& life
);

[[nodiscard]] AnswersById remove_page(
    Transaction& transaction,
    const StoreContext& context,
    schema::JobPlace place,
    std::span<const std::string_view> ids,
    schema::TimePoint now
);

/// Throws std::invalid_argument for changes that jobs of this place cannot have.
[[nodiscard]] AnswersById change_page(
    Transaction& transaction,
    const StoreContext& context,
    schema::JobPlace place,
    std::span<const std::string_view> ids,
    const ManyChanges& changes,
    schema::TimePoint now
);

}  // namespace jobstrand::persistence
