#include "bench/core/nodes.hpp"
#include "bench/core/open_loop.hpp"
#include "bench/core/raw_jobs.hpp"
#include "bench/scenarios/scenario.hpp"
#include "deadletter/batch_admin.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace jobstrand::bench {

namespace {

using schema::JobPlace;
using Access = persistence::SessionPool::Access;

constexpr std::string_view kLimitedType = "bench-limited";
constexpr int kLimit = 4;
constexpr std::size_t kInstances = 1000;
constexpr std::size_t kShownRows = 100;

/// What begins a transaction that sees the tables as they are now for as long as it is open, by
/// Dialect::name: what a backup does.
const std::map<std::string_view, std::array<std::string_view, 2>> kSnapshots{
    {"sqlite", {"BEGIN", "SELECT COUNT(*) FROM JS_NODE"}},
    {"mysql",
     {"SET TRANSACTION ISOLATION LEVEL REPEATABLE READ",
      "START TRANSACTION WITH CONSISTENT SNAPSHOT"}},
    {"postgresql", {"BEGIN ISOLATION LEVEL REPEATABLE READ", "SELECT COUNT(*) FROM JS_NODE"}},
};

/// Sleeps, unless it is told to stop. Returns whether it slept for so long.
bool sleeps(const std::stop_token& stop, std::chrono::duration<double> time) {
    std::mutex mutex;
    std::condition_variable_any never;
    std::unique_lock lock(mutex);
    return !never.wait_for(lock, stop, time, [&] { return stop.stop_requested(); });
}

/// The memory of this process that is in use now, in MiB.
double resident_memory() {
    std::ifstream file("/proc/self/statm");
    double pages = 0;
    file >> pages >> pages;
    return pages * static_cast<double>(::sysconf(_SC_PAGESIZE)) / 1024 / 1024;
}

/// The times of jobs with ascending numbers; those of the last few million are remembered.
class RecentTimes final {
public:
    void set(std::size_t number, schema::SteadyPoint time) { times_.set(number % kKept, time); }
    [[nodiscard]] schema::SteadyPoint at(std::size_t number) const {
        return times_.at(number % kKept);
    }

private:
    static constexpr std::size_t kKept = std::size_t{1} << 22U;
    TimeStamps times_{kKept};
};

/// Jobs that come one by one, each in a transaction of its own. Of ten, one is an exclusive job of
/// one of a thousand instances, and one of a type with a limit; what is measured is how long the
/// others wait from their commit to their start, as TimedJobs does.
class MixedJobs final {
public:
    MixedJobs(std::size_t count, std::size_t others) : ledger(count + others), count_(count) {}

    [[nodiscard]] executor::JobHandler handler() {
        return [this](const executor::JobContext& context) {
            const schema::SteadyPoint now = std::chrono::steady_clock::now();
            const std::size_t number = ledger.number_of(context.job.payload);
            if (number < count_ && is_plain(number)) {
                const auto waited = now - committed_or_sent(number) + late_by(number);
                all_.add(waited);
                const std::lock_guard lock(mutex_);
                recent_->add(waited);
            }
            ledger.succeeded(number);
            return executor::Succeeded{};
        };
    }

    void send(engine::Wiring& engine, std::size_t number, schema::SteadyPoint intended) {
        intended_.set(number, intended);
        sent_.set(number, std::chrono::steady_clock::now());
        engine.in_transaction([&](persistence::Transaction& transaction) {
            // Runs before the engine's own callback, which hands the job over.
            transaction.on_commit([this, number] {
                committed_.set(number, std::chrono::steady_clock::now());
            });
            engine.enqueue(transaction, job(number));
        });
    }

    [[nodiscard]] const LatencyHistogram& waited() const { return all_; }

    /// Of those that have started since the last call.
    [[nodiscard]] std::unique_ptr<LatencyHistogram> take_recent() {
        const std::lock_guard lock(mutex_);
        return std::exchange(recent_, std::make_unique<LatencyHistogram>());
    }

    RunLedger ledger;

private:
    [[nodiscard]] static bool is_plain(std::size_t number) { return number % 10 > 1; }

    [[nodiscard]] static schema::Job job(std::size_t number) {
        schema::Job job = numbered_job(number);
        if (number % 10 == 0) {
            job.process_instance_id = fmt::format("instance-{}", number / 10 % kInstances);
        } else if (number % 10 == 1) {
            job.handler_type = kLimitedType;
        }
        return job;
    }

    /// A node that finds a job by itself may start it before its sender knows of the commit.
    [[nodiscard]] schema::SteadyPoint committed_or_sent(std::size_t number) const {
        return std::max(committed_.at(number), sent_.at(number));
    }

