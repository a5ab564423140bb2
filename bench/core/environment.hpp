#pragma once

#include "bench/core/bench_database.hpp"
#include "bench/core/result.hpp"

#include <string>
#include <vector>

namespace jobstrand::bench {

/// The machine, this build, and the database with what a commit of it survives.
[[nodiscard]] Facts environment_of(BenchDatabase& database);

/// One number that says how well a database digests what a queue does to it.
struct HealthFigure {
    std::string name;
    std::string unit;
    double value = 0;
    bool is_counter = false;  ///< It only grows: what matters is how much within the run.
};

/// SQLite: sizes of the database, its free pages and its log. MySQL and MariaDB: length of the
/// history list, bytes of redo log, commits. PostgreSQL: dead tuples, bytes of WAL, commits. A
/// figure that this user may not ask for is left out.
[[nodiscard]] std::vector<HealthFigure> table_health(BenchDatabase& database);

}  // namespace jobstrand::bench
