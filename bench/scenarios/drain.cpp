#include "bench/core/nodes.hpp"
#include "bench/core/open_loop.hpp"
#include "bench/core/raw_jobs.hpp"
#include "bench/scenarios/scenario.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <string>
#include <thread>
#include <vector>

namespace jobstrand::bench {

namespace {

/// A prepared backlog through the complete executor until the tables are empty.
class DrainScenario final : public Scenario {
public:
    [[nodiscard]] std::string name() const override { return "drain"; }

    [[nodiscard]] std::string description() const override {
        return "A prepared backlog through the complete executor until the tables are empty";
    }

    void add_options(CLI::App& command) override {
        add_duration(command, "--job-time", job_time_, "How long each handler sleeps");
        command.add_option("--failing", failing_percent_, "Jobs whose first attempt fails, as 10%")
            ->transform([](std::string text) {
                return text.ends_with('%') ? text.substr(0, text.size() - 1) : text;
            })
            ->check(CLI::Range(0.0, 100.0))
            ->capture_default_str();
        command
            .add_option(
                "--instances", instances_, "Process instances of the jobs; 0: they have none"
            )
            ->check(CLI::Range(std::size_t{0}, std::size_t{100'000'000}))
            ->capture_default_str();
        command.add_flag(
            "--together",
            are_together_,
            "The jobs of an instance follow each other; without it the instances take turns"
        );
        command.add_flag(
            "--take-along", takes_along_, "Take the jobs of an instance together, with its index"
        );
        command.add_option("--priorities", priorities_, "Different priorities of the jobs")
            ->check(CLI::Range(std::size_t{1}, std::size_t{1000}))
            ->capture_default_str();
        command.add_flag("--by-priority", by_priority_, "Acquire by priority, with its index");
        command
            .add_option(
                "--job-log",
                job_logs_,
                "What the job log tells: none, failures, full; several take turns"
            )
            ->delimiter(',')
            ->check(CLI::IsMember({"none", "failures", "full"}))
            ->capture_default_str();
        command
            .add_option(
                "--last-runs",
                last_runs_,
                "How many runs of a handler type are kept; several take turns"
            )
            ->delimiter(',')
            ->capture_default_str();
        command
            .add_option(
                "--lock-granularity",
                granularities_,
                "What is locked: row, page; several take turns"
            )
            ->delimiter(',')
            ->check(CLI::IsMember({"row", "page"}))
            ->capture_default_str();
        add_duration(
            command, "--aging", aging_, "Acquire by priority, where a step is worth so much"
        );
    }

    void run(Bench& bench) override {
        bench.set("jobTimeMs", fmt::to_string(job_time_.count()));
        bench.set("failingPercent", fmt::to_string(failing_percent_));
        bench.set("instances", fmt::to_string(instances_));
        bench.set("together", fmt::to_string(are_together_));
        bench.set("takeAlong", fmt::to_string(takes_along_));
        bench.set("priorities", fmt::to_string(priorities_));
        bench.set("byPriority", fmt::to_string(by_priority_));
        bench.set("agingMs", fmt::to_string(aging_.count()));
        const IndexForRun by_priority(
            bench.database, schema::kPriorityIndex, by_priority_ && !order().ages()
        );
        const IndexForRun instance(bench.database, schema::kInstanceIndex, takes_along_);
        const IndexForRun aging(bench.database, schema::kPriorityDueIndex, order().ages());
        const std::vector<Variant> variants = all_variants();
        if (bench.options.warm_up > 0) {
            (void)drain(bench, bench.options.warm_up, variants.front());
        }
        std::vector<Figure> rates;
        for (const Variant& variant : variants) {
            rates.push_back({name_of(variant), "jobs/s", {}});
        }
        Figure cpu{"CPU time per job", "us", {}};
        Figure first{"first job ended after", "ms", {}};
        Figure ran{"until the last job ended", "jobs/s", {}};
        for (std::size_t i = 0; i < bench.options.repeat * rates.size(); ++i) {
            const std::size_t turn = i % rates.size();
            const Drained drained = drain(bench, bench.options.jobs, variants[turn]);
            rates[turn].values.push_back(drained.per_second);
            cpu.values.push_back(drained.cpu_micros_per_job);
            first.values.push_back(drained.first_ms);
            ran.values.push_back(drained.ran_per_second);
            bench.say(fmt::format("{} jobs/s", shown(drained.per_second)));
        }
        for (Figure& rate : rates) {
            bench.add_figure(std::move(rate), &Ceiling::run);
        }
        bench.result.figures.push_back(std::move(cpu));
        bench.result.figures.push_back(std::move(first));
        bench.result.figures.push_back(std::move(ran));
    }

private:
    struct Drained {
        double per_second = 0;
        double cpu_micros_per_job = 0;
        double first_ms = 0;
        double ran_per_second = 0;
    };

