#pragma once

#include "persistence/history/history_book.hpp"
#include "persistence/history_store.hpp"
#include "persistence/run_store.hpp"
#include "persistence/sql/many_rows.hpp"
#include "persistence/sql/transaction_runner.hpp"
#include "schema/time.hpp"

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// How the tables of the past are written and asked.
namespace jobstrand::persistence {

/// The nearest time that a column holds: what has happened must be storable.
[[nodiscard]] schema::TimePoint storable(schema::TimePoint time, const Dialect& dialect);

/// The conditions of a question, all of which must hold.
class HistoryConditions final {
public:
    void add(std::string condition) { sql_.push_back(std::move(condition)); }
    void add(std::string condition, Value parameter) { add(std::move(condition), {parameter}); }
    void add(std::string condition, std::initializer_list<Value> parameters) {
        sql_.push_back(std::move(condition));
        parameters_.insert(parameters_.end(), parameters);
    }

    /// Unless the text is empty.
    void add_equal(std::string_view column, std::string_view text);

    /// Unless there are no texts.
    void add_one_of(std::string_view column, const std::vector<std::string>& texts);

    /// From `after` on and before `before`, where they are there.
    void add_period(
        std::string_view column,
        const std::optional<schema::TimePoint>& after,
        const std::optional<schema::TimePoint>& before
    );

    [[nodiscard]] std::string text() const;
    [[nodiscard]] const std::vector<Value>& parameters() const { return parameters_; }

private:
    std::vector<std::string> sql_;
    std::vector<Value> parameters_;
};

/// The least id of a row from that time, where ids ascend with the time.
[[nodiscard]] std::string first_id_of(schema::TimePoint time);

/// The runner and the book must outlive it.
class SqlHistoryStore final : public HistoryStore {
public:
    SqlHistoryStore(TransactionRunner& runner, HistoryBook& book) : runner_(runner), book_(book) {}

    [[nodiscard]] std::vector<JobLogLine>
    job_log(const JobLogQuery& filter, std::string_view behind, std::size_t limit) override;
    [[nodiscard]] std::optional<JobLogLine> find_log_line(std::string_view id) override;
    JobLogCleaning clean_job_log(const JobLogBounds& bounds) override;
    [[nodiscard]] std::vector<Incident>
    incidents(const IncidentQuery& filter, std::string_view behind, std::size_t limit) override;
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

    void add_runs(std::span<const FinishedRun> runs) override;
    [[nodiscard]] std::vector<FinishedRun>
    ended_runs(const FinishedRunQuery& filter, std::string_view behind, std::size_t limit) override;
    JobLogCleaning clean_runs(const EndedRunBounds& bounds) override;

private:
    TransactionRunner& runner_;
    HistoryBook& book_;
};

}  // namespace jobstrand::persistence
