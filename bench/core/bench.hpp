#pragma once

#include "bench/core/bench_database.hpp"
#include "bench/core/ceiling.hpp"
#include "bench/core/result.hpp"
#include "bench/core/run_ledger.hpp"
#include "executor/executor_settings.hpp"
#include "schema/clock.hpp"
#include "schema/log.hpp"
#include "schema/time.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace jobstrand::bench {

/// What every scenario can be told on the command line. The executor's own defaults stand wherever
/// it has some, so that a run without options shows what a user gets.
struct Options {
    std::string database_url = {};  ///< Empty: a SQLite file in a new temporary directory.
    bool wipe = false;              ///< Delete the jobs that are there instead of refusing to run.
    std::size_t jobs = 200'000;
    std::size_t workers = executor::ExecutorSettings{}.max_pool_size;
    std::size_t queue = executor::ExecutorSettings{}.queue_size;
    std::size_t page = executor::ExecutorSettings{}.acquire_page;
    std::size_t nodes = 1;
    std::size_t warm_up = 10'000;  ///< Jobs that are run before the clock starts.
    std::size_t repeat = 3;
    schema::Duration time_limit{std::chrono::minutes(10)};  ///< For each wait within a run.
    bool with_ceiling = true;
    bool as_json = false;
};

void add_options(CLI::App& command, Options& options);

/// Adds a duration that is typed as `250ms`, `1s`, `2m`, or a number of milliseconds.
CLI::Option* add_duration(
    CLI::App& command,
    const std::string& name,
    schema::Duration& value,
    const std::string& description
);

[[nodiscard]] executor::ExecutorSettings executor_settings(const Options& options);

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