    [[nodiscard]] std::chrono::nanoseconds late_by(std::size_t number) const {
        return sent_.at(number) - intended_.at(number);
    }

    const std::size_t count_;
    RecentTimes intended_;
    RecentTimes sent_;
    RecentTimes committed_;
    LatencyHistogram all_;
    std::mutex mutex_;
    std::unique_ptr<LatencyHistogram> recent_ = std::make_unique<LatencyHistogram>();
};

/// Threads that do something else until this is gone.
class Besides final {
public:
    void add(std::function<void(const std::stop_token&)> work) {
        threads_.emplace_back([this, work = std::move(work)](const std::stop_token& stop) {
            // Defended catch: an exception must not end the thread, and with it the program.
            try {
                work(stop);
            } catch (const std::exception& error) {
                const std::lock_guard lock(mutex_);
                problem_ = error.what();
            }
        });
    }

    /// Ends them. Returns what was wrong with one of them; empty: nothing.
    [[nodiscard]] std::string end() {
        threads_.clear();
        return problem_;
    }

private:
    std::mutex mutex_;
    std::string problem_;  ///< Guarded by mutex_ while there are threads.
    std::vector<std::jthread> threads_;
};

/// What those ask of the database who look at lists of jobs, however many they are, by the answers
/// that a service shares among them: each list once a second, or at most a tenth of the time.
void view(persistence::OperatorStore& store, const std::stop_token& stop) {
    Stopwatch watch;
    do {
        watch = Stopwatch();
        (void)store.list(JobPlace::executable, {}, {}, kShownRows);
        (void)store.list_in_order(
            JobPlace::timer, {}, {.by = &schema::Job::due_date, .limit = kShownRows}
        );
        (void)store.list(JobPlace::dead_letter, {}, {}, kShownRows);
    } while (
        sleeps(stop, std::chrono::duration<double>(std::clamp(10 * watch.seconds(), 1.0, 10.0)))
    );
}

/// Hand-offs at half load while everything else goes on that a database and a node have to bear.
class BusyScenario final : public Scenario {
public:
    [[nodiscard]] std::string name() const override { return "busy"; }

    [[nodiscard]] std::string description() const override {
        return "Hand-offs beside history, limits, exclusive jobs, viewers, a batch and a backup";
    }

    [[nodiscard]] bool has_yardstick() const override { return false; }

    void add_options(CLI::App& command) override {
        command.add_option("--minutes", minutes_, "How long")
            ->check(CLI::Range(0.001, 7.0 * 24 * 60))
            ->capture_default_str();
        command
            .add_option(
                "--rate", rate_, "Jobs per second; 0: half of what the same senders reach first"
            )
            ->check(CLI::NonNegativeNumber)
            ->capture_default_str();
        command.add_option("--producers", producers_, "Enqueueing threads")
            ->check(CLI::Range(std::size_t{1}, std::size_t{1000}))
            ->capture_default_str();
        command
            .add_option(
                "--requeued",
                requeued_,
                "Dead letters that a batch requeues after a fifth of the time"
            )
            ->check(CLI::Range(std::size_t{0}, std::size_t{100'000'000}))
            ->capture_default_str();
        command
            .add_option("--requeue-rate", requeue_rate_, "Of them per second; 0: as fast as it can")
            ->check(CLI::Range(std::int64_t{0}, std::int64_t{1'000'000}))
            ->capture_default_str();
        add_duration(
            command, "--open", open_, "How long a transaction stays open, from half of the time on"
        );
        add_duration(command, "--sample", sample_, "Time between two looks at the latencies");
    }

    void run(Bench& bench) override {
        const double rate = rate_ > 0 ? rate_ : capacity(bench) / 2;
        bench.set("minutes", fmt::to_string(minutes_));
        bench.set("rate", shown(rate));
        bench.set("producers", fmt::to_string(producers_));
        bench.set("requeued", fmt::to_string(requeued_));
        bench.set("requeueRate", fmt::to_string(requeue_rate_));
        bench.set("openMs", fmt::to_string(open_.count()));
        const auto time = std::chrono::ceil<schema::Duration>(minutes());
        const std::size_t count = count_within(rate, time);
        MixedJobs jobs(count, requeued_);
        insert_bulk(
            bench.database,
            {.count = requeued_, .first_number = count, .place = JobPlace::dead_letter},
            {.connections = connections_for(bench.database)}
        );
        LimitForRun limit(bench.database, kLimitedType);
        limit.set(kLimit, std::nullopt);
        Nodes nodes(bench, {.executor = settings(bench)}, jobs.handler());
        nodes.add_handler(kLimitedType, jobs.handler());
        nodes.start();
        flow(bench, nodes, jobs, {.count = count, .per_second = rate, .senders = producers_});
        bench.wait_for_end(jobs.ledger, count + requeued_);
        nodes.stop();
        bench.check_end(jobs.ledger, count + requeued_);
        bench.result.latencies.push_back(latency("commit to start", jobs.waited()));
    }

private:
    [[nodiscard]] std::chrono::duration<double> minutes() const {
        return std::chrono::duration<double, std::ratio<60>>(minutes_);
    }

