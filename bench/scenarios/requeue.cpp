#include "bench/core/nodes.hpp"
#include "bench/core/open_loop.hpp"
#include "bench/core/raw_jobs.hpp"
#include "bench/scenarios/scenario.hpp"
#include "deadletter/batch_admin.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <string>
#include <string_view>

namespace jobstrand::bench {

namespace {

constexpr std::string_view kOpenIncidents = R"sql(
    INSERT INTO ACT_RU_INCIDENT (ID_, CONFIGURATION_, REASON_, HANDLER_TYPE_)
    SELECT ID_, ID_, 'retries_exhausted', HANDLER_TYPE_
    FROM ACT_RU_DEADLETTER_JOB)sql";

/// What an operator does after the cause is repaired: all dead letters back to work, as a batch,
/// like `dead requeue` of more than a thousand.
class RequeueScenario final : public Scenario {
public:
    [[nodiscard]] std::string name() const override { return "requeue"; }

    [[nodiscard]] std::string description() const override {
        return "Dead letters requeued per second; then they are run";
    }

    void add_options(CLI::App& command) override {
        command.add_flag(
            "--incidents", have_incidents_, "Each dead letter has an open incident, to be resolved"
        );
    }

    void run(Bench& bench) override {
        bench.set("incidents", fmt::to_string(have_incidents_));
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
    [[nodiscard]] double requeue(const Bench& bench, std::size_t jobs) const {
        RunLedger ledger(jobs);
        Nodes nodes(bench, no_op_handler(ledger));
        insert_raw(
            *bench.database.lease(persistence::SessionPool::Access::write),
            {.count = jobs, .place = schema::JobPlace::dead_letter},
            1000
        );
        if (have_incidents_) {
            (void)bench.database.lease(persistence::SessionPool::Access::write)
                ->execute(kOpenIncidents, {});
        }
        deadletter::BatchAdmin batches(nodes.first().batch_store(), bench.clock);
        const Stopwatch watch;
        const std::string id = batches.begin({.order = {.retries = 1}}).id;
        const auto batch = batches.carry_out(id);
        const double rate = watch.rate(jobs);
        bench.check(
            "every dead letter was requeued",
            batch && batch->done == static_cast<std::int64_t>(jobs) ? "" : "some were not"
        );
        (void)batches.remove(id);
        nodes.start();
        bench.wait_for_end(ledger, jobs);
        nodes.stop();
        bench.check_end(ledger, jobs);
        return rate;
    }

    bool have_incidents_ = false;
};

}  // namespace

ScenarioPtr requeue_scenario() {
    return std::make_unique<RequeueScenario>();
}

}  // namespace jobstrand::bench
