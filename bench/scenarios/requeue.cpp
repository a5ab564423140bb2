#include "bench/core/nodes.hpp"
#include "bench/core/raw_jobs.hpp"
#include "bench/core/stopwatch.hpp"
#include "bench/scenarios/scenario.hpp"

#include <fmt/format.h>

namespace jobstrand::bench {

namespace {

/// What an operator does after the cause is repaired: all dead letters back to work.
class RequeueScenario final : public Scenario {
public:
    [[nodiscard]] std::string name() const override { return "requeue"; }

    [[nodiscard]] std::string description() const override {
        return "Dead letters requeued per second; then they are run";
    }

    void run(Bench& bench) override {
        if (bench.options.warm_up > 0) {
            (void)requeue(bench, bench.options.warm_up);
        }
        Figure rate{"dead letters requeued", "jobs/s", {}};
        for (std::size_t i = 0; i < bench.options.repeat; ++i) {
            rate.values.push_back(requeue(bench, bench.options.jobs));
            bench.say(fmt::format("{} jobs/s", shown(rate.values.back())));
        }
        bench.add_figure(std::move(rate), &Ceiling::move);
    }

private:
    static double requeue(const Bench& bench, std::size_t jobs) {
        RunLedger ledger(jobs);
        Nodes nodes(bench, no_op_handler(ledger));
        insert_raw(
            *bench.database.lease(persistence::SessionPool::Access::write),
            {.count = jobs, .place = schema::JobPlace::dead_letter},
            1000
        );
        const Stopwatch watch;
        const auto counts = nodes.first().dead_letters().requeue(
            deadletter::JobSelection::matching({}), {.retries = 1}
        );
        const double rate = watch.rate(jobs);
        bench.check(
            "every dead letter was requeued",
            counts.done == static_cast<std::int64_t>(jobs) ? "" : "some were not"
        );
        nodes.start();
        bench.wait_for_end(ledger, jobs);
        nodes.stop();
        bench.check_end(ledger, jobs);
        return rate;
    }
};

}  // namespace

ScenarioPtr requeue_scenario() {
    return std::make_unique<RequeueScenario>();
}

}  // namespace jobstrand::bench
