#pragma once

#include "deadletter/bulk/bulk_result.hpp"
#include "persistence/history_store.hpp"
#include "schema/clock.hpp"
#include "schema/paging.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace jobstrand::deadletter {

/// What has happened to jobs, and which dead letters have to be looked at.
///
/// Thread safety: as that of the store, which must outlive it. All of it throws DbError.
class HistoryAdmin final {
public:
    HistoryAdmin(persistence::HistoryStore& store, const schema::Clock& clock)
        : store_(store), clock_(clock) {}

    /// The latest first; behind a line, or from the latest one on.
    [[nodiscard]] schema::Page<persistence::JobLogLine>
    log(const persistence::JobLogFilter& filter, const std::string& behind, std::size_t limit);

    [[nodiscard]] std::optional<persistence::JobLogLine> find_line(const std::string& id) {
        return store_.find_log_line(id);
    }

    /// Removes the lines from before a time, in short transactions. Returns how many.
    std::int64_t forget_log(schema::TimePoint before);

    /// Lists incidents in the order of HistoryStore::incidents().
    [[nodiscard]] schema::Page<persistence::Incident> incidents(
        const persistence::IncidentFilter& filter,
        const std::string& behind,
        std::size_t limit
    );

    /// Returns the incidents of a job, 100 at most: the open one, then the resolved ones, the
    /// latest first.
    [[nodiscard]] std::vector<persistence::Incident> incidents_of(const std::string& job);

    [[nodiscard]] std::int64_t count_open() { return store_.count_open_incidents(); }

    /// Sets the note of the open incidents of these jobs. An empty text removes it.
    BulkCounts annotate(
        const std::vector<std::string>& jobs,
        const std::string& text,
        const BulkWatch& watch = {}
    );

    /// Their dead letters stay.
    BulkCounts resolve(const std::vector<std::string>& jobs, const BulkWatch& watch = {});

    /// Resolves all open incidents that match, page by page. It can be repeated after an
    /// interruption.
    BulkCounts resolve_all(const persistence::IncidentFilter& filter, const BulkWatch& watch = {});

private:
    persistence::HistoryStore& store_;
    const schema::Clock& clock_;
};

}  // namespace jobstrand::deadletter
