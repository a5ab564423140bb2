#include "bench/core/ceiling.hpp"

#include "bench/core/open_loop.hpp"
#include "bench/core/raw_jobs.hpp"
#include "schema/clock.hpp"

#include <algorithm>
#include <functional>

namespace jobstrand::bench {

namespace {

using persistence::Connection;
using Access = persistence::SessionPool::Access;

/// Does `work` on several connections at once; jobs per second.
double rate_of(
    BenchDatabase& database,
    const CeilingRun& run,
    const std::function<void(Connection&)>& work
) {
    const Stopwatch watch;
    run_threads(run.connections, [&](std::size_t) {
        const auto session = database.lease(Access::write);
        work(*session);
    });
    return watch.rate(run.jobs);
}

double insert_rate(BenchDatabase& database, const CeilingRun& run, RawJobs jobs) {
    jobs.count = run.jobs;
    const Stopwatch watch;
    const std::size_t page = run.inserted_at_once == 0 ? run.page : run.inserted_at_once;
    insert_bulk(database, jobs, {run.connections, page});
    return watch.rate(run.jobs);
}

/// Waiting jobs in a table that never had others.
void refill(BenchDatabase& database, const CeilingRun& run) {
    database.wipe();
    (void)insert_rate(database, run, {});
    database.tidy_up();
}

double lease_rate(BenchDatabase& database, const CeilingRun& run) {
    RawLease::create_table(*database.lease(Access::write));
    LeaseGate gate;
    const double rate = rate_of(database, run, [&](Connection& connection) {
        RawLease page(connection, gate, run.page);
        while (page.claim() > 0) {
            page.remove();
        }
    });
    RawLease::drop_table(*database.lease(Access::write));
    return rate;
}

double run_rate(BenchDatabase& database, const CeilingRun& run) {
    return rate_of(database, run, [&](Connection& connection) {
        RawPage page(connection, run.page);
        while (page.claim() > 0) {
            page.remove();
        }
    });
}

double move_rate(BenchDatabase& database, const CeilingRun& run) {
    return rate_of(database, run, [&](Connection& connection) {
        RawPage page(connection, run.page);
        while (page.move_due() > 0) {
        }
    });
}

double one_after_the_other(double first_rate, double second_rate) {
    return first_rate <= 0 || second_rate <= 0 ? 0 : 1 / (1 / first_rate + 1 / second_rate);
}

}  // namespace

double Ceiling::insert_and_run() const {
    return one_after_the_other(insert, run);
}

double Ceiling::move_and_run() const {
    return one_after_the_other(move, run);
}

Ceiling measure_ceiling(BenchDatabase& database, const CeilingRun& run) {
    const schema::TimePoint overdue = schema::SystemClock().now() - std::chrono::hours(1);
    Ceiling ceiling;
    database.wipe();
    ceiling.insert = insert_rate(database, run, {});
    database.tidy_up();
    ceiling.run = run_rate(database, run);
    if (run.with_leases) {
        refill(database, run);
        ceiling.lease = lease_rate(database, run);
    }
    database.wipe();
    (void)insert_rate(
        database,
        run,
        {.place = schema::JobPlace::timer,
         .due_date = [overdue](std::size_t number
                     ) { return overdue + schema::Duration(number % 1000); }}
    );
    database.tidy_up();
    ceiling.move = move_rate(database, run);
    (void)run_rate(database, run);
    return ceiling;
}

Ceiling best_of(const std::vector<Ceiling>& ceilings) {
    Ceiling best;
    for (const Ceiling& one : ceilings) {
        best.insert = std::max(best.insert, one.insert);
        best.run = std::max(best.run, one.run);
        best.lease = std::max(best.lease, one.lease);
        best.move = std::max(best.move, one.move);
    }
    return best;
}

}  // namespace jobstrand::bench
