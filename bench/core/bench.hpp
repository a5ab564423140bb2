#pragma once

#include "bench/core/bench_database.hpp"
#include "bench/core/bench_options.hpp"
#include "bench/core/ceiling.hpp"
#include "bench/core/result.hpp"
#include "bench/core/run_ledger.hpp"
#include "schema/clock.hpp"
#include "schema/log.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace jobstrand::bench {

/// What a scenario works with, and where it puts what it finds.
struct Bench {
    const Options& options;
    BenchDatabase& database;
    const schema::Clock& clock;
    schema::Log& log;
    Result& result;
    std::optional<Ceiling> ceiling = {};  ///< Measured before the scenario, unless switched off.

    /// One line about how far the run is, to stderr.
    void say(std::string_view line) const;

    /// Notes a setting of this scenario in the result.
    void set(std::string name, std::string value) const;

    /// `yardstick`: which figure of the ceiling this one is held against.
    void add_figure(Figure figure, double Ceiling::*yardstick) const;
    void add_figure(Figure figure, double (Ceiling::*yardstick)() const) const;

    /// Waits until `jobs` jobs have succeeded and none of these places holds one, and checks that
    /// this happens within the time limit.
    void wait_for_end(
        RunLedger& ledger,
        std::size_t jobs,
        std::span<const schema::JobPlace> places = schema::kJobPlaces
    ) const;

    /// Checks that the jobs 0 to `jobs` - 1 succeeded exactly once and that no table holds a job.
    void check_end(const RunLedger& ledger, std::size_t jobs) const;

    /// `problem` is empty when all is well. A check of the same name counts once: a problem of any
    /// repetition stays.
    void check(std::string_view name, const std::string& problem) const;
};

}  // namespace jobstrand::bench
