#pragma once

#include "executor/executor_settings.hpp"
#include "schema/time.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

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

}  // namespace jobstrand::bench
