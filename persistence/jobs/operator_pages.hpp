#pragma once

#include "persistence/jobs/named_jobs.hpp"
#include "persistence/operator_store.hpp"
#include "persistence/rows/store_context.hpp"
#include "persistence/sql/transaction.hpp"
#include "schema/job_place.hpp"
#include "schema/time.hpp"

#include <map>
#include <optional>
#include <span>
#include <string_view>

/// What an operator does with one page of jobs, in a transaction that the caller holds. The ids are
/// in ascending order, each once.
namespace jobstrand::persistence {

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
