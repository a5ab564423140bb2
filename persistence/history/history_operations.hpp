#pragma once

#include "persistence/history/history_book.hpp"
#include "persistence/history_store.hpp"
#include "persistence/run_store.hpp"
#include "persistence/sql/transaction_runner.hpp"

/// See HistoryStore and RunStore.
namespace jobstrand::persistence {

[[nodiscard]] std::vector<JobLogLine> list_job_log(
    TransactionRunner& runner,
    const JobLogFilter& filter,
    std::string_view behind,
    std::size_t limit
);

[[nodiscard]] std::optional<JobLogLine>
find_log_line(TransactionRunner& runner, std::string_view id);

[[nodiscard]] JobLogCleaning clean_job_log(TransactionRunner& runner, const JobLogBounds& bounds);

[[nodiscard]] std::vector<Incident> list_incidents(
    TransactionRunner& runner,
    const IncidentFilter& filter,
    std::string_view behind,
    std::size_t limit
);

[[nodiscard]] std::int64_t count_open_incidents(TransactionRunner& runner);

[[nodiscard]] std::vector<JobAnswer> annotate_incidents(
    TransactionRunner& runner,
    std::span<const std::string> jobs,
    std::string_view text
);

[[nodiscard]] std::vector<JobAnswer> resolve_incidents(
    TransactionRunner& runner,
    HistoryBook& book,
    std::span<const std::string> jobs,
    schema::TimePoint now
);

[[nodiscard]] JobLogCleaning clean_incidents(TransactionRunner& runner, const JobLogBounds& bounds);

void add_runs(TransactionRunner& runner, HistoryBook& book, std::span<const EndedRun> runs);

[[nodiscard]] std::vector<EndedRun> list_runs(
    TransactionRunner& runner,
    const EndedRunFilter& filter,
    std::string_view behind,
    std::size_t limit
);

[[nodiscard]] JobLogCleaning clean_runs(TransactionRunner& runner, const EndedRunBounds& bounds);

}  // namespace jobstrand::persistence
