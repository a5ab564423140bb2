#include "bench/core/nodes.hpp"
#include "bench/core/open_loop.hpp"
#include "bench/scenarios/scenario.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace jobstrand::bench {

namespace {

/// Producers enqueue batches through an engine while the executors run the jobs.
class FlowScenario final : public Scenario {
public:
    [[nodiscard]] std::string name() const override { return "flow"; }

    [[nodiscard]] std::string description() const override {
        return "Producers and executors at the same time, at a rate or at full speed";
    }

    void add_options(CLI::App& command) override {
        command.add_option("--rate", rate_, "Jobs per second; 0: full speed")
            ->check(CLI::NonNegativeNumber)
            ->capture_default_str();
        command.add_option("--batch", batch_, "Jobs per enqueueing transaction")
            ->check(CLI::Range(std::size_t{1}, std::size_t{100'000}))
            ->capture_default_str();
        command.add_option("--producers", producers_, "Enqueueing threads")
            ->check(CLI::Range(std::size_t{1}, std::size_t{1000}))
            ->capture_default_str();
    }

    [[nodiscard]] std::size_t inserted_at_once() const override { return batch_; }

    void run(Bench& bench) override {
        bench.set("rate", fmt::to_string(rate_));
        bench.set("batch", fmt::to_string(batch_));
        bench.set("producers", fmt::to_string(producers_));
        LatencyHistogram to_start;
        if (bench.options.warm_up > 0) {
            LatencyHistogram ignored;
            (void)flow(bench, bench.options.warm_up, ignored);
        }
        Figure total{"enqueued and run", "jobs/s", {}};
        Figure enqueue{"enqueued", "jobs/s", {}};
        for (std::size_t i = 0; i < bench.options.repeat; ++i) {
            const Rates rates = flow(bench, bench.options.jobs, to_start);
            enqueue.values.push_back(rates.enqueued);
            total.values.push_back(rates.run);
            bench.say(fmt::format("{} jobs/s", shown(rates.run)));
        }
        bench.add_figure(std::move(total), &Ceiling::insert_and_run);
        bench.result.figures.push_back(std::move(enqueue));
        bench.result.latencies.push_back(latency("intended enqueue to start", to_start));
    }

private:
    struct Rates {
        double enqueued = 0;  ///< Until the last batch was committed.
        double run = 0;       ///< Until the tables were empty.
    };

    [[nodiscard]] Rates flow(const Bench& bench, std::size_t jobs, LatencyHistogram& to_start)
        const {
        RunLedger ledger(jobs);
        const std::size_t batches = (jobs + batch_ - 1) / batch_;
        TimeStamps intended(batches);
        Nodes nodes(bench, [&](const executor::JobContext& context) {
            const std::size_t number = ledger.number_of(context.job.payload);
            if (number < jobs) {
                to_start.add(std::chrono::steady_clock::now() - intended.at(number / batch_));
            }
            ledger.succeeded(number);
            return executor::Succeeded{};
        });
        nodes.start();
        const Stopwatch watch;
        const SendPlan plan{
            .count = batches,
            .per_second = rate_ / static_cast<double>(batch_),
            .senders = producers_};
        send_as_planned(plan, [&](std::size_t number, schema::SteadyPoint when) {
            intended.set(number, when);
            nodes.first().enqueue_all(batch(number, jobs));
        });
        Rates rates{.enqueued = watch.rate(jobs)};
        bench.wait_for_end(ledger, jobs);
        rates.run = watch.rate(jobs);
        nodes.stop();
        bench.check_end(ledger, jobs);
        return rates;
    }

    [[nodiscard]] std::vector<schema::Job> batch(std::size_t number, std::size_t jobs) const {
        std::vector<schema::Job> batch;
        for (std::size_t i = number * batch_; i < std::min(jobs, (number + 1) * batch_); ++i) {
            batch.push_back(numbered_job(i));
        }
        return batch;
    }

    double rate_ = 0;
    std::size_t batch_ = 100;
    std::size_t producers_ = 2;
};

}  // namespace

ScenarioPtr flow_scenario() {
    return std::make_unique<FlowScenario>();
}

}  // namespace jobstrand::bench
