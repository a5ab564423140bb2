#include "executor/pool/held_jobs.hpp"
#include "executor/pool/worker_pool.hpp"
#include "executor/report/executor_figures.hpp"
#include "executor/report/throughput_counts.hpp"
#include "persistence/sql/db_error.hpp"
#include "schema/clock.hpp"
#include "schema/job_transition.hpp"
#include "test/fixtures/job_builder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace jobstrand::executor {

namespace {

using persistence::LongRun;
using persistence::Outcome;
using persistence::TypeRuns;
using schema::kShortSpan;
using schema::RunSums;
using schema::ThroughputSpan;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;
using namespace std::chrono_literals;
using Reason = schema::TransitionReason;

[[nodiscard]] Outcome ended(const std::string& type, schema::TransitionReason reason) {
    schema::Job job = test::a_job("a");
    job.handler_type = type;
    return {
        .job = std::make_shared<const schema::Job>(std::move(job)),
        .transition = {.reason = reason},
    };
}

using Reason = schema::TransitionReason;
const schema::SteadyPoint kBegin = schema::SteadyPoint{} + 1h;

/// Of a node that has been there for a minute.
class RunCountsTest : public testing::Test {
protected:
    RunCountsTest() { (void)counts.last_minute(kBegin - 1min); }

    RunCounts counts;
};

TEST_F(RunCountsTest, Runs_count_by_type_whatever_they_came_to_and_failed_ones_apart) {
    counts.add(std::vector{
        ended("mail", Reason::completed),
        ended("noop", Reason::retry),
        ended("mail", Reason::retries_exhausted),
        ended("mail", Reason::not_retryable),
    });
    counts.add("noop");
    counts.add("pay", true);
    EXPECT_THAT(
        counts.last_minute(kBegin),
        ElementsAre(TypeRuns{"mail", 3, 2}, TypeRuns{"noop", 2, 1}, TypeRuns{"pay", 1, 1})
    );
}

TEST_F(RunCountsTest, What_was_not_run_does_not_count) {
    counts.add(std::vector{
        ended("mail", Reason::released),
        ended("mail", Reason::not_served),
        ended("mail", Reason::interrupted),
    });
    EXPECT_THAT(counts.last_minute(kBegin), IsEmpty());
}

TEST_F(RunCountsTest, After_a_minute_they_are_forgotten) {
    counts.add("mail");
    EXPECT_THAT(counts.last_minute(kBegin), ElementsAre(TypeRuns{"mail", 1}));
    counts.add("mail", true);
    EXPECT_THAT(counts.last_minute(kBegin + 30s), ElementsAre(TypeRuns{"mail", 2, 1, 90s}));
    EXPECT_THAT(counts.last_minute(kBegin + 60s), ElementsAre(TypeRuns{"mail", 1, 1}));
    EXPECT_THAT(counts.last_minute(kBegin + 90s), IsEmpty());
}

TEST(RunCounts, The_time_in_which_they_ended_is_no_longer_than_somebody_has_counted) {
    RunCounts counts;
    EXPECT_THAT(counts.last_minute(kBegin), IsEmpty());
    counts.add("mail");
    EXPECT_THAT(counts.last_minute(kBegin + 2s), ElementsAre(TypeRuns{"mail", 1, 0, 2s}));
    EXPECT_THAT(counts.last_minute(kBegin + 59s), ElementsAre(TypeRuns{"mail", 1, 0, 59s}));
    EXPECT_THAT(counts.last_minute(kBegin + 61s), ElementsAre(TypeRuns{"mail", 1, 0, 61s}))
        << "as far back as what is counted goes";
}

TEST_F(RunCountsTest, Of_very_many_types_the_most_frequent_are_told) {
    for (std::size_t i = 0; i <= persistence::NodeWork::kMost; ++i) {
        counts.add("type-" + std::to_string(1000 + i));
    }
    counts.add("type-1100");
    const auto told = counts.last_minute(kBegin);
    EXPECT_EQ(told.size(), persistence::NodeWork::kMost);
    EXPECT_EQ(told.back(), (TypeRuns{"type-1100", 2}));
}

RunForecast after(std::initializer_list<std::chrono::nanoseconds> runs, schema::Duration ahead) {
    RunForecast forecast(ahead);
    for (const auto run : runs) {
        forecast.ended(run);
    }
    return forecast;
}

TEST(RunForecast, Nothing_is_known_before_the_first_run_has_ended) {
    RunForecast forecast(500ms);
    EXPECT_FALSE(forecast.is_known());
    EXPECT_EQ(forecast.starts(8), 0U);
    forecast.ended(1ms);
    EXPECT_TRUE(forecast.is_known());
}

TEST(RunForecast, Workers_start_what_they_end_within_the_time_ahead) {
    struct Row {
        std::chrono::nanoseconds run;
        schema::Duration ahead;
        std::size_t workers;
        std::size_t starts;
    };
    const std::vector<Row> rows{
        {1s, 500ms, 8, 0},
        {501ms, 500ms, 8, 0},
        {500ms, 500ms, 8, 8},
        {251ms, 500ms, 8, 8},
        {250ms, 500ms, 8, 16},
        {1ms, 500ms, 8, 4000},
        {10us, 500ms, 1, 50'000},
        {0ns, 1ms, 2, 2'000'000},
        {1ms, 0ms, 8, 0},
        {1s, 1h, 1, 3600},
        {1ms, 500ms, 0, 0},
    };
    for (const Row& row : rows) {
        EXPECT_EQ(after({row.run}, row.ahead).starts(row.workers), row.starts) << row.run.count();
    }
}

TEST(RunForecast, A_few_long_runs_among_short_ones_count_for_little) {
    RunForecast forecast(500ms);
    for (int i = 0; i < 1000; ++i) {
        forecast.ended(i % 100 == 50 ? 16ms : 1ms);
    }
    EXPECT_GT(forecast.starts(1), 250U);
}

TEST(RunForecast, Runs_that_go_on_may_only_make_it_longer) {
    RunForecast forecast = after({1us}, 500ms);
    forecast.takes_at_least(100ms);
    EXPECT_EQ(forecast.starts(1), 5U);
    forecast.takes_at_least(1ms);
    EXPECT_EQ(forecast.starts(1), 5U);
    RunForecast unknown(500ms);
    unknown.takes_at_least(250ms);
    EXPECT_EQ(unknown.starts(1), 2U);
}

TEST(RunForecast, It_follows_a_change_of_work_within_some_dozen_runs) {
    RunForecast forecast(500ms);
    for (int i = 0; i < 1000; ++i) {
        forecast.ended(1us);
    }
    ASSERT_GT(forecast.starts(8), 100'000U);
    for (int i = 0; i < 16; ++i) {
        forecast.ended(2s);
    }
    EXPECT_EQ(forecast.starts(8), 0U);
    for (int i = 0; i < 200; ++i) {
        forecast.ended(1ms);
    }
    EXPECT_GT(forecast.starts(1), 400U);
}

class LongRuns : public testing::Test {
protected:
    HeldJobPtr run_since(const std::string& id, schema::Duration ago) {
        schema::Job job = test::a_job(id);
        job.revision = 7;
        auto held = std::make_shared<HeldJob>(std::move(job), clock.steady_now() + 1h);
        held->began = clock.steady_now() - ago;
        return held;
    }

    schema::ManualClock clock;
};

TEST_F(LongRuns, Those_that_have_lasted_are_told_since_when) {
    const std::vector<HeldJobPtr> running{
        run_since("b", 3s), run_since("c", 2999ms), run_since("a", 1h)};
    EXPECT_THAT(
        long_runs(running, 3s, clock),
        ElementsAre(LongRun{"a", 7, clock.now() - 1h}, LongRun{"b", 7, clock.now() - 3s})
    );
    EXPECT_THAT(long_runs({}, 3s, clock), IsEmpty());
}

TEST_F(LongRuns, Of_too_many_the_longest_are_told) {
    std::vector<HeldJobPtr> running{run_since("short", 4s)};
    for (std::size_t i = 0; i < persistence::NodeWork::kMost; ++i) {
        running.push_back(run_since("long-" + std::to_string(i), 5s));
    }
    const std::vector<LongRun> told = long_runs(running, 3s, clock);
    EXPECT_EQ(told.size(), persistence::NodeWork::kMost);
    EXPECT_EQ(std::ranges::count(told, "short", &LongRun::id), 0);
}

constexpr schema::SteadyPoint at(schema::Duration time) {
    return schema::SteadyPoint(1h + time);
}

TEST(Standstill, Begins_when_held_jobs_neither_run_nor_move) {
    Standstill standstill;
    EXPECT_EQ(standstill.seen({.held = 9, .running = 1, .moves = 9}, at(0s)), 0s);
    EXPECT_EQ(standstill.seen({.held = 9, .running = 0, .moves = 9}, at(5s)), 5s);
    EXPECT_EQ(standstill.seen({.held = 9, .running = 0, .moves = 9}, at(8s)), 8s);
}

TEST(Standstill, Ends_when_one_of_them_runs_or_goes_or_none_is_held) {
    Standstill standstill;
    (void)standstill.seen({.held = 2, .running = 0, .moves = 2}, at(0s));
    EXPECT_EQ(standstill.seen({.held = 2, .running = 1, .moves = 2}, at(9s)), 0s);
    EXPECT_EQ(standstill.seen({.held = 1, .running = 0, .moves = 3}, at(19s)), 0s);
    EXPECT_EQ(standstill.seen({.held = 0, .running = 0, .moves = 3}, at(29s)), 0s);
}

[[nodiscard]] schema::Job job_of(const std::string& type) {
    schema::Job job = test::a_job("a");
    job.handler_type = type;
    job.create_time = std::nullopt;
    job.due_date = std::nullopt;
    return job;
}

[[nodiscard]] Outcome
outcome_of(const std::string& type, Reason reason, schema::Duration ran = 0ms) {
    Outcome outcome{
        .job = std::make_shared<const schema::Job>(job_of(type)),
        .transition = {.reason = reason},
        .duration = ran};
    if (reason == Reason::retries_exhausted || reason == Reason::crash_loop) {
        outcome.transition.to = schema::JobPlace::dead_letter;
    }
    return outcome;
}

[[nodiscard]] schema::TimeHistogram one_of(schema::Duration time) {
    schema::TimeHistogram histogram;
    histogram.add(time);
    return histogram;
}

/// The clock begins with a minute.
class ThroughputCountsTest : public testing::Test {
protected:
    void completed(const std::string& type) {
        counts_.ended(std::vector{outcome_of(type, Reason::completed)}, {}, clock_.now());
    }

    schema::ManualClock clock_;
    ThroughputCounts counts_;
};

TEST_F(ThroughputCountsTest, Outcomes_count_by_type_and_by_what_became_of_the_run) {
    const std::vector outcomes{
        outcome_of("mail", Reason::completed, 5ms),
        outcome_of("noop", Reason::retry, 7s),
        outcome_of("mail", Reason::retries_exhausted, 5ms),
        outcome_of("mail", Reason::crash_loop),
        outcome_of("mail", Reason::released),
        outcome_of("mail", Reason::interrupted),
        outcome_of("mail", Reason::completed),
    };
    counts_.ended(outcomes, {outcomes.back().job.get()}, clock_.now());
    counts_.ended("pay", {.has_failed = true, .is_dead = true}, clock_.now());
    clock_.tick(kShortSpan);
    const auto spans = counts_.take(clock_.now());
    ASSERT_THAT(spans, SizeIs(1));
    EXPECT_EQ(spans.front().length, kShortSpan);
    EXPECT_EQ(spans.front().at, clock_.now() - kShortSpan);
    RunSums mail{.completed = 1, .failed = 1, .dead = 2, .ran = one_of(5ms)};
    mail.ran.add(5ms);
    EXPECT_THAT(
        spans.front().counts.types(),
        ElementsAre(
            Pair("mail", mail),
            Pair("noop", RunSums{.failed = 1, .ran = one_of(7s)}),
            Pair("pay", RunSums{.failed = 1, .dead = 1})
        )
    );
}

TEST_F(ThroughputCountsTest, A_job_begins_with_its_first_attempt_and_waits_for_each) {
    schema::Job job = job_of("mail");
    job.create_time = clock_.now() - 1h;
    job.due_date = clock_.now() - 3s;
    counts_.begun(job, clock_.now(), clock_.now());
    job.attempts = 1;
    counts_.begun(std::vector{job}, clock_.now() + kShortSpan / 2);
    RunSums mail{.begun = 1, .waited = one_of(3s)};
    mail.waited.add(3s + kShortSpan / 2);
    EXPECT_THAT(
        counts_.take(clock_.now() + kShortSpan).front().counts.types(),
        ElementsAre(Pair("mail", mail))
    );
}

TEST_F(ThroughputCountsTest, The_begin_of_a_run_counts_with_its_end_unless_it_was_counted_before) {
    persistence::Outcome outcome = outcome_of("mail", Reason::completed, 5ms);
    outcome.ended = clock_.now();
    schema::Job job = *outcome.job;
    job.create_time = clock_.now() - 25ms;
    outcome.job = std::make_shared<const schema::Job>(job);
    std::vector outcomes{outcome, outcome, outcome};
    outcomes.back().is_begin_counted = true;
    counts_.ended(outcomes, {}, clock_.now());
    const RunSums mail = counts_.take_all().front().counts.types().at("mail");
    EXPECT_EQ(mail.begun, 2);
    schema::TimeHistogram waits = one_of(20ms);
    waits.add(20ms);
    EXPECT_EQ(mail.waited, waits) << "from when it could run until the attempt began";
    EXPECT_EQ(mail.completed, 3);
}

TEST_F(ThroughputCountsTest, A_span_is_told_when_it_is_over_and_if_something_happened_in_it) {
    EXPECT_THAT(counts_.take(clock_.now()), IsEmpty());
    completed("mail");
    clock_.tick(kShortSpan - 1ms);
    EXPECT_THAT(counts_.take(clock_.now()), IsEmpty());
    clock_.tick(1ms);
    EXPECT_THAT(counts_.take(clock_.now()), SizeIs(1));
    clock_.tick(10s);
    EXPECT_THAT(counts_.take(clock_.now()), IsEmpty());
}

TEST_F(ThroughputCountsTest, A_minute_is_the_sum_of_its_spans) {
    const schema::TimePoint begin = clock_.now();
    completed("mail");
    clock_.tick(30s);
    completed("mail");
    (void)counts_.take(clock_.now());
    clock_.tick(30s);
    completed("mail");
    const auto spans = counts_.take(clock_.now());
    ASSERT_THAT(spans, SizeIs(2));
    EXPECT_EQ(spans.back().length, 1min);
    EXPECT_EQ(spans.back().at, begin);
    EXPECT_EQ(spans.back().counts.types().at("mail").completed, 2);
}

TEST_F(ThroughputCountsTest, A_stop_takes_what_is_under_way_too) {
    completed("mail");
    EXPECT_THAT(counts_.take_all(), SizeIs(2)) << "the short one and the minute";
    EXPECT_THAT(counts_.take_all(), IsEmpty());
}

TEST_F(ThroughputCountsTest, A_clock_that_is_set_back_begins_a_span_anew) {
    completed("mail");
    clock_.set_wall(clock_.now() - 1h);
    completed("mail");
    const auto spans = counts_.take_all();
    ASSERT_THAT(spans, SizeIs(4));
    EXPECT_EQ(spans.back().at, clock_.now());
}

TEST_F(ThroughputCountsTest, Spans_that_nobody_takes_are_bounded) {
    for (int i = 0; i < 500; ++i) {
        completed("mail");
        clock_.tick(kShortSpan);
    }
    const auto spans = counts_.take(clock_.now());
    EXPECT_THAT(spans, SizeIs(ThroughputCounts::kMostSpans));
    EXPECT_EQ(spans.back().at, clock_.now() - kShortSpan) << "the oldest are forgotten";
}

/// It can be away.
class WrittenStore : public persistence::ThroughputStore {
public:
    void add_throughput(std::string_view node, std::span<const ThroughputSpan> spans) override {
        ++writes;
        if (is_away) {
            throw persistence::DbError(persistence::DbErrorKind::connection_lost, "away");
        }
        EXPECT_EQ(node, "node-1");
        written.insert(written.end(), spans.begin(), spans.end());
    }
    std::vector<persistence::SpanSums> throughput(const persistence::SpanSearch&) override {
        return {};
    }
    schema::Throughput throughput_by_type(const persistence::SpanSearch&) override {
        return schema::Throughput();
    }
    bool forget_throughput(schema::Duration length, schema::TimePoint before) override {
        forgotten.emplace_back(length, before);
        return is_more;
    }

    int writes = 0;
    bool is_away = false;
    bool is_more = false;
    std::vector<ThroughputSpan> written;
    std::vector<std::pair<schema::Duration, schema::TimePoint>> forgotten;
};

class ThroughputWritingTest : public ThroughputCountsTest {
protected:
    WrittenStore store_;
    HeldJobs held_;
    ThroughputWriting writing_{{counts_, held_, &store_, clock_}, "node-1"};
};

TEST_F(ThroughputWritingTest, The_begin_of_a_long_run_is_counted_while_it_runs_and_once) {
    const auto held = held_.add({job_of("mail")}, clock_.steady_now() + 1h).front();
    held->began = clock_.steady_now();
    held->is_running = true;
    clock_.tick(kShortSpan - 1ms);
    (void)writing_.run_once();
    EXPECT_FALSE(held->is_begin_counted) << "its end may come soon enough";
    for (int i = 0; i < 5; ++i) {
        clock_.tick(kShortSpan + 1ms);
        (void)writing_.run_once();
    }
    EXPECT_TRUE(held->is_begin_counted);
    ASSERT_THAT(store_.written, SizeIs(1));
    EXPECT_EQ(store_.written.front().counts.types().at("mail").begun, 1);
}

TEST_F(ThroughputWritingTest, It_looks_whenever_a_span_is_over_and_writes_if_there_is_something) {
    clock_.tick(300ms);
    EXPECT_EQ(writing_.run_once(), kShortSpan - 300ms);
    completed("mail");
    clock_.tick(kShortSpan - 300ms);
    EXPECT_EQ(writing_.run_once(), kShortSpan);
    EXPECT_THAT(store_.written, SizeIs(1));
    clock_.tick(kShortSpan);
    EXPECT_EQ(writing_.run_once(), kShortSpan);
    EXPECT_EQ(store_.writes, 1) << "an idle node writes nothing";
}

TEST_F(ThroughputWritingTest, What_could_not_be_written_is_written_later) {
    completed("mail");
    clock_.tick(kShortSpan);
    store_.is_away = true;
    EXPECT_THROW((void)writing_.run_once(), persistence::DbError);
    EXPECT_THROW((void)writing_.run_once(), persistence::DbError);
    completed("mail");
    clock_.tick(kShortSpan);
    store_.is_away = false;
    (void)writing_.run_once();
    EXPECT_THAT(store_.written, SizeIs(2));
}

TEST_F(ThroughputWritingTest, A_stop_writes_the_spans_that_are_under_way) {
    completed("mail");
    writing_.write_the_rest();
    EXPECT_THAT(store_.written, SizeIs(2));
}

TEST_F(ThroughputWritingTest, What_is_too_old_is_forgotten_a_page_at_a_time_and_seldom) {
    const schema::TimePoint begin = clock_.now();
    (void)writing_.run_once();
    EXPECT_THAT(
        store_.forgotten,
        ElementsAre(Pair(kShortSpan, begin - 15min), Pair(schema::Duration(1min), begin - 25h))
    );
    clock_.tick(4min);
    (void)writing_.run_once();
    EXPECT_THAT(store_.forgotten, SizeIs(2));
    clock_.tick(1min);
    store_.is_more = true;
    (void)writing_.run_once();
    clock_.tick(2s);
    (void)writing_.run_once();
    EXPECT_THAT(store_.forgotten, SizeIs(6)) << "as long as pages are full it goes on";
}

TEST_F(ThroughputWritingTest, Without_a_store_it_does_nothing) {
    ThroughputWriting none({counts_, held_, nullptr, clock_}, "node-1");
    EXPECT_EQ(none.run_once(), kUntilWoken);
    none.write_the_rest();
}

}  // namespace

}  // namespace jobstrand::executor
