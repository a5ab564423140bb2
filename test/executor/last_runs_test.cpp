#include "executor/cleaning.hpp"
#include "executor/report/run_records.hpp"
#include "persistence/sql/db_error.hpp"
#include "schema/clock.hpp"
#include "test/fixtures/job_builder.hpp"
#include "test/fixtures/recording_log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <utility>

namespace jobstrand::executor {
namespace {

using namespace std::chrono_literals;
using persistence::Outcome;
using persistence::OutcomeAnswer;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using Reason = schema::TransitionReason;

const schema::TimePoint kNoon = std::chrono::sys_days{std::chrono::year{2026} / 11 / 27} + 12h;

/// Due a minute before noon, and run for 2 s from 3 s before noon on.
[[nodiscard]] Outcome
ended_run(std::string id, std::string type, Reason reason = Reason::completed) {
    schema::Job job = test::a_job(std::move(id));
    job.handler_type = std::move(type);
    job.create_time = kNoon - 1h;
    job.due_date = kNoon - 1min;
    return {
        .job = std::make_shared<const schema::Job>(std::move(job)),
        .transition = {.reason = reason},
        .duration = 2s,
        .ended = kNoon - 1s,
    };
}

void add(
    LastRuns& runs,
    const std::vector<Outcome>& outcomes,
    OutcomeAnswer answer = OutcomeAnswer::done
) {
    runs.add(outcomes, std::vector(outcomes.size(), answer), "node-1");
}

[[nodiscard]] std::vector<std::string> jobs_in(const std::vector<FinishedRun>& runs) {
    std::vector<std::string> jobs;
    for (const FinishedRun& run : runs) {
        jobs.push_back(run.job);
    }
    return jobs;
}

TEST(LastRunsOfNode, Are_those_that_succeeded_with_how_long_they_waited_and_took) {
    LastRuns runs;
    add(runs, {ended_run("a", "mail"), ended_run("b", "mail", Reason::retry)});
    add(runs, {ended_run("c", "mail")}, OutcomeAnswer::lost_lock);
    const auto taken = runs.take();
    ASSERT_THAT(taken, SizeIs(1));
    EXPECT_EQ(taken[0].job, "a");
    EXPECT_EQ(taken[0].node, "node-1");
    EXPECT_EQ(taken[0].attempt, 1);
    EXPECT_EQ(taken[0].waited, 57s);
    EXPECT_EQ(taken[0].duration, 2s);
    EXPECT_THAT(runs.take(), IsEmpty());
}

TEST(LastRunsOfNode, Of_each_type_are_the_last_ones_of_a_page_and_of_all_pages) {
    LastRuns runs(2);
    add(runs,
        {ended_run("a", "mail"),
         ended_run("x", "pdf"),
         ended_run("b", "mail"),
         ended_run("c", "mail")});
    EXPECT_THAT(jobs_in(runs.take()), ElementsAre("b", "c", "x"));
    add(runs, {ended_run("a", "mail"), ended_run("b", "mail")});
    add(runs, {ended_run("c", "mail")});
    EXPECT_THAT(jobs_in(runs.take()), ElementsAre("b", "c"));
}

TEST(LastRunsOfNode, Of_too_many_types_or_of_a_node_that_keeps_none_are_passed_over) {
    LastRuns many;
    for (std::size_t i = 0; i < LastRuns::kTypes + 5; ++i) {
        add(many, {ended_run("a", "type" + std::to_string(i))});
    }
    EXPECT_THAT(many.take(), SizeIs(LastRuns::kTypes));
    LastRuns none(0);
    add(none, {ended_run("a", "mail")});
    EXPECT_THAT(none.take(), IsEmpty());
}

TEST(LastRunsOfNode, Wake_their_writer_once_until_they_are_taken) {
    LastRuns runs;
    int wakes = 0;
    runs.when_added([&wakes] { ++wakes; });
    add(runs, {ended_run("a", "mail", Reason::retry)});
    EXPECT_EQ(wakes, 0);
    add(runs, {ended_run("a", "mail")});
    add(runs, {ended_run("b", "mail")});
    EXPECT_EQ(wakes, 1);
    (void)runs.take();
    add(runs, {ended_run("c", "mail")});
    EXPECT_EQ(wakes, 2);
}

class RunTable : public persistence::RunStore {
public:
    void add_runs(std::span<const FinishedRun> runs) override {
        if (is_away) {
            throw persistence::DbError(persistence::DbErrorKind::unreachable, "away");
        }
        written.emplace_back(runs.begin(), runs.end());
    }
    std::vector<FinishedRun> ended_runs(const FinishedRunQuery&, std::string_view, std::size_t)
        override {
        return {};
    }
    persistence::JobLogCleaning clean_runs(const persistence::EndedRunBounds& bounds) override {
        cleaned.push_back(bounds);
        return {.is_more = std::exchange(is_more, false)};
    }

