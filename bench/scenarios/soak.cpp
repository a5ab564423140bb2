#include "bench/core/environment.hpp"
#include "bench/core/nodes.hpp"
#include "bench/core/open_loop.hpp"
#include "bench/scenarios/scenario.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

namespace jobstrand::bench {

namespace {

/// A steady flow for long, and what it does to the database: throughput, latency and table health
/// over time.
class SoakScenario final : public Scenario {
public:
    [[nodiscard]] std::string name() const override { return "soak"; }

    [[nodiscard]] std::string description() const override {
        return "A steady flow for minutes or hours, with table health over time";
    }

    [[nodiscard]] bool has_yardstick() const override { return false; }

    void add_options(CLI::App& command) override {
        command.add_option("--minutes", minutes_, "How long")
            ->check(CLI::Range(0.001, 7.0 * 24 * 60))
            ->capture_default_str();
        command.add_option("--rate", rate_, "Jobs per second")
            ->check(CLI::PositiveNumber)
            ->capture_default_str();
        command.add_option("--batch", batch_, "Jobs per enqueueing transaction")
            ->check(CLI::Range(std::size_t{1}, std::size_t{100'000}))
            ->capture_default_str();
        add_duration(command, "--sample", sample_, "Time between two looks at the tables");
    }

    void run(Bench& bench) override {
        bench.set("minutes", fmt::to_string(minutes_));
        bench.set("rate", fmt::to_string(rate_));
        bench.set("batch", fmt::to_string(batch_));
        const auto time = std::chrono::duration<double, std::ratio<60>>(minutes_);
        const double batches_per_second = rate_ / static_cast<double>(batch_);
        const std::size_t batches =
            count_within(batches_per_second, std::chrono::ceil<schema::Duration>(time));
        Flow flow(bench, batches, batch_);
        Samples samples(bench, flow);
        {
            const std::jthread watcher([&](const std::stop_token& stop) {
                samples.take_until(stop, sample_);
            });
            flow.send(rate_);
        }
        flow.end();
        samples.report();
    }

private:
    /// The jobs of the whole run.
    class Flow {
    public:
        Flow(const Bench& bench, std::size_t batches, std::size_t batch)
            : bench_(bench),
              batches_(batches),
              batch_(batch),
              ledger_(batches * batch),
              intended_(batches),
              nodes_(bench, [this](const executor::JobContext& context) {
                  ran(ledger_.number_of(context.job.payload));
                  return executor::Succeeded{};
              }) {}

        void send(double rate) {
            nodes_.start();
            const SendPlan plan{
                .count = batches_, .per_second = rate / static_cast<double>(batch_), .senders = 4};
            send_as_planned(plan, [this](std::size_t number, schema::SteadyPoint when) {
                intended_.set(number, when);
                std::vector<schema::Job> jobs;
                for (std::size_t i = 0; i < batch_; ++i) {
                    jobs.push_back(numbered_job(number * batch_ + i));
                }
                nodes_.first().enqueue_all(std::move(jobs));
            });
        }

        void end() {
            const std::size_t jobs = batches_ * batch_;
            bench_.wait_for_end(ledger_, jobs);
            nodes_.stop();
            bench_.check_end(ledger_, jobs);
            bench_.result.latencies.push_back(latency("intended enqueue to start", to_start_));
        }

        [[nodiscard]] std::size_t succeeded() const { return ledger_.count(); }

        /// The latencies since the last call.
        [[nodiscard]] std::unique_ptr<LatencyHistogram> take_recent() {
            const std::lock_guard lock(mutex_);
            return std::exchange(recent_, std::make_unique<LatencyHistogram>());
        }

    private:
        void ran(std::size_t number) {
            if (number < batches_ * batch_) {
                const auto late = std::chrono::steady_clock::now() - intended_.at(number / batch_);
                to_start_.add(late);
                const std::lock_guard lock(mutex_);
                recent_->add(late);
            }
            ledger_.succeeded(number);
        }

        const Bench& bench_;
        const std::size_t batches_;
        const std::size_t batch_;
        RunLedger ledger_;
        TimeStamps intended_;
        LatencyHistogram to_start_;
        std::mutex mutex_;
        std::unique_ptr<LatencyHistogram> recent_ = std::make_unique<LatencyHistogram>();
        Nodes nodes_;  ///< Last: its handlers use everything above.
    };

    /// What is seen of the flow and the tables while it runs.
    class Samples {
    public:
        Samples(const Bench& bench, Flow& flow) : bench_(bench), flow_(flow) {}

        void take_until(const std::stop_token& stop, schema::Duration interval) {
            for (const HealthFigure& figure : table_health(bench_.database)) {
                first_[figure.name] = figure.value;
            }
            std::mutex mutex;
            std::condition_variable_any never;
            std::unique_lock lock(mutex);
            while (!never.wait_for(lock, stop, interval, [&] { return stop.stop_requested(); })) {
                take();
            }
            take();
        }

        void report() {
            for (auto& [name, series] : series_) {
                bench_.result.series.push_back(std::move(series));
            }
            for (Figure& figure : per_job_) {
                bench_.result.figures.push_back(std::move(figure));
            }
        }

    private:
        void take() {
            const double seconds = watch_.seconds();
            const std::size_t jobs = flow_.succeeded();
            add("jobs run", "jobs/s", double(jobs - jobs_) / (seconds - seconds_));
            add("p99 latency", "ms", latency("", *flow_.take_recent()).p99);
            per_job_.clear();
            for (const HealthFigure& figure : table_health(bench_.database)) {
                if (figure.is_counter) {
                    per_job_.push_back(
                        {figure.name + " per job",
                         figure.unit,
                         {(figure.value - first_[figure.name]) /
                          double(std::max<std::size_t>(jobs, 1))}}
                    );
                } else {
                    add(figure.name, figure.unit, figure.value);
                }
            }
            jobs_ = jobs;
            seconds_ = seconds;
        }

        void add(const std::string& name, const std::string& unit, double value) {
            Series& series = series_.try_emplace(name, Series{name, "s", unit}).first->second;
            series.points.emplace_back(watch_.seconds(), value);
        }

        const Bench& bench_;
        Flow& flow_;
        const Stopwatch watch_;
        std::map<std::string, double> first_;  ///< Counters at the start.
        std::map<std::string, Series> series_;
        std::vector<Figure> per_job_;
        std::size_t jobs_ = 0;
        double seconds_ = 0;
    };

    double minutes_ = 5;
    double rate_ = 1000;
    std::size_t batch_ = 10;
    schema::Duration sample_{std::chrono::seconds(10)};
};

}  // namespace

ScenarioPtr soak_scenario() {
    return std::make_unique<SoakScenario>();
}

}  // namespace jobstrand::bench
