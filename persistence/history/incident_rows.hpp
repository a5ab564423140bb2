#pragma once

#include "persistence/history/history_book.hpp"
#include "persistence/history_store.hpp"
#include "persistence/sql/id_lists.hpp"
#include "persistence/sql/sql_transaction.hpp"
#include "schema/job.hpp"
#include "schema/time.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace jobstrand::persistence {

/// Gives each its id, and stores it as an open one; a job that had one already, because somebody
/// else's statement took its dead letter away, has the new one from now on. Who listens is told
/// after the commit.
void open_incidents(
    Transaction& transaction,
    HistoryBook& book,
    const std::shared_ptr<std::vector<Incident>>& incidents
);

/// Resolves the open incidents of these jobs: two statements for a page of them, one if there are
/// none. Returns how many there were.
std::int64_t close_incidents(
    Transaction& transaction,
    HistoryBook& book,
    std::span<const std::string_view> jobs,
    IncidentEnd end,
    schema::TimePoint now
);

/// Jobs between two ids, without a list of them: dead letters that the transaction has locked.
struct IncidentRange {
    std::string_view behind;  ///< Behind this id ...
    std::string_view last;    ///< ... up to that one.
    BoundStatement jobs;      ///< Selects the ids of those that are meant.
};

/// The same for a range: a database finds it faster than a list. Throws DbError conflict when
/// others have come into it meanwhile: the transaction is to be run again.
std::int64_t close_incidents_in(
    Transaction& transaction,
    HistoryBook& book,
    const IncidentRange& range,
    IncidentEnd end,
    schema::TimePoint now
);

/// The category of the jobs that tell of incidents. Their own deaths open incidents too, of which
/// nobody is told.
inline constexpr std::string_view kNoticeCategory = "jobstrand-incidents";

/// Incidents that one notice tells in full; of more it gives the number.
inline constexpr std::size_t kIncidentsOfNotice = 100;

/// The `http` job that tells an app of new incidents, without an id. Its payload:
///
///     {"target": "ops", "event": "incidents", "count": 1, "incidents": [
///         {"id": "...", "jobId": "...", "time": "...", "cause": "retries_exhausted",
///          "handlerType": "mail", "message": "..."}]}
[[nodiscard]] schema::Job notice_of(std::span<const Incident> incidents, std::string_view target);

}  // namespace jobstrand::persistence
