#include "bench/scenarios/scenario.hpp"

#include "bench/core/environment.hpp"
#include "bench/core/raw_jobs.hpp"
#include "bench/core/stderr_log.hpp"
#include "schema/text/time_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>

namespace jobstrand::bench {

std::vector<ScenarioPtr> all_scenarios() {
    std::vector<ScenarioPtr> all;
    all.push_back(ceiling_scenario());
    all.push_back(drain_scenario());
    all.push_back(flow_scenario());
    all.push_back(latency_scenario());
    all.push_back(timers_scenario());
    all.push_back(scale_scenario());
    all.push_back(idle_scenario());
    all.push_back(requeue_scenario());
    all.push_back(limits_scenario());
    all.push_back(soak_scenario());
    all.push_back(busy_scenario());
    return all;
}

namespace {

/// As many as a scenario has by default, for what depends on how many there are, as timers on
/// SQLite do. No more: the yardstick shall not take longer than what is measured.
constexpr std::size_t kCeilingJobs = 200'000;

constexpr std::array<std::size_t, 3> kPages{200, 500, 1000};

Facts common_settings(const Options& options) {
    return {
        {"jobs", fmt::to_string(options.jobs)},
        {"workers", fmt::to_string(options.workers)},
        {"queue", fmt::to_string(options.queue)},
        {"page", fmt::to_string(options.page)},
        {"nodes", fmt::to_string(options.nodes)},
        {"warmUp", fmt::to_string(options.warm_up)},
        {"repeat", fmt::to_string(options.repeat)},
    };
}

Ceiling
short_ceiling(BenchDatabase& database, const Options& options, std::size_t inserted_at_once) {
    CeilingRun run{.inserted_at_once = inserted_at_once, .connections = connections_for(database)};
    std::vector<Ceiling> all;
    run.jobs = std::min(options.warm_up, kCeilingJobs);
    if (run.jobs > 0) {
        (void)measure_ceiling(database, run);
    }
    run.jobs = std::min(options.jobs, kCeilingJobs);
    for (const std::size_t page : kPages) {
        run.page = page;
        all.push_back(measure_ceiling(database, run));
    }
    return best_of(all);
}

}  // namespace

Result run_scenario(Scenario& scenario, const Options& options) {
    const schema::SystemClock clock;
    StderrLog log;
    BenchDatabase database(options.database_url, options.wipe, log);
    Result result{
        .scenario = scenario.name(),
        .started_at = schema::format_instant(clock.now()),
        .environment = environment_of(database),
        .settings = common_settings(options),
    };
    Bench bench{
        .options = options, .database = database, .clock = clock, .log = log, .result = result};
    if (options.with_ceiling && scenario.has_yardstick()) {
        bench.ceiling = short_ceiling(database, options, scenario.inserted_at_once());
        bench.say(fmt::format("ceiling: {} jobs/s", shown(bench.ceiling->run)));
    }
    scenario.run(bench);
    return result;
}

}  // namespace jobstrand::bench
