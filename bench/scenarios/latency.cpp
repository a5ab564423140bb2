#include "bench/core/nodes.hpp"
#include "bench/core/open_loop.hpp"
#include "bench/scenarios/scenario.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace jobstrand::bench {

namespace {

/// How jobs come to the executor that runs them.
enum class Path {
    hand_off,  ///< Enqueued through the same engine, which starts them right after the commit.
    polled,    ///< Enqueued by another one: the executor has to find them.
};

std::string name_of(Path path) {
    return path == Path::hand_off ? "hand-off" : "polled";
}

/// From the commit of one job to the start of its handler, at several loads.
class LatencyScenario final : public Scenario {
public:
    [[nodiscard]] std::string name() const override { return "latency"; }

    [[nodiscard]] std::string description() const override {
        return "From commit to handler start at several loads, one job per transaction";
    }

    [[nodiscard]] bool has_yardstick() const override { return false; }

    void add_options(CLI::App& command) override {
        command.add_option("--load", loads_, "Loads in percent of the capacity measured first")
            ->delimiter(',')
            ->check(CLI::Range(0.001, 100.0))
            ->capture_default_str();
        command.add_option("--rate", rates_, "Jobs per second, in place of --load")
            ->delimiter(',')
            ->check(CLI::PositiveNumber);
        add_duration(command, "--time", time_, "How long each load lasts");
        command.add_option("--producers", producers_, "Enqueueing threads")
            ->check(CLI::Range(std::size_t{1}, std::size_t{1000}))
            ->capture_default_str();
    }

    void run(Bench& bench) override {
        bench.set("producers", fmt::to_string(producers_));
        bench.set("timeMs", fmt::to_string(time_.count()));
        for (const Path path : {Path::hand_off, Path::polled}) {
            if (rates_.empty()) {
                measure_loads(bench, path);
            }
            for (const double rate : rates_) {
                measure_rate(bench, path, rate, fmt::format("{} jobs/s", shown(rate)));
            }
        }
    }

private:
    void measure_loads(const Bench& bench, Path path) const {
        const double capacity = measure_capacity(bench, path);
        bench.result.figures.push_back(
            {fmt::format("capacity, {}", name_of(path)), "jobs/s", {capacity}}
        );
        for (const double load : loads_) {
            const std::string name = fmt::format("{} % load", shown(load));
            measure_rate(bench, path, capacity * load / 100, name);
        }
    }

    // The same senders as fast as they can, for about as long as one load.
    [[nodiscard]] double measure_capacity(const Bench& bench, Path path) const {
        LatencyHistogram ignored;
        double rate = 0;
        std::size_t count = std::max<std::size_t>(bench.options.warm_up, 1000);
        for (int i = 0; i < 2; ++i) {
            rate = send(bench, path, {.count = count, .senders = producers_}, ignored, ignored);
            count = count_within(rate, time_);
        }
        bench.say(fmt::format("{}: capacity {} jobs/s", name_of(path), shown(rate)));
        return rate;
    }

    void measure_rate(const Bench& bench, Path path, double rate, const std::string& load) const {
        LatencyHistogram from_intended;
        LatencyHistogram from_commit;
        const SendPlan plan{
            .count = count_within(rate, time_), .per_second = rate, .senders = producers_};
        for (std::size_t i = 0; i < bench.options.repeat; ++i) {
            (void)send(bench, path, plan, from_intended, from_commit);
        }
        const std::string name = fmt::format("{}, {}, ", name_of(path), load);
        bench.result.latencies.push_back(latency(name + "commit to start", from_commit));
        bench.result.latencies.push_back(latency(name + "enqueue to start", from_intended));
        bench.say(fmt::format(
            "{}{} jobs/s: p50 {} ms",
            name,
            shown(rate),
            shown(bench.result.latencies[bench.result.latencies.size() - 2].p50)
        ));
    }

    /// Returns how many jobs a second were enqueued and run.
    static double send(
        const Bench& bench,
        Path path,
        const SendPlan& plan,
        LatencyHistogram& from_intended,
        LatencyHistogram& from_commit
    ) {
        TimedJobs jobs(plan.count);
        Nodes nodes(bench, jobs.handler());
        const std::unique_ptr<engine::Wiring> other = other_process(bench);
        engine::Wiring& engine = path == Path::hand_off ? nodes.first() : *other;
        nodes.start();
        const Stopwatch watch;
        send_as_planned(plan, [&](std::size_t number, schema::SteadyPoint intended) {
            jobs.send(engine, number, intended);
        });
        bench.wait_for_end(jobs.ledger, plan.count);
        const double rate = watch.rate(plan.count);
        nodes.stop();
        bench.check_end(jobs.ledger, plan.count);
        jobs.measure(from_intended, from_commit);
        return rate;
    }

    std::vector<double> loads_{10, 50, 90};
    std::vector<double> rates_;
    schema::Duration time_{std::chrono::seconds(5)};
    std::size_t producers_ = 4;
};

}  // namespace

ScenarioPtr latency_scenario() {
    return std::make_unique<LatencyScenario>();
}

}  // namespace jobstrand::bench
