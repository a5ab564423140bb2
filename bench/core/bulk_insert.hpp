#pragma once

#include "bench/core/bench_database.hpp"
#include "bench/core/raw_jobs.hpp"

#include <cstddef>

namespace jobstrand::bench {

struct BulkInsert {
    std::size_t connections = 1;
    std::size_t jobs_per_transaction = 1000;
};

/// insert_raw on several connections at once.
void insert_bulk(BenchDatabase& database, const RawJobs& jobs, const BulkInsert& how);

/// As many connections as a server can use; one where there is one writer.
[[nodiscard]] std::size_t connections_for(const BenchDatabase& database);

}  // namespace jobstrand::bench
