#include "bench/core/nodes.hpp"

#include "bench/core/raw_jobs.hpp"

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

}  // namespace jobstrand::bench
