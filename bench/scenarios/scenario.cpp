#include "bench/scenarios/scenario.hpp"

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
    return all;
}

}  // namespace jobstrand::bench
