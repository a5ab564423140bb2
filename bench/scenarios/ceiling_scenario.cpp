#include "bench/core/ceiling.hpp"
#include "bench/core/raw_jobs.hpp"
#include "bench/scenarios/scenario.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace jobstrand::bench {

namespace {

/// Raw SQL on the same tables through the same connections, for several page sizes.
class CeilingScenario final : public Scenario {
public:
    [[nodiscard]] std::string name() const override { return "ceiling"; }

    [[nodiscard]] std::string description() const override {
        return "What raw SQL reaches: insert in bulk, claim or lease pages and delete them, move "
               "timers";
    }

    [[nodiscard]] bool has_yardstick() const override { return false; }

    void add_options(CLI::App& command) override {
        command.add_option("--pages", pages_, "Page sizes to try")
            ->delimiter(',')
            ->check(CLI::Range(std::size_t{1}, std::size_t{2000}))
            ->capture_default_str();
        command.add_option("--connections", connections_, "Connections at once; 0: by database")
            ->check(CLI::Range(std::size_t{0}, std::size_t{5}))
            ->capture_default_str();
    }

    void run(Bench& bench) override {
        const std::size_t connections =
            connections_ == 0 ? connections_for(bench.database) : connections_;
        bench.set("pages", fmt::format("{}", fmt::join(pages_, ",")));
        bench.set("connections", fmt::to_string(connections));
        std::vector<Ceiling> all;
        for (const std::size_t page : pages_) {
            measure(bench, {.page = page, .connections = connections, .with_leases = true}, all);
        }
        const Ceiling best = best_of(all);
        bench.result.figures.push_back({"insert, best page", "jobs/s", {best.insert}});
        bench.result.figures.push_back({"claim and delete, best page", "jobs/s", {best.run}});
        bench.result.figures.push_back({"lease and delete, best page", "jobs/s", {best.lease}});
        bench.result.figures.push_back({"timer move, best page", "jobs/s", {best.move}});
        bench.check(
            "the tables are empty at the end", bench.database.is_empty() ? "" : "jobs left"
        );
    }

private:
    static void measure(const Bench& bench, CeilingRun run, std::vector<Ceiling>& all) {
        Figure insert{fmt::format("insert, page {}", run.page), "jobs/s", {}};
        Figure claim{fmt::format("claim and delete, page {}", run.page), "jobs/s", {}};
        Figure lease{fmt::format("lease and delete, page {}", run.page), "jobs/s", {}};
        Figure move{fmt::format("timer move, page {}", run.page), "jobs/s", {}};
        if (bench.options.warm_up > 0) {
            run.jobs = bench.options.warm_up;
            (void)measure_ceiling(bench.database, run);
        }
        run.jobs = bench.options.jobs;
        for (std::size_t i = 0; i < bench.options.repeat; ++i) {
            all.push_back(measure_ceiling(bench.database, run));
            insert.values.push_back(all.back().insert);
            claim.values.push_back(all.back().run);
            lease.values.push_back(all.back().lease);
            move.values.push_back(all.back().move);
            bench.say(fmt::format(
                "page {}: {} jobs/s, leased {}",
                run.page,
                shown(all.back().run),
                shown(all.back().lease)
            ));
        }
        for (const Figure& figure : {insert, claim, lease, move}) {
            bench.result.figures.push_back(figure);
        }
    }

    std::vector<std::size_t> pages_{100, 200, 500, 1000};
    std::size_t connections_ = 0;
};

}  // namespace

ScenarioPtr ceiling_scenario() {
    return std::make_unique<CeilingScenario>();
}

}  // namespace jobstrand::bench
