#include "bench/core/nodes.hpp"
#include "bench/core/open_loop.hpp"
#include "bench/core/raw_jobs.hpp"
#include "bench/scenarios/scenario.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <atomic>
#include <optional>
#include <string_view>
#include <thread>

namespace jobstrand::bench {

namespace {

constexpr std::string_view kSlowType = "bench-slow";

/// Counts the runs that go on at the same time.
class Concurrency final {
public:
    void work(schema::Duration time) {
        const int now = ++running_;
        for (int most = most_; now > most && !most_.compare_exchange_weak(most, now);) {
        }
        std::this_thread::sleep_for(time);
        --running_;
    }
    [[nodiscard]] int most() const { return most_; }

private:
    std::atomic<int> running_{0};
    std::atomic<int> most_{0};
};

/// How much of a limit the nodes use, and what a slow type that stays within its share of the
/// workers does to the others.
class LimitsScenario final : public Scenario {
public:
    [[nodiscard]] std::string name() const override { return "limits"; }

    [[nodiscard]] std::string description() const override {
        return "How much of a limit is used, and what a slow type does to others";
    }

    [[nodiscard]] bool has_yardstick() const override { return false; }

    void add_options(CLI::App& command) override {
        command.add_option("--limit", limit_, "Jobs that may run at a time, on all nodes")
            ->check(CLI::Range(1, 1000))
            ->capture_default_str();
        command.add_option("--share", share_, "Workers of a node that the slow type may have")
            ->check(CLI::Range(1, 1000))
            ->capture_default_str();
        add_duration(command, "--work", work_, "How long each job of a limited type takes");
        add_duration(command, "--time", time_, "How long each part lasts");
        command.add_option("--rate", rate_, "Jobs per second of the other type")
            ->check(CLI::PositiveNumber)
            ->capture_default_str();
    }

    void run(Bench& bench) override {
        bench.set("limit", fmt::to_string(limit_));
        bench.set("share", fmt::to_string(share_));
        bench.set("workMs", fmt::to_string(work_.count()));
        bench.set("timeMs", fmt::to_string(time_.count()));
        bench.set("rate", fmt::to_string(rate_));
        Figure used{"of what the limit allows", "%", {}};
        for (std::size_t i = 0; i < bench.options.repeat; ++i) {
            used.values.push_back(measure_use(bench));
            bench.say(fmt::format("{} % of what the limit allows", shown(used.values.back())));
        }
        bench.result.figures.push_back(used);
        LatencyHistogram idle;
        LatencyHistogram beside;
        for (std::size_t i = 0; i < bench.options.repeat; ++i) {
            measure_starts(bench, idle, 0);
            measure_starts(bench, beside, slow_jobs(bench));
        }
        bench.result.latencies.push_back(latency("commit to start, nothing else runs", idle));
        bench.result.latencies.push_back(latency("commit to start, beside a slow type", beside));
    }

private:
    [[nodiscard]] double measure_use(const Bench& bench) const {
        const auto count = static_cast<std::size_t>(limit_ * (time_ / work_));
        RunLedger ledger(count);
        Concurrency concurrency;
        LimitForRun limit(bench.database, kHandlerType);
        limit.set(limit_, std::nullopt);
        Nodes nodes(bench, [&](const executor::JobContext& context) {
            concurrency.work(work_);
            ledger.succeeded(ledger.number_of(context.job.payload));
            return executor::Succeeded{};
        });
        add_jobs(bench, count, kHandlerType);
        nodes.start();
        const Stopwatch watch;
        bench.wait_for_end(ledger, count);
        const double seconds = watch.seconds();
        nodes.stop();
        bench.check_end(ledger, count);
        bench.check(
            "never more at a time than the limit allows",
            concurrency.most() <= limit_ ? "" : fmt::format("{} at a time", concurrency.most())
        );
        const double ideal = std::chrono::duration<double>(work_).count() *
                             static_cast<double>(count) / static_cast<double>(limit_);
        return 100 * ideal / seconds;
    }

    /// Enough that the share is always used while the others are measured.
    [[nodiscard]] std::size_t slow_jobs(const Bench& bench) const {
        const auto at_a_time = static_cast<std::size_t>(share_) * bench.options.nodes;
        return at_a_time * (static_cast<std::size_t>(time_ / work_) + 2);
    }

    void measure_starts(const Bench& bench, LatencyHistogram& from_commit, std::size_t slow) const {
        const SendPlan plan{.count = count_within(rate_, time_), .per_second = rate_};
        TimedJobs jobs(plan.count);
        LimitForRun limit(bench.database, kSlowType);
        limit.set(std::nullopt, share_);
        Nodes nodes(bench, jobs.handler());
        nodes.add_handler(kSlowType, [this](const executor::JobContext&) {
            std::this_thread::sleep_for(work_);
            return executor::Succeeded{};
        });
        if (slow > 0) {
            add_jobs(bench, slow, kSlowType);
        }
        nodes.start();
        LatencyHistogram ignored;
        send_as_planned(plan, [&](std::size_t number, schema::SteadyPoint intended) {
            jobs.send(nodes.first(), number, intended);
        });
        bench.wait_for_end(jobs.ledger, plan.count);
        nodes.stop();
        bench.check_end(jobs.ledger, plan.count);
        jobs.measure(ignored, from_commit);
    }

    static void add_jobs(const Bench& bench, std::size_t count, std::string_view type) {
        std::vector<schema::Job> jobs;
        for (std::size_t i = 0; i < count; ++i) {
            jobs.push_back(numbered_job(i));
            jobs.back().handler_type = type;
        }
        other_process(bench)->enqueue_all(std::move(jobs));
    }

    int limit_ = 5;
    int share_ = 4;
    schema::Duration work_{std::chrono::milliseconds(200)};
    schema::Duration time_{std::chrono::seconds(10)};
    double rate_ = 50;
};

}  // namespace

ScenarioPtr limits_scenario() {
    return std::make_unique<LimitsScenario>();
}

}  // namespace jobstrand::bench
