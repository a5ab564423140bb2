#pragma once

#include "bench/core/bench_database.hpp"
#include "persistence/sql/connection.hpp"
#include "schema/job.hpp"
#include "schema/uuid7.hpp"

#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::bench {

/// The handler type of all jobs that a benchmark makes.
inline constexpr std::string_view kHandlerType = "bench";

/// Jobs to be inserted; their payloads are their numbers, for the ledger.
struct RawJobs {
    std::size_t count = 0;
    std::size_t first_number = 0;
    schema::JobPlace place = schema::JobPlace::executable;
    /// When the job with this number is due; empty: no due date.
    std::function<schema::TimePoint(std::size_t number)> due_date = {};
    /// The jobs belong to so many process instances, as exclusive jobs; 0: to none.
    std::size_t instances = 0;
    /// Those of an instance follow each other, as those of a process that forks do; false: the
    /// instances take turns.
    bool are_instances_together = false;
    /// Their priorities go in turn from 0 to this, exclusive.
    std::size_t priorities = 1;
};

/// Inserts in bulk, with the columns that an app names, `jobs_per_transaction` at a time.
void insert_raw(
    persistence::Connection& connection,
    const RawJobs& jobs,
    std::size_t jobs_per_transaction
);

/// What an executor must at least ask of the database, as plain SQL: the yardstick. One page is one
/// transaction for each of claim, removal and move. The ids of a page are bound as they are in any
/// program that uses this library's connections.
///
/// Thread safety: none, as its connection.
class RawPage final {
public:
    RawPage(persistence::Connection& connection, std::size_t size);

    /// Locks the next free jobs in primary-key order, behind those of the last page, and reads what
    /// a handler needs to run. Returns how many there were.
    std::size_t claim();

    /// Deletes what claim() has locked.
    void remove();

    /// Moves the next due timers to the executable place; returns how many there were.
    std::size_t move_due();

private:
    std::int64_t execute_for_ids(const std::string& sql);

    persistence::Connection& connection_;
    const std::size_t size_;
    const std::string select_;
    const std::string lock_;
    const std::string delete_;
    const std::string select_due_;
    const std::string insert_due_;
    const std::string delete_due_;
    std::string behind_;
    std::vector<std::string> ids_;
};

/// Where the leases of a run begin: behind the last one, whoever has it.
struct LeaseGate {
    std::mutex mutex;    ///< Held while a lease is taken; nodes would lock a row.
    std::string behind;  ///< Guarded by mutex.
};

/// The best way that is known: the jobs of a page are only read and deleted, and one row says who
/// has them all. Nobody but such a program could tell that they are taken.
///
/// Thread safety: none, as its connection.
class RawLease final {
public:
    RawLease(persistence::Connection& connection, LeaseGate& gate, std::size_t size);

    /// The table of the leases; it is dropped first if it is there.
    static void create_table(persistence::Connection& connection);
    static void drop_table(persistence::Connection& connection);

    /// The same as of RawPage, without locks.
    std::size_t claim();
    void remove();

private:
    persistence::Connection& connection_;
    LeaseGate& gate_;
    const std::size_t size_;
    const std::string select_;
    const std::string delete_;
    schema::Uuid7Source names_;
    std::string name_;
    std::vector<std::string> ids_;
};

struct BulkInsert {
    std::size_t connections = 1;
    std::size_t jobs_per_transaction = 1000;
};

/// insert_raw on several connections at once.
void insert_bulk(BenchDatabase& database, const RawJobs& jobs, const BulkInsert& how);

/// As many connections as a server can use; one where there is one writer.
[[nodiscard]] std::size_t connections_for(const BenchDatabase& database);

}  // namespace jobstrand::bench
