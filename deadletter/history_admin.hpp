#pragma once

#include "deadletter/bulk_change.hpp"
#include "persistence/history_store.hpp"
#include "persistence/journal_store.hpp"
#include "schema/clock.hpp"
#include "schema/paging.hpp"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::deadletter {

/// What people have changed through one process, for whoever watches it.
///
/// Thread safety: safe.
class ActionCounts final {
public:
    /// What was done, and how it ended: as in the audit.
    struct Kind {
        std::string action;
        std::string result;

        auto operator<=>(const Kind&) const = default;
    };
    struct Count {
        std::uint64_t actions = 0;
        std::uint64_t changed = 0;  ///< Jobs or other things, over all of them.
    };
    using Counts = std::map<Kind, Count>;

    /// Kinds that are counted; there are fewer.
    static constexpr std::size_t kMost = 500;

    void add(std::string_view action, std::string_view result, std::int64_t changed);

    [[nodiscard]] Counts counts() const;

private:
    mutable std::mutex mutex_;
    Counts counts_;  ///< Guarded by mutex_.
};

/// How an audited action ended.
struct ActionEnd {
    std::string result;  ///< `done`, `failed` and the like.
    std::optional<std::int64_t> changed = {};
};

/// What people have changed: who, when, how many, why.
///
/// Thread safety: as that of the store, which must outlive it, as must what counts the actions.
/// nullptr: nobody does. All of it throws DbError.
class AuditTrail final {
public:
    AuditTrail(
        persistence::AuditStore& store,
        const schema::Clock& clock,
        ActionCounts* counts = nullptr
    )
        : store_(store), clock_(clock), counts_(counts) {}

    /// Writes that the action begins, runs it, and writes how it ended. If it throws, the result is
    /// `failed`; an action that cannot be written down is not begun. When only its end cannot be
    /// written, the entry stays without a result, and the action counts.
    void run(const persistence::AuditedAction& action, const std::function<ActionEnd()>& carry_out);

    /// The latest first; behind an entry, or from the latest one on.
    [[nodiscard]] schema::Page<persistence::AuditEntry>
    list(const persistence::AuditFilter& filter, const std::string& behind, std::size_t limit);

    /// Removes what is older. Returns how many entries there were.
    std::int64_t forget(schema::TimePoint before) { return store_.forget_audit(before); }

private:
    void write_end(const std::string& id, const std::string& action, const ActionEnd& end);

    persistence::AuditStore& store_;
    const schema::Clock& clock_;
    ActionCounts* const counts_;
};

/// What has happened to jobs, and which dead letters have to be looked at.
///
/// Thread safety: as that of the store, which must outlive it. All of it throws DbError.
class HistoryAdmin final {
public:
    HistoryAdmin(persistence::HistoryStore& store, const schema::Clock& clock)
        : store_(store), clock_(clock) {}

    /// The latest first; behind a line, or from the latest one on.
    [[nodiscard]] schema::Page<JobLogLine>
    log(const JobLogQuery& filter, const std::string& behind, std::size_t limit);

    [[nodiscard]] std::optional<JobLogLine> find_line(const std::string& id) {
        return store_.find_log_line(id);
    }

    /// Removes the lines from before a time, in short transactions. Returns how many.
    std::int64_t forget_log(schema::TimePoint before);

    /// Lists incidents in the order of HistoryStore::incidents().
    [[nodiscard]] schema::Page<Incident>
    incidents(const IncidentQuery& filter, const std::string& behind, std::size_t limit);

    /// Returns the incidents of a job, 100 at most: the open one, then the resolved ones, the
    /// latest first.
    [[nodiscard]] std::vector<Incident> incidents_of(const std::string& job);

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
    BulkCounts resolve_all(const IncidentQuery& filter, const BulkWatch& watch = {});

private:
    persistence::HistoryStore& store_;
    const schema::Clock& clock_;
};

}  // namespace jobstrand::deadletter
