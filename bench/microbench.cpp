#include "executor/pool/held_jobs.hpp"
#include "executor/pool/worker_pool.hpp"
#include "persistence/rows/job_rows.hpp"
#include "persistence/sql/sql_values.hpp"
#include "schema/job_failure.hpp"
#include "schema/job_transition.hpp"
#include "schema/text/time_text.hpp"
#include "schema/uuid7.hpp"

#include <benchmark/benchmark.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace jobstrand::bench {
namespace {

constexpr schema::TimePoint kNow{schema::Duration(1'767'225'600'000)};

schema::Job a_job() {
    schema::Job job;
    job.id = "019b76da-a800-7000-8000-000000000001";
    job.correlation_id = job.id;
    job.handler_type = "send-invoice";
    job.payload = R"({"order":17})";
    job.create_time = kNow;
    return job;
}

/// A row whose cells are all NULL but those of an ordinary job, as SQLite would hold it.
class FixedRow final : public persistence::Row {
public:
    FixedRow() {
        std::size_t column = 0;
        for (const persistence::RowField& field :
             persistence::fields_of(schema::JobPlace::executable)) {
            fill(field.column, column++);
        }
    }

    [[nodiscard]] bool is_null(std::size_t column) const override { return !cells_[column]; }
    [[nodiscard]] std::string_view text(std::size_t column) const override {
        return cells_[column].value_or("");
    }
    [[nodiscard]] std::int64_t integer(std::size_t column) const override {
        return is_null(column) ? 0 : 3;
    }
    [[nodiscard]] double real(std::size_t column) const override { return is_null(column) ? 0 : 3; }
    [[nodiscard]] bool boolean(std::size_t column) const override { return !is_null(column); }
    [[nodiscard]] persistence::Bytes blob(std::size_t) const override { return {}; }
    [[nodiscard]] std::optional<schema::TimePoint> time(std::size_t column) const override {
        return is_null(column) ? std::nullopt : persistence::parse_sql_time(text(column));
    }

private:
    void fill(std::string_view name, std::size_t column) {
        if (name == "ID_" || name == "CORRELATION_ID_") {
            cells_[column] = "019b76da-a800-7000-8000-000000000001";
        } else if (name == "CREATE_TIME_") {
            cells_[column] = "2026-01-01 00:00:00.000";
        } else if (name == "TYPE_" || name == "HANDLER_TYPE_" || name == "HANDLER_CFG_") {
            cells_[column] = "send-invoice";
        } else if (name == "REV_" || name == "EXCLUSIVE_" || name == "RETRIES_") {
            cells_[column] = "3";
        }
    }

    std::array<std::optional<std::string_view>, 40> cells_;
};

void copy_a_job(benchmark::State& state) {
    const schema::Job job = a_job();
    for (auto _ : state) {
        schema::Job copy = job;
        benchmark::DoNotOptimize(copy);
    }
}
BENCHMARK(copy_a_job);

void move_a_job(benchmark::State& state) {
    schema::Job job = a_job();
    for (auto _ : state) {
        schema::Job moved = std::move(job);
        benchmark::DoNotOptimize(moved);
        job = std::move(moved);
    }
}
BENCHMARK(move_a_job);

void read_a_row(benchmark::State& state) {
    const FixedRow row;
    for (auto _ : state) {
        benchmark::DoNotOptimize(persistence::read_job(row, schema::JobPlace::executable));
    }
}
BENCHMARK(read_a_row);

void append_a_row(benchmark::State& state) {
    const schema::Job job = a_job();
    std::vector<persistence::Value> values;
    for (auto _ : state) {
        values.clear();
        persistence::append_row(values, schema::JobPlace::executable, job);
        benchmark::DoNotOptimize(values);
    }
}
BENCHMARK(append_a_row);

void transition_of_a_success(benchmark::State& state) {
    const schema::Job job = a_job();
    for (auto _ : state) {
        benchmark::DoNotOptimize(schema::completed(job));
    }
}
BENCHMARK(transition_of_a_success);

void transition_of_a_failure_with_a_retry_cycle(benchmark::State& state) {
    schema::Job job = a_job();
    job.retry_cycle = "R5/PT5M";
    const schema::JobFailure failure{.message = "no answer"};
    const schema::RetryPolicy policy;
    for (auto _ : state) {
        benchmark::DoNotOptimize(schema::failed(job, failure, policy, kNow));
    }
}
BENCHMARK(transition_of_a_failure_with_a_retry_cycle);

void make_a_uuid7(benchmark::State& state) {
    schema::Uuid7Source ids(42);
    for (auto _ : state) {
        benchmark::DoNotOptimize(ids.next(kNow));
    }
}
BENCHMARK(make_a_uuid7);

void parse_an_iso_duration(benchmark::State& state) {
    for (auto _ : state) {
        benchmark::DoNotOptimize(schema::parse_iso_duration("P1DT2H30M4.5S"));
    }
}
BENCHMARK(parse_an_iso_duration);

void parse_an_iso_instant(benchmark::State& state) {
    for (auto _ : state) {
        benchmark::DoNotOptimize(schema::parse_instant("2026-11-20T10:15:30.123+01:00"));
    }
}
BENCHMARK(parse_an_iso_instant);

void parse_a_retry_cycle(benchmark::State& state) {
    for (auto _ : state) {
        benchmark::DoNotOptimize(schema::parse_retry_cycle("PT10M,PT17M,PT20M"));
    }
}
BENCHMARK(parse_a_retry_cycle);

void write_a_sql_time(benchmark::State& state) {
    schema::TimePoint time{schema::Duration(1'767'225'600'000)};
    for (auto _ : state) {
        benchmark::DoNotOptimize(persistence::SqlTime(time));
        time += schema::Duration(1);
    }
}
BENCHMARK(write_a_sql_time);

void parse_a_sql_time(benchmark::State& state) {
    for (auto _ : state) {
        benchmark::DoNotOptimize(persistence::parse_sql_time("2026-11-20 10:15:30.123"));
    }
}
BENCHMARK(parse_a_sql_time);

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