    /// What differs between the runs that take turns.
    struct Variant {
        std::string job_log;
        std::string locks;
        std::int64_t last_runs = 0;
    };

    [[nodiscard]] std::vector<Variant> all_variants() const {
        std::vector<Variant> all;
        for (const std::string& job_log : job_logs_) {
            for (const std::string& locks : granularities_) {
                for (const std::int64_t runs : last_runs_) {
                    all.push_back({.job_log = job_log, .locks = locks, .last_runs = runs});
                }
            }
        }
        return all;
    }

    [[nodiscard]] std::string name_of(const Variant& variant) const {
        std::string name = "drain";
        if (job_logs_.size() > 1) {
            name += ", job log " + variant.job_log;
        }
        if (granularities_.size() > 1) {
            name += ", locks by the " + variant.locks;
        }
        if (last_runs_.size() > 1) {
            name += fmt::format(", last {} runs", variant.last_runs);
        }
        return name;
    }

    [[nodiscard]] schema::AcquisitionOrder order() const {
        return {.by_priority = by_priority_ || aging_ > schema::Duration{0}, .aging = aging_};
    }

    [[nodiscard]] Drained drain(const Bench& bench, std::size_t jobs, const Variant& variant)
        const {
        insert_raw(
            *bench.database.lease(persistence::SessionPool::Access::write),
            {.count = jobs,
             .instances = instances_,
             .are_instances_together = are_together_,
             .priorities = priorities_},
            1000
        );
        RunLedger ledger(jobs);
        executor::ExecutorSettings settings = executor_settings(bench.options);
        settings.order = order();
        settings.history.job_log = schema::job_log_level_of(variant.job_log).value();
        settings.history_retention.runs = variant.last_runs;
        settings.lock_granularity = schema::lock_granularity_of(variant.locks).value();
        settings.instances_together = takes_along_;
        Nodes nodes(bench, {.executor = std::move(settings)}, handler(ledger));
        const double cpu_before = process_cpu_seconds();
        const Stopwatch watch;
        nodes.start();
        (void)ledger.wait_for(jobs, bench.options.time_limit);
        const double ran_per_second = watch.rate(jobs);
        bench.wait_for_end(ledger, jobs);
        const Drained drained{
            .per_second = watch.rate(jobs),
            .cpu_micros_per_job =
                (process_cpu_seconds() - cpu_before) * 1e6 / static_cast<double>(jobs),
            .first_ms = watch.seconds_until(ledger.first()) * 1e3,
            .ran_per_second = ran_per_second,
        };
        nodes.stop();
        bench.check_end(ledger, jobs);
        (void)bench.database.lease(persistence::SessionPool::Access::write)
            ->execute("DELETE FROM ACT_HI_JOB_LOG", {});
        return drained;
    }

    [[nodiscard]] executor::JobHandler handler(RunLedger& ledger) const {
        return [this, &ledger](const executor::JobContext& context) -> executor::HandlerResult {
            if (job_time_ > schema::Duration{0}) {
                std::this_thread::sleep_for(job_time_);
            }
            const std::size_t number = ledger.number_of(context.job.payload);
            if (context.attempt == 1 && fails_first(number)) {
                return executor::Failed{
                    .message = "fails once", .retry_after = schema::Duration{0}};
            }
            ledger.succeeded(number);
            return executor::Succeeded{};
        };
    }

    // Evenly spread over the backlog.
    [[nodiscard]] bool fails_first(std::size_t number) const {
        return static_cast<double>(number % 1000) < failing_percent_ * 10;
    }

    schema::Duration job_time_{0};
    double failing_percent_ = 0;
    std::size_t instances_ = 0;
    bool are_together_ = false;
    bool takes_along_ = false;
    std::size_t priorities_ = 1;
    bool by_priority_ = false;
    std::vector<std::string> job_logs_{"failures"};
    std::vector<std::int64_t> last_runs_{100};
    std::vector<std::string> granularities_{"row"};
    schema::Duration aging_{0};
};

}  // namespace

ScenarioPtr drain_scenario() {
    return std::make_unique<DrainScenario>();
}

}  // namespace jobstrand::bench
