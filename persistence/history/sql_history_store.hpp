#pragma once

#include "persistence/history/history_book.hpp"
#include "persistence/history_store.hpp"
#include "persistence/run_store.hpp"
#include "persistence/sql/transaction_runner.hpp"

namespace jobstrand::persistence {

/// The runner and the book must outlive it.
class SqlHistoryStore final : public HistoryStore {
public:
    SqlHistoryStore(TransactionRunner& runner, HistoryBook& book) : runner_(runner), book_(book) {}

    [[nodiscard]] std::vector<JobLogLine>
    job_log(const JobLogFilter& filter, std::string_view behind, std::size_t limit) override;
    [[nodiscard]] std::optional<JobLogLine> find_log_line(std::string_view id) override;
    JobLogCleaning clean_job_log(const JobLogBounds& bounds) override;
    [[nodiscard]] std::vector<Incident>
    incidents(const IncidentFilter& filter, std::string_view behind, std::size_t limit) override;
    [[nodiscard]] std::int64_t count_open_incidents() override;
    [[nodiscard]] std::vector<JobAnswer>
    annotate_incidents(std::span<const std::string> jobs, std::string_view text) override;
    [[nodiscard]] std::vector<JobAnswer>
    resolve_incidents(std::span<const std::string> jobs, schema::TimePoint now) override;
    JobLogCleaning clean_incidents(const JobLogBounds& bounds) override;

private:
    TransactionRunner& runner_;
    HistoryBook& book_;
};

/// The runner and the book must outlive it.
class SqlRunStore final : public RunStore {
public:
    SqlRunStore(TransactionRunner& runner, HistoryBook& book) : runner_(runner), book_(book) {}

    void add_runs(std::span<const EndedRun> runs) override;
    [[nodiscard]] std::vector<EndedRun>
    ended_runs(const EndedRunFilter& filter, std::string_view behind, std::size_t limit) override;
    JobLogCleaning clean_runs(const EndedRunBounds& bounds) override;

private:
    TransactionRunner& runner_;
    HistoryBook& book_;
};

}  // namespace jobstrand::persistence
