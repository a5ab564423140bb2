#include "bench/core/nodes.hpp"
#include "bench/core/open_loop.hpp"
#include "bench/core/raw_jobs.hpp"
#include "bench/scenarios/scenario.hpp"
#include "test/fixtures/recording_intake.hpp"
#include "timers/timer_mover.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <semaphore>

namespace jobstrand::bench {

namespace {

using namespace std::chrono_literals;
using schema::JobPlace;
using schema::TimePoint;
using std::chrono::system_clock;

/// How late timers fire, and how fast a backlog of overdue ones is worked off.
class TimersScenario final : public Scenario {
public:
    [[nodiscard]] std::string name() const override { return "timers"; }

    [[nodiscard]] std::string description() const override {
        return "Lateness of timers at a rate; an overdue backlog moved, and moved and run";
    }

    void add_options(CLI::App& command) override {
        command.add_option("--rate", rate_, "Timers that fall due per second")
            ->check(CLI::PositiveNumber)
            ->capture_default_str();
        add_duration(command, "--time", time_, "How long timers fall due");
    }

    void run(Bench& bench) override {
        bench.set("rate", fmt::to_string(rate_));
        bench.set("timeMs", fmt::to_string(time_.count()));
        if (bench.options.warm_up > 0) {
            (void)move_backlog(bench, bench.options.warm_up);
            (void)run_backlog(bench, bench.options.warm_up);
        }
        LatencyHistogram lateness;
        Figure moved{"overdue timers moved", "jobs/s", {}};
        Figure run{"overdue timers moved and run", "jobs/s", {}};
        for (std::size_t i = 0; i < bench.options.repeat; ++i) {
            measure_lateness(bench, lateness);
            moved.values.push_back(move_backlog(bench, bench.options.jobs));
            run.values.push_back(run_backlog(bench, bench.options.jobs));
            bench.say(fmt::format(
                "moved {} jobs/s, moved and run {} jobs/s",
                shown(moved.values.back()),
                shown(run.values.back())
            ));
        }
        bench.add_figure(std::move(moved), &Ceiling::move);
        bench.add_figure(std::move(run), &Ceiling::move_and_run);
        const std::string name = fmt::format("lateness at {} timers/s", shown(rate_));
        bench.result.latencies.push_back(latency(name, lateness));
    }

private:
    void measure_lateness(const Bench& bench, LatencyHistogram& lateness) const {
        const std::size_t count = count_within(rate_, time_);
        RunLedger ledger(count);
        Nodes nodes(bench, [&](const executor::JobContext& context) {
            lateness.add(system_clock::now() - *context.job.due_date);
            ledger.succeeded(ledger.number_of(context.job.payload));
            return executor::Succeeded{};
        });
        // Time enough to insert all of them before the first one is due.
        const TimePoint first = bench.clock.now() + 500ms + schema::Duration(count / 50);
        insert(bench, count, [&](std::size_t number) {
            const std::chrono::duration<double> offset(static_cast<double>(number) / rate_);
            return first + std::chrono::floor<schema::Duration>(offset);
        });
        nodes.start();
        bench.wait_for_end(ledger, count);
        nodes.stop();
        bench.check_end(ledger, count);
    }

    // The mover alone, for an executor that takes no timers: nothing else wants the database.
    static double move_backlog(const Bench& bench, std::size_t jobs) {
        insert_overdue(bench, jobs);
        persistence::SqlStore& store = bench.database.store();
        test::RecordingIntake acquisition_decides;
        acquisition_decides.takes_timers = false;
        std::counting_semaphore more{0};
        executor::WakeUps wake_ups;
        wake_ups.sleepers.timers_beside = [&more] { more.release(); };
        timers::TimerMover mover({store.timers(), acquisition_decides, bench.clock, wake_ups}, {});
        std::atomic<bool> is_done = false;
        const Stopwatch watch;
        run_threads(bench.database.driver().has_one_writer ? 1 : 2, [&](std::size_t thread) {
            if (thread == 0) {
                // Also when the database throws, or the second would wait for ever.
                const std::shared_ptr<void> at_the_end(nullptr, [&](void*) {
                    is_done = true;
                    more.release();
                });
                move_all(mover);
                return;
            }
            for (more.acquire(); !is_done; more.acquire()) {
                move_all(mover.beside());
            }
        });
        const double rate = watch.rate(jobs);
        const auto moved = static_cast<std::size_t>(store.jobs().count(JobPlace::executable, {}));
        bench.check("every overdue timer was moved", moved == jobs ? "" : "some were not");
        bench.database.wipe();
        return rate;
    }

    static void move_all(executor::Activity& mover) {
        while (mover.run_once() == schema::Duration{0}) {
        }
    }

    static double run_backlog(const Bench& bench, std::size_t jobs) {
        RunLedger ledger(jobs);
        Nodes nodes(bench, no_op_handler(ledger));
        insert_overdue(bench, jobs);
        const Stopwatch watch;
        nodes.start();
        bench.wait_for_end(ledger, jobs);
        const double rate = watch.rate(jobs);
        nodes.stop();
        bench.check_end(ledger, jobs);
        return rate;
    }

    static void insert_overdue(const Bench& bench, std::size_t jobs) {
        const TimePoint overdue = bench.clock.now() - 1h;
        insert(bench, jobs, [overdue](std::size_t number) {
            return overdue + schema::Duration(number % 1000);
        });
    }

    static void insert(
        const Bench& bench,
        std::size_t count,
        const std::function<TimePoint(std::size_t)>& due_date
    ) {
        const auto session = bench.database.lease(persistence::SessionPool::Access::write);
        insert_raw(
            *session, {.count = count, .place = JobPlace::timer, .due_date = due_date}, 1000
        );
    }

    double rate_ = 1000;
    schema::Duration time_{5s};
};

}  // namespace

ScenarioPtr timers_scenario() {
    return std::make_unique<TimersScenario>();
}

}  // namespace jobstrand::bench
