#include "bench/core/nodes.hpp"
#include "bench/core/open_loop.hpp"
#include "bench/core/raw_jobs.hpp"
#include "bench/scenarios/scenario.hpp"
#include "schema/limits.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <array>
#include <utility>

namespace jobstrand::bench {

namespace {

using Access = persistence::SessionPool::Access;
using schema::JobPlace;

/// The other tables stay full, so only this one has to become empty.
constexpr std::array kExecutable{JobPlace::executable};

/// What does not depend on how much is stored: the drain rate and the cost of one acquisition, with
/// rows in the other tables, and in front of a long backlog.
class ScaleScenario final : public Scenario {
public:
    [[nodiscard]] std::string name() const override { return "scale"; }

    [[nodiscard]] std::string description() const override {
        return "Drain rate and acquisition cost with full tables and long backlogs";
    }

    void add_options(CLI::App& command) override {
        command.add_option("--others", others_, "Rows in each of timer, suspended and dead letter")
            ->check(CLI::Range(std::size_t{0}, std::size_t{100'000'000}))
            ->capture_default_str();
        command.add_option("--backlogs", backlogs_, "Lengths of the backlog to drain")
            ->delimiter(',')
            ->check(CLI::Range(std::size_t{1}, std::size_t{100'000'000}));
        command
            .add_option("--payloads", payloads_, "Sizes of payloads in bytes, to drain --jobs of")
            ->delimiter(',')
            ->check(CLI::Range(std::size_t{1}, schema::limits::kPayloadBytes));
    }

    void run(Bench& bench) override {
        bench.set("others", fmt::to_string(others_));
        bench.set("backlogs", fmt::format("{}", fmt::join(backlogs_, ",")));
        bench.set("payloads", fmt::format("{}", fmt::join(payloads_, ",")));
        if (bench.options.warm_up > 0) {
            (void)drain(bench, bench.options.warm_up);
        }
        compare_full_with_empty(bench);
        measure_backlogs(bench);
        measure_payloads(bench);
    }

private:
    void compare_full_with_empty(const Bench& bench) const {
        measure(bench, "other tables empty");
        for (const JobPlace place : {JobPlace::timer, JobPlace::suspended, JobPlace::dead_letter}) {
            fill(bench, place);
        }
        measure(bench, fmt::format("{} rows in each other table", shown(double(others_))));
        bench.database.wipe();
    }

    static void measure(const Bench& bench, const std::string& state) {
        Figure rate{"drain, " + state, "jobs/s", {}};
        for (std::size_t i = 0; i < bench.options.repeat; ++i) {
            rate.values.push_back(drain(bench, bench.options.jobs));
            bench.say(fmt::format("{}: {} jobs/s", state, shown(rate.values.back())));
        }
        bench.add_figure(std::move(rate), &Ceiling::run);
        measure_acquisition(bench, state);
    }

    void measure_backlogs(const Bench& bench) const {
        Series series{"drain by length of the backlog", "jobs", "jobs/s"};
        for (const std::size_t backlog : backlogs_) {
            const double rate = drain(bench, backlog);
            series.points.emplace_back(static_cast<double>(backlog), rate);
            bench.say(fmt::format("{} jobs: {} jobs/s", shown(double(backlog)), shown(rate)));
        }
        if (!backlogs_.empty()) {
            bench.result.series.push_back(std::move(series));
        }
    }

    void measure_payloads(const Bench& bench) const {
        Series series{"drain by size of the payload", "bytes", "jobs/s"};
        for (const std::size_t bytes : payloads_) {
            const double rate = drain_enqueued(bench, bytes);
            series.points.emplace_back(static_cast<double>(bytes), rate);
            bench.say(fmt::format("payloads of {} bytes: {} jobs/s", bytes, shown(rate)));
        }
        if (!payloads_.empty()) {
            bench.result.series.push_back(std::move(series));
        }
    }

    // Far from due, so that the mover only looks at them.
    void fill(const Bench& bench, JobPlace place) const {
        const schema::TimePoint later = bench.clock.now() + std::chrono::hours(24 * 365);
        RawJobs rows{.count = others_, .place = place, .due_date = {}};
        if (place != JobPlace::dead_letter) {
            rows.due_date = [later](std::size_t number) {
                return later + schema::Duration(number);
            };
        }
        insert_bulk(bench.database, rows, {connections_for(bench.database), 10'000});
        bench.say(fmt::format("{} rows in {}", shown(double(others_)), schema::table_of(place)));
    }

    static double drain(const Bench& bench, std::size_t jobs) {
        return drain(bench, jobs, [&](Nodes&) {
            insert_bulk(bench.database, {.count = jobs}, {connections_for(bench.database), 1000});
        });
    }

    // Enqueued as an app does, because a long payload has a row of its own.
    static double drain_enqueued(const Bench& bench, std::size_t payload_bytes) {
        constexpr std::size_t kBatch = 500;
        const std::size_t jobs = bench.options.jobs;
        return drain(bench, jobs, [&](Nodes& nodes) {
            std::vector<schema::Job> batch;
            for (std::size_t number = 0; number < jobs; ++number) {
                batch.push_back(numbered_job(number, payload_bytes));
                if (batch.size() == kBatch || number + 1 == jobs) {
                    nodes.first().enqueue_all(std::exchange(batch, {}));
                }
            }
        });
    }

    // `fill` inserts the jobs before the nodes start.
    template <typename Fill>
    static double drain(const Bench& bench, std::size_t jobs, const Fill& fill) {
        RunLedger ledger(jobs);
        Nodes nodes(bench, no_op_handler(ledger));
        fill(nodes);
        const Stopwatch watch;
        nodes.start();
        bench.wait_for_end(ledger, jobs, kExecutable);
        const double rate = watch.rate(jobs);
        nodes.stop();
        bench.check("every job succeeded exactly once", ledger.mistakes(jobs));
        return rate;
    }

    // One page claimed in front of the whole backlog, and freed again.
    static void measure_acquisition(const Bench& bench, const std::string& state) {
        insert_raw(*bench.database.lease(Access::write), {.count = bench.options.jobs}, 1000);
        const std::vector<std::string> types{std::string(kHandlerType)};
        persistence::SqlStore& store = bench.database.store();
        Figure cost{fmt::format("one acquisition, {}", state), "ms", {}};
        for (int i = 0; i < 20; ++i) {
            const persistence::LockClaim claim{
                .owner = "bench",
                .until = bench.clock.now() + std::chrono::minutes(1),
                .now = bench.clock.now(),
            };
            const Stopwatch watch;
            const auto jobs = store.executor().acquire(claim, types, bench.options.page);
            cost.values.push_back(watch.seconds() * 1000);
            std::vector<persistence::Fence> fences;
            for (const schema::Job& job : jobs) {
                fences.push_back({.id = job.id, .revision = job.revision});
            }
            store.executor().release("bench", fences);
        }
        bench.result.figures.push_back(std::move(cost));
        bench.database.lease(Access::write)->run_script("DELETE FROM ACT_RU_JOB");
    }

    std::size_t others_ = 1'000'000;
    std::vector<std::size_t> backlogs_;
    std::vector<std::size_t> payloads_;
};

}  // namespace

ScenarioPtr scale_scenario() {
    return std::make_unique<ScaleScenario>();
}

}  // namespace jobstrand::bench
