#include "persistence/sql/sql_time.hpp"
#include "schema/retry_policy.hpp"
#include "schema/text/iso8601.hpp"

#include <benchmark/benchmark.h>

namespace jobstrand::bench {
namespace {

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

}  // namespace
}  // namespace jobstrand::bench