    bool is_away = false;
    bool is_more = false;
    std::vector<std::vector<FinishedRun>> written;
    std::vector<persistence::EndedRunBounds> cleaned;
};

class RunWritingTest : public testing::Test {
protected:
    LastRuns runs;
    RunTable table;
    schema::ManualClock clock;
    test::RecordingLog log;
    RunWriting writing{table, runs, clock, log};
};

TEST_F(RunWritingTest, Writes_at_once_and_then_once_a_second_and_nothing_for_nothing) {
    EXPECT_EQ(writing.run_once(), kUntilWoken);
    EXPECT_THAT(table.written, IsEmpty());
    add(runs, {ended_run("a", "mail")});
    EXPECT_EQ(writing.run_once(), kUntilWoken);
    EXPECT_THAT(table.written, SizeIs(1));
    clock.tick(400ms);
    add(runs, {ended_run("b", "mail")});
    EXPECT_EQ(writing.run_once(), 600ms);
    EXPECT_THAT(table.written, SizeIs(1));
    clock.tick(600ms);
    EXPECT_EQ(writing.run_once(), kUntilWoken);
    EXPECT_THAT(table.written, SizeIs(2));
}

TEST_F(RunWritingTest, Drops_what_an_outage_does_not_take_says_how_many_and_goes_on) {
    table.is_away = true;
    add(runs, {ended_run("a", "mail"), ended_run("b", "mail")});
    EXPECT_THROW((void)writing.run_once(), persistence::DbError);
    table.is_away = false;
    clock.tick(1s);
    add(runs, {ended_run("c", "mail")});
    (void)writing.run_once();
    ASSERT_THAT(table.written, SizeIs(1));
    EXPECT_THAT(jobs_in(table.written.front()), ElementsAre("c"));
    const auto lines = log.lines();
    ASSERT_THAT(lines, SizeIs(1));
    EXPECT_EQ(lines.front().fields, "runs=2 ");
}

TEST(RunCleaningTest, Keeps_so_many_of_each_type_for_so_long_and_looks_every_minute) {
    RunTable table;
    const schema::ManualClock clock;
    RunCleaning cleaning(table, clock, {.runs = 7, .runs_age = 3h});
    table.is_more = true;
    EXPECT_LT(cleaning.run_once(), 1s);
    EXPECT_EQ(cleaning.run_once(), 1min);
    ASSERT_THAT(table.cleaned, SizeIs(2));
    EXPECT_EQ(table.cleaned[0].of_type, 7);
    EXPECT_EQ(table.cleaned[0].before, clock.now() - 3h);
    (void)RunCleaning(table, clock, {.runs = 0, .runs_age = schema::Duration{0}}).run_once();
    EXPECT_EQ(table.cleaned.back().of_type, std::nullopt);
    EXPECT_EQ(table.cleaned.back().before, std::nullopt);
}

}  // namespace
}  // namespace jobstrand::executor
