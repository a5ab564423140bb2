#include "bench/core/nodes.hpp"

#include "bench/core/raw_jobs.hpp"
#include "persistence/sql/sql_transaction.hpp"

#include <chrono>
#include <stdexcept>
#include <string>

namespace jobstrand::bench {

Nodes::Nodes(const Bench& bench, const executor::JobHandler& handler)
    : Nodes(bench, {.executor = executor_settings(bench.options)}, handler) {}

Nodes::Nodes(
    const Bench& bench,
    engine::WiringOptions options,
    const executor::JobHandler& handler
) {
    options.database_url = bench.database.url();
    for (std::size_t i = 0; i < bench.options.nodes; ++i) {
        engines_.push_back(std::make_unique<engine::Wiring>(options, bench.clock, bench.log));
        engines_.back()->handlers().add(std::string(kHandlerType), handler);
    }
}

void Nodes::add_handler(std::string_view type, const executor::JobHandler& handler) {
    for (const auto& engine : engines_) {
        engine->handlers().add(std::string(type), handler);
    }
}

Nodes::~Nodes() {
    if (running_) {
        for (const auto& engine : engines_) {
            (void)engine->stop(executor::StopMode::drain);
        }
    }
}

void Nodes::start() {
    running_ = true;
    for (const auto& engine : engines_) {
        engine->start();
    }
}

void Nodes::stop() {
    running_ = false;
    for (const auto& engine : engines_) {
        if (!engine->stop(executor::StopMode::drain)) {
            throw std::runtime_error("a handler did not end in time");
        }
    }
}

std::unique_ptr<engine::Wiring> other_process(const Bench& bench) {
    return std::make_unique<engine::Wiring>(
        engine::WiringOptions{.database_url = bench.database.url(), .update_schema = false},
        bench.clock,
        bench.log
    );
}

executor::JobHandler no_op_handler(RunLedger& ledger) {
    return [&ledger](const executor::JobContext& context) {
        ledger.succeeded(ledger.number_of(context.job.payload));
        return executor::Succeeded{};
    };
}

schema::Job numbered_job(std::size_t number, std::size_t payload_bytes) {
    schema::Job job;
    job.handler_type = kHandlerType;
    job.payload = RunLedger::payload_of(number, payload_bytes);
    return job;
}

using std::chrono::steady_clock;

TimedJobs::TimedJobs(std::size_t count)
    : ledger(count),
      intended_(count),
      sent_(count),
      committed_(count),
      started_(count),
      count_(count) {}

executor::JobHandler TimedJobs::handler() {
    return [this](const executor::JobContext& context) {
        const schema::SteadyPoint now = steady_clock::now();
        const std::size_t number = ledger.number_of(context.job.payload);
        if (number < count_) {
            started_.set(number, now);
        }
        ledger.succeeded(number);
        return executor::Succeeded{};
    };
}

void TimedJobs::send(engine::Wiring& engine, std::size_t number, schema::SteadyPoint intended) {
    intended_.set(number, intended);
    sent_.set(number, steady_clock::now());
    engine.in_transaction([&](persistence::Transaction& transaction) {
        // Runs before the engine's own callback, which hands the job over.
        transaction.on_commit([this, number] { committed_.set(number, steady_clock::now()); });
        engine.enqueue(transaction, numbered_job(number));
    });
}

void TimedJobs::measure(LatencyHistogram& from_intended, LatencyHistogram& from_commit) const {
    for (std::size_t i = 0; i < count_; ++i) {
        const auto late = sent_.at(i) - intended_.at(i);
        from_intended.add(started_.at(i) - intended_.at(i));
        from_commit.add(started_.at(i) - committed_.at(i) + late);
    }
}

}  // namespace jobstrand::bench
