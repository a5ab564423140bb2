#include "executor/pool/held_jobs.hpp"
#include "executor/pool/worker_pool.hpp"
#include "schema/uuid7.hpp"

#include <benchmark/benchmark.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <vector>

namespace jobstrand::bench {
namespace {

constexpr std::size_t kPage = 512;

std::vector<schema::Job> a_page() {
    schema::Uuid7Source ids;
    std::vector<schema::Job> jobs(kPage);
    for (schema::Job& job : jobs) {
        job.id = ids.next(schema::TimePoint{schema::Duration(1'767'225'600'000)});
    }
    return jobs;
}

void hold_and_forget_a_page(benchmark::State& state) {
    executor::HeldJobs held;
    const std::vector<schema::Job> page = a_page();
    for (auto _ : state) {
        const auto jobs = held.add(page, std::chrono::steady_clock::now());
        for (const auto& job : jobs) {
            held.remove({.id = job->job.id, .revision = job->job.revision});
        }
    }
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kPage));
}
BENCHMARK(hold_and_forget_a_page);

// From submit to the end of the last run, on as many threads as the argument says.
void run_a_page(benchmark::State& state) {
    std::atomic<std::size_t> left{0};
    const executor::WakeUps nobody;
    executor::WorkerPool pool(
        {.core = static_cast<std::size_t>(state.range(0)),
         .max = static_cast<std::size_t>(state.range(0))},
        [&left](const executor::HeldJobPtr&) {
            if (--left == 0) {
                left.notify_one();
            }
            return 1;
        },
        nobody
    );
    executor::HeldJobs held;
    const auto page = held.add(a_page(), std::chrono::steady_clock::now());
    for (auto _ : state) {
        left = kPage;
        benchmark::DoNotOptimize(pool.submit(page));
        for (std::size_t seen = left; seen > 0; seen = left) {
            left.wait(seen);
        }
    }
    benchmark::DoNotOptimize(pool.close());
    pool.stop();
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kPage));
}
BENCHMARK(run_a_page)->Arg(1)->Arg(2)->Arg(8)->UseRealTime();

}  // namespace
}  // namespace jobstrand::bench
