#include "bench/core/bulk_insert.hpp"

#include "bench/core/threads.hpp"

namespace jobstrand::bench {

void insert_bulk(BenchDatabase& database, const RawJobs& jobs, const BulkInsert& how) {
    run_threads(how.connections, [&](std::size_t thread) {
        const std::size_t begin = jobs.count * thread / how.connections;
        const std::size_t end = jobs.count * (thread + 1) / how.connections;
        RawJobs part = jobs;
        part.first_number += begin;
        part.count = end - begin;
        const auto session = database.lease(persistence::SessionPool::Access::write);
        insert_raw(*session, part, how.jobs_per_transaction);
    });
}

std::size_t connections_for(const BenchDatabase& database) {
    return database.driver().has_one_writer ? 1 : 2;
}

}  // namespace jobstrand::bench
