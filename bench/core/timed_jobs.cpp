#include "bench/core/timed_jobs.hpp"

#include "persistence/sql/sql_transaction.hpp"

#include <chrono>

namespace jobstrand::bench {

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
