#pragma once

#include "bench/core/bench.hpp"
#include "bench/core/result.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace jobstrand::bench {

/// One subcommand of the program: something to measure.
class Scenario {
public:
    virtual ~Scenario() = default;

    [[nodiscard]] virtual std::string name() const = 0;
    [[nodiscard]] virtual std::string description() const = 0;

    /// Options beyond those that every scenario has.
    virtual void add_options(CLI::App& /*command*/) {}

    /// Whether its figures are held against raw SQL.
    [[nodiscard]] virtual bool has_yardstick() const { return true; }

    /// Jobs that its producers commit at once, as an app decides, so that the yardstick does too;
    /// 0: as many as are best.
    [[nodiscard]] virtual std::size_t inserted_at_once() const { return 0; }

    /// Puts settings, figures and checks into the result. Throws when the database is in trouble.
    virtual void run(Bench& bench) = 0;
};

using ScenarioPtr = std::unique_ptr<Scenario>;

// Each in the file of its name.
[[nodiscard]] ScenarioPtr busy_scenario();
[[nodiscard]] ScenarioPtr ceiling_scenario();
[[nodiscard]] ScenarioPtr drain_scenario();
[[nodiscard]] ScenarioPtr flow_scenario();
[[nodiscard]] ScenarioPtr idle_scenario();
[[nodiscard]] ScenarioPtr latency_scenario();
[[nodiscard]] ScenarioPtr limits_scenario();
[[nodiscard]] ScenarioPtr requeue_scenario();
[[nodiscard]] ScenarioPtr scale_scenario();
[[nodiscard]] ScenarioPtr soak_scenario();
[[nodiscard]] ScenarioPtr timers_scenario();

/// All of them, in the order of the help.
[[nodiscard]] std::vector<ScenarioPtr> all_scenarios();

/// Opens the database, measures the ceiling unless told not to, and runs the scenario. Throws
/// std::exception when it cannot be run; a result that did not pass is returned.
[[nodiscard]] Result run_scenario(Scenario& scenario, const Options& options);

}  // namespace jobstrand::bench
