#pragma once

#include "persistence/history/history_book.hpp"
#include "persistence/run_store.hpp"
#include "persistence/sql/transaction_runner.hpp"

namespace jobstrand::persistence {

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
