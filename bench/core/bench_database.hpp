#pragma once

#include "persistence/drivers/database_url.hpp"
#include "persistence/drivers/driver.hpp"
#include "persistence/sql/session_pool.hpp"
#include "persistence/store/sql_store.hpp"
#include "schema/concurrency.hpp"
#include "schema/job.hpp"
#include "schema/log.hpp"
#include "schema/time.hpp"
#include "test/fixtures/temporary_directory.hpp"
#include "timers/series/series_planner.hpp"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace jobstrand::bench {

/// The database that is measured, with a small pool of its own beside those of the nodes.
///
/// Thread safety: safe.
class BenchDatabase final {
public:
    /// Creates or upgrades the tables. An empty URL makes a SQLite file that is gone at the end.
    /// Throws std::invalid_argument for a bad URL, DbError, or std::runtime_error when the database
    /// holds jobs and `wipe` is not set: benchmarks run and delete every job they find.
    BenchDatabase(const std::string& url, bool wipe, schema::Log& log);

    /// With the password.
    [[nodiscard]] const std::string& url() const { return url_; }
    [[nodiscard]] const persistence::DatabaseUrl& parsed_url() const { return parsed_; }
    [[nodiscard]] const persistence::Driver& driver() const {
        return persistence::driver_of(parsed_);
    }

    [[nodiscard]] persistence::SessionPool::Lease lease(persistence::SessionPool::Access access);
    [[nodiscard]] persistence::SqlStore& store() { return store_; }

    /// Whether none of these places holds a job.
    [[nodiscard]] bool is_empty(std::span<const schema::JobPlace> places = schema::kJobPlaces);

    /// Looks every millisecond. false: jobs were left at the end of the limit.
    [[nodiscard]] bool wait_until_empty(
        schema::Duration limit,
        std::span<const schema::JobPlace> places = schema::kJobPlaces
    );

    /// Creates or drops an index that only some orders of acquisition need; returns whether it was
    /// there.
    bool set_index(const schema::OptionalIndex& index, bool is_wanted);

    /// Deletes all jobs, and what the database has kept of earlier ones.
    void wipe();

    /// After many jobs were put in: has a server that leaves that for later bring its tables in
    /// order, so that it does not while something is measured.
    void tidy_up();

private:
    std::optional<test::TemporaryDirectory> directory_;
    const std::string url_;
    const persistence::DatabaseUrl parsed_;
    const std::unique_ptr<persistence::SessionPool> pool_;
    const timers::SeriesPlanner schedule_;
    persistence::SqlStore store_;
};

/// For a run with an index, or without it. Afterwards it is there, or not, as it was before.
class IndexForRun final {
public:
    IndexForRun(BenchDatabase& database, const schema::OptionalIndex& index, bool is_wanted)
        : database_(database), index_(index), was_there_(database.set_index(index, is_wanted)) {}

    /// Errors are dropped: the database is left as the run has left it.
    ~IndexForRun();

    IndexForRun(const IndexForRun&) = delete;
    IndexForRun& operator=(const IndexForRun&) = delete;

private:
    BenchDatabase& database_;
    const schema::OptionalIndex& index_;
    const bool was_there_;
};

/// A limit of one handler type, for as long as this lives.
class LimitForRun final {
public:
    LimitForRun(BenchDatabase& database, std::string_view type) : database_(database) {
        limit_.value = type;
    }
    ~LimitForRun() { (void)database_.store().limits().remove_limit(limit_); }

    LimitForRun(const LimitForRun&) = delete;
    LimitForRun& operator=(const LimitForRun&) = delete;

    /// How many may run at a time, on all nodes and on one; nullopt: any number.
    void set(std::optional<int> concurrent, std::optional<int> per_node) {
        limit_.concurrent = concurrent;
        limit_.per_node = per_node;
        database_.store().limits().set_limit(limit_);
    }

private:
    BenchDatabase& database_;
    schema::JobLimit limit_;
};

}  // namespace jobstrand::bench
