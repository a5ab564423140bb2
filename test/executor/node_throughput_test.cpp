#include "executor/report/throughput_counts.hpp"
#include "persistence/sql/db_error.hpp"
#include "schema/clock.hpp"
#include "test/fixtures/job_builder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace jobstrand::executor {
namespace {

using namespace std::chrono_literals;
using persistence::Outcome;
using schema::kShortSpan;
using schema::RunSums;
using schema::ThroughputSpan;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;
using Reason = schema::TransitionReason;

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
