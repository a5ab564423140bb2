#pragma once

#include "deadletter/bulk_change.hpp"
#include "schema/clock.hpp"
#include "test/fixtures/job_builder.hpp"
#include "test/fixtures/open_store.hpp"
#include "test/fixtures/sqlite_file.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace jobstrand::deadletter {

/// A store on an empty SQLite database, with a clock that stands still.
class AdminTest : public testing::Test {
protected:
    void insert_all(schema::JobPlace place, const std::vector<std::string>& ids);
    void insert(schema::JobPlace place, schema::Job job);

    void insert_unique(schema::Job job, const schema::KeyRule& rule);

    /// A series whose waiting turn has the id `KEY-turn`.
    void insert_series(const std::string& key, const std::string& group = "DEFAULT");

    /// Lets a node hold all executable jobs.
    void lock_all();

    /// A node runs all executable jobs, and none succeeds if there is a failure.
    void run_all(const std::optional<std::string>& failure = {});

    /// Runs a statement from beside the store.
    void execute(std::string_view sql);

    /// `executable=2 dead=1`: the places that hold jobs.
    std::string places();

    /// Remembers what became of each item: `a:done b:locked`.
    [[nodiscard]] BulkWatch watch();
    [[nodiscard]] std::string items() const { return items_; }
    [[nodiscard]] const ItemResult& last() const { return last_; }

    const test::SqliteFile file_;
    schema::ManualClock clock_;

private:
    const test::OpenStore sql_store_{file_.url_text()};

protected:
    persistence::OperatorStore& store_ = sql_store_->jobs();
    persistence::SeriesStore& series_store_ = sql_store_->series();
    persistence::AuditStore& audit_store_ = sql_store_->audit();
    persistence::BatchStore& batch_store_ = sql_store_->batches();
    persistence::NamedLockStore& lock_store_ = sql_store_->named_locks();

private:
    std::string items_;
    ItemResult last_;
};

}  // namespace jobstrand::deadletter