    [[nodiscard]] static executor::ExecutorSettings settings(const Bench& bench) {
        executor::ExecutorSettings settings = executor_settings(bench.options);
        settings.history.job_log = schema::JobLogLevel::full;
        return settings;
    }

    /// Of the same jobs from the same senders as fast as they can, with nothing else going on.
    [[nodiscard]] double capacity(const Bench& bench) const {
        const std::size_t count = std::max<std::size_t>(bench.options.warm_up, 1000);
        MixedJobs jobs(count, 0);
        Nodes nodes(bench, {.executor = settings(bench)}, jobs.handler());
        nodes.add_handler(kLimitedType, jobs.handler());
        nodes.start();
        const Stopwatch watch;
        send_as_planned(
            {.count = count, .senders = producers_},
            [&](std::size_t number, schema::SteadyPoint intended) {
                jobs.send(nodes.first(), number, intended);
            }
        );
        bench.wait_for_end(jobs.ledger, count);
        const double rate = watch.rate(count);
        nodes.stop();
        bench.say(fmt::format("capacity {} jobs/s", shown(rate)));
        return rate;
    }

    void flow(const Bench& bench, Nodes& nodes, MixedJobs& jobs, const SendPlan& plan) const {
        Besides besides;
        besides.add([&](const std::stop_token& stop) { view(nodes.first().store(), stop); });
        besides.add([&](const std::stop_token& stop) { watch(bench, jobs, stop); });
        besides.add([&](const std::stop_token& stop) { requeue(bench, nodes, stop); });
        besides.add([&](const std::stop_token& stop) { keep_open(bench, stop); });
        send_as_planned(plan, [&](std::size_t number, schema::SteadyPoint intended) {
            jobs.send(nodes.first(), number, intended);
        });
        bench.check("all that goes on beside them", besides.end());
    }

    void watch(const Bench& bench, MixedJobs& jobs, const std::stop_token& stop) const {
        const Stopwatch watch;
        Series p99{"p99 from commit to start", "s", "ms"};
        Series memory{"memory", "s", "MiB"};
        while (sleeps(stop, sample_)) {
            p99.points.emplace_back(watch.seconds(), latency("", *jobs.take_recent()).p99);
            memory.points.emplace_back(watch.seconds(), resident_memory());
            bench.say(fmt::format(
                "{:.0f} s: p99 {} ms, {} MiB",
                watch.seconds(),
                shown(p99.points.back().second),
                shown(memory.points.back().second)
            ));
        }
        bench.result.series.push_back(std::move(p99));
        bench.result.series.push_back(std::move(memory));
    }

    void requeue(const Bench& bench, Nodes& nodes, const std::stop_token& stop) const {
        if (requeued_ == 0 || !sleeps(stop, minutes() / 5)) {
            return;
        }
        deadletter::BatchAdmin batches(nodes.first().batch_store(), bench.clock);
        const Stopwatch watch;
        const std::string id =
            batches.begin({.order = {.retries = 1, .per_second = requeue_rate_}}).id;
        const auto batch =
            batches.carry_out(id, {}, [&](schema::Duration left) { (void)sleeps(stop, left); });
        bench.say(fmt::format("requeued {} in {:.0f} s", batch ? batch->done : 0, watch.seconds()));
        (void)batches.remove(id);
    }

    void keep_open(const Bench& bench, const std::stop_token& stop) const {
        if (open_ == schema::Duration{0} || !sleeps(stop, minutes() / 2)) {
            return;
        }
        const auto session = bench.database.lease(Access::read);
        for (const std::string_view statement : kSnapshots.at(session->dialect().name)) {
            session->run_script(statement);
        }
        (void)sleeps(stop, open_);
        session->run_script("ROLLBACK");
        bench.say("the open transaction has ended");
    }

    double minutes_ = 5;
    double rate_ = 0;
    std::size_t producers_ = 4;
    std::size_t requeued_ = 1'000'000;
    std::int64_t requeue_rate_ = 0;
    schema::Duration open_{std::chrono::minutes(3)};
    schema::Duration sample_{std::chrono::seconds(10)};
};

}  // namespace

ScenarioPtr busy_scenario() {
    return std::make_unique<BusyScenario>();
}

}  // namespace jobstrand::bench
