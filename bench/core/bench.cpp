#include "bench/core/bench.hpp"

#include "schema/limits.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <map>
#include <utility>

namespace jobstrand::bench {

namespace {

constexpr std::size_t kMostJobs = 100'000'000;
constexpr std::size_t kMostThreads = 1000;
constexpr std::size_t kMostNodes = 64;
constexpr std::size_t kMostQueued = 100'000;

}  // namespace

void add_options(CLI::App& command, Options& options) {
    const std::size_t one = 1;
    command.add_option(
        "--db",
        options.database_url,
        "Database URL, else that of JOBSTRAND_DB; without both: a new SQLite file"
    );
    command.add_flag("--wipe", options.wipe, "Delete the jobs that the database already holds");
    command.add_option("--jobs", options.jobs, "Jobs per repetition")
        ->check(CLI::Range(one, kMostJobs))
        ->capture_default_str();
    command.add_option("--workers", options.workers, "Threads per node")
        ->check(CLI::Range(one, kMostThreads))
        ->capture_default_str();
    command.add_option("--queue", options.queue, "Places in the queue of each node")
        ->check(CLI::Range(one, kMostQueued))
        ->capture_default_str();
    command.add_option("--page", options.page, "Jobs per acquisition")
        ->check(CLI::Range(one, schema::limits::kJobsPerTransaction))
        ->capture_default_str();
    command.add_option("--nodes", options.nodes, "Executors on the database, all in this process")
        ->check(CLI::Range(one, kMostNodes))
        ->capture_default_str();
    command.add_option("--warm-up", options.warm_up, "Jobs to run before the clock starts")
        ->check(CLI::Range(std::size_t{0}, kMostJobs))
        ->capture_default_str();
    command.add_option("--repeat", options.repeat, "Repetitions")
        ->check(CLI::Range(one, kMostThreads))
        ->capture_default_str();
    add_duration(command, "--time-limit", options.time_limit, "Longest wait for the jobs to end");
    command.add_flag("!--no-ceiling", options.with_ceiling, "Leave out the raw SQL yardstick");
    command
        .add_option_function<std::string>(
            "-o,--output",
            [&options](const std::string& format) { options.as_json = format == "json"; },
            "table or json"
        )
        ->check(CLI::IsMember({"table", "json"}));
}

CLI::Option* add_duration(
    CLI::App& command,
    const std::string& name,
    schema::Duration& value,
    const std::string& description
) {
    const std::map<std::string, std::int64_t> units{
        {"ms", 1}, {"s", 1000}, {"m", 60'000}, {"min", 60'000}, {"h", 3'600'000}};
    return command
        .add_option_function<std::int64_t>(
            name,
            [&value](const std::int64_t& milliseconds) { value = schema::Duration(milliseconds); },
            description + " (default " + std::to_string(value.count()) + "ms)"
        )
        ->transform(CLI::AsNumberWithUnit(units))
        ->check(CLI::NonNegativeNumber)
        ->type_name("TIME");
}

executor::ExecutorSettings executor_settings(const Options& options) {
    executor::ExecutorSettings settings;
    settings.core_pool_size = options.workers;
    settings.max_pool_size = options.workers;
    settings.queue_size = options.queue;
    settings.acquire_page = options.page;
    return settings;
}

void Bench::say(std::string_view line) const {
    fmt::print(stderr, "{}: {}\n", result.scenario, line);
}

void Bench::set(std::string name, std::string value) const {
    result.settings.emplace_back(std::move(name), std::move(value));
}

void Bench::add_figure(Figure figure, double Ceiling::*yardstick) const {
    if (ceiling) {
        figure.ceiling = *ceiling.*yardstick;
    }
    result.figures.push_back(std::move(figure));
}

void Bench::add_figure(Figure figure, double (Ceiling::*yardstick)() const) const {
    if (ceiling) {
        figure.ceiling = (*ceiling.*yardstick)();
    }
    result.figures.push_back(std::move(figure));
}

void Bench::wait_for_end(
    RunLedger& ledger,
    std::size_t jobs,
    std::span<const schema::JobPlace> places
) const {
    const bool is_over = ledger.wait_for(jobs, options.time_limit) &&
                         database.wait_until_empty(options.time_limit, places);
    check(
        "the jobs ended within the time limit",
        is_over ? "" : fmt::format("{} of {} jobs succeeded in time", ledger.count(), jobs)
    );
}

void Bench::check_end(const RunLedger& ledger, std::size_t jobs) const {
    check("every job succeeded exactly once", ledger.mistakes(jobs));
    check("the tables are empty at the end", database.is_empty() ? "" : "jobs are left");
}

void Bench::check(std::string_view name, const std::string& problem) const {
    const auto known = std::ranges::find(result.checks, name, &Check::name);
    if (known == result.checks.end()) {
        result.checks.push_back({.name = std::string(name), .problem = problem});
    } else if (known->problem.empty()) {
        known->problem = problem;
    }
}

}  // namespace jobstrand::bench
