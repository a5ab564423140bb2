#pragma once

#include "bench/core/bench_database.hpp"

#include <cstddef>
#include <vector>

namespace jobstrand::bench {

/// What raw SQL reaches on a database, in jobs per second: the yardstick for everything else.
struct Ceiling {
    double insert = 0;  ///< Inserted in bulk.
    double run = 0;     ///< Claimed and deleted.
    double lease = 0;   ///< Leased in pages and deleted; 0: not measured.
    double move = 0;    ///< Moved from the timer to the executable place.

    /// Inserted, claimed and deleted, one after the other.
    [[nodiscard]] double insert_and_run() const;

    /// Moved, claimed and deleted, one after the other.
    [[nodiscard]] double move_and_run() const;
};

/// How a ceiling is measured.
struct CeilingRun {
    std::size_t jobs = 0;
    std::size_t page = 500;
    std::size_t inserted_at_once = 0;  ///< 0: a page, too.
    std::size_t connections = 1;       ///< On SQLite one: it has one writer.
    bool with_leases = false;
};

/// Each part begins with tables that were emptied, so that nothing is left in them of what was
/// deleted before, and a server that leaves that to a vacuum has had one after the jobs were put
/// in. Leaves the tables empty. Precondition: they are empty.
[[nodiscard]] Ceiling measure_ceiling(BenchDatabase& database, const CeilingRun& run);

/// The best of each figure.
[[nodiscard]] Ceiling best_of(const std::vector<Ceiling>& ceilings);

}  // namespace jobstrand::bench
