#pragma once

#include "persistence/history_store.hpp"
#include "persistence/sql/many_rows.hpp"
#include "persistence/sql/sql_transaction.hpp"
#include "schema/job.hpp"
#include "schema/job_events.hpp"
#include "schema/job_transition.hpp"
#include "schema/time.hpp"
#include "schema/uuid7.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace jobstrand::persistence {

/// What all moves of one store write history by.
///
/// Thread safety: safe.
class HistoryBook final {
public:
    explicit HistoryBook(schema::HistoryRules rules = {}, OnIncident on_incident = {})
        : rules_(std::move(rules)), on_incident_(std::move(on_incident)) {}

    [[nodiscard]] const schema::HistoryRules& rules() const { return rules_; }
    [[nodiscard]] const OnIncident& on_incident() const { return on_incident_; }

    /// For what happened then: later ids are greater.
    [[nodiscard]] std::string next_id(schema::TimePoint time) {
        const std::lock_guard lock(mutex_);
        return ids_.next(time);
    }

    /// How many incidents this store has opened, and how many its moves have resolved.
    std::atomic<std::uint64_t> opened = 0;
    std::atomic<std::uint64_t> resolved = 0;

private:
    const schema::HistoryRules rules_;
    const OnIncident on_incident_;
    std::mutex mutex_;
    schema::Uuid7Source ids_;  ///< Guarded by mutex_.
};

/// What is known of a move beside the job and where it goes.
struct MoveFacts {
    schema::TimePoint time{};    ///< By the database's clock.
    std::string_view node = {};  ///< Who held it.
    std::optional<schema::Duration> duration = {};
    std::string_view message = {};  ///< Of what is no transition.
};

/// The lines that one transaction adds to the job log. Where the level leaves an event out, it
/// costs nothing.
class JobLogPage final {
public:
    explicit JobLogPage(HistoryBook& book) : book_(book) {}

    [[nodiscard]] bool wants(schema::JobEvent event) const;

    /// A job, as it was before it makes the transition.
    void add(const schema::Job& job, const schema::Transition& transition, const MoveFacts& facts);

    /// What is no transition of the state machine; `reason` in a word.
    void add(
        const schema::Job& job,
        schema::JobEvent event,
        std::string_view reason,
        const MoveFacts& facts
    );

    /// A job whose lock has ended, as it was before.
    void add_interrupted(const schema::Job& job, std::string_view node, schema::TimePoint now);

    /// A new job; one that does not say when it was made is made now.
    void add_created(const schema::Job& job, schema::TimePoint now);

    /// One statement for many lines; none for none.
    void write(Transaction& transaction);

private:
    HistoryBook& book_;
    std::vector<JobLogLine> lines_;
};

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
