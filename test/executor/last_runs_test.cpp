#include "executor/cleaning.hpp"
#include "executor/job_handler.hpp"
#include "executor/report/run_records.hpp"
#include "persistence/sql/db_error.hpp"
#include "schema/clock.hpp"
#include "test/fixtures/job_builder.hpp"
#include "test/fixtures/recording_log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <utility>

namespace jobstrand::executor {

namespace {

using persistence::Outcome;
using persistence::OutcomeAnswer;
using persistence::ToldRun;
using schema::RunNews;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using namespace std::chrono_literals;
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

class RunNewsTest : public testing::Test {
protected:
    [[nodiscard]] std::unique_ptr<HeldJob> a_run(const std::string& id) const {
        schema::Job job = test::a_job(id).of_type("mail");
        job.tenant_id = "t";
        job.revision = 7;
        auto held = std::make_unique<HeldJob>(std::move(job), clock_.steady_now());
        held->is_running = true;
        return held;
    }

    /// As JobRunner ends it.
    std::optional<RunNews> end(HeldJob& held) {
        held.is_running = false;
        return book_.end(held.job.id, held.job.revision);
    }

    RunNewsBook::Page take() { return book_.take(clock_.now()); }

    schema::ManualClock clock_;
    RunNewsBook book_{"node-1"};
};

TEST_F(RunNewsTest, All_that_was_told_is_taken_once_and_then_what_is_new) {
    const auto run = a_run("a");
    int wakes = 0;
    book_.when_told([&wakes] { ++wakes; });
    const std::shared_ptr<RunNewsBook> book(std::shared_ptr<void>(), &book_);
    const JobContext context{.job = run->job, .stop = {}, .news = book, .run = run.get()};
    context.progress(0.25, "page 1");
    context.log("one\n");
    context.log("two\n");
    EXPECT_EQ(wakes, 1);
    const ToldRun told{
        .job = "a",
        .revision = 7,
        .owner = "node-1",
        .handler_type = "mail",
        .tenant = "t",
        .told = clock_.now(),
        .news = {.progress = 0.25, .note = "page 1", .lines = "one\ntwo\n"}};
    EXPECT_THAT(take().told, testing::ElementsAre(told));
    EXPECT_TRUE(take().is_empty());
    context.progress(0.5);
    EXPECT_EQ(wakes, 2);
    const auto page = take();
    ASSERT_THAT(page.told, SizeIs(1));
    EXPECT_EQ(page.told[0].news, (RunNews{.progress = 0.5, .note = {}, .lines = "one\ntwo\n"}));
}

TEST_F(RunNewsTest, A_context_without_a_book_says_nothing) {
    const auto run = a_run("a");
    const JobContext context{.job = run->job, .stop = {}};
    context.progress(1);
    context.log("one\n");
    EXPECT_TRUE(take().is_empty());
}

TEST_F(RunNewsTest, A_run_that_ends_takes_its_row_along_if_it_has_one) {
    const auto quick = a_run("quick");
    book_.progress(*quick, 0.5, "half");
    EXPECT_EQ(end(*quick).value().note, "half");
    EXPECT_TRUE(take().is_empty()) << "nothing was written";
    const auto slow = a_run("slow");
    book_.progress(*slow, 0.5, "half");
    (void)take();
    EXPECT_EQ(end(*slow).value().progress, 0.5);
    const auto page = take();
    EXPECT_THAT(page.told, IsEmpty());
    ASSERT_THAT(page.ended, SizeIs(1));
    EXPECT_EQ(page.ended[0].job, "slow");
    EXPECT_EQ(page.ended[0].revision, 7);
    EXPECT_FALSE(end(*slow));
}

TEST_F(RunNewsTest, What_is_left_over_of_an_earlier_run_goes_with_the_next) {
    book_.tell({.job = "a", .revision = 2, .told = clock_.now(), .news = {.note = "early"}});
    (void)take();
    EXPECT_FALSE(book_.end("a", 1));
    EXPECT_TRUE(take().is_empty());
    EXPECT_FALSE(book_.end("a", 4)) << "that run told nothing";
    const auto page = take();
    ASSERT_THAT(page.ended, SizeIs(1));
    EXPECT_EQ(page.ended[0].revision, 2);
}

TEST_F(RunNewsTest, What_a_run_tells_after_its_end_is_passed_over) {
    const auto run = a_run("a");
    book_.progress(*run, 0.5, "");
    (void)end(*run);
    book_.log(*run, "late\n");
    EXPECT_TRUE(take().is_empty());
    book_.close();
    const auto other = a_run("b");
    book_.log(*other, "later\n");
    EXPECT_TRUE(take().is_empty());
}

TEST_F(RunNewsTest, What_is_kept_has_bounds) {
    const auto run = a_run("a");
    book_.progress(*run, std::numeric_limits<double>::quiet_NaN(), std::string(1000, 'n'));
    for (int i = 0; i < 1000; ++i) {
        book_.log(*run, std::to_string(i) + "\n");
    }
    RunNews news = take().told.at(0).news;
    EXPECT_FALSE(news.progress);
    EXPECT_EQ(news.note.size(), RunNews::kNoteLength);
    EXPECT_TRUE(news.lines.starts_with("900\n") && news.lines.ends_with("999\n")) << news.lines;
    book_.progress(*run, 7, "\xff");
    book_.log(*run, std::string(100'000, 'x') + "\xc3");
    news = take().told.at(0).news;
    EXPECT_EQ(news.progress, 1);
    EXPECT_EQ(news.note, "\xef\xbf\xbd");
    EXPECT_LE(news.lines.size(), RunNews::kBytesOfLines + 2);
    EXPECT_TRUE(news.lines.ends_with("x\xef\xbf\xbd"));
    for (std::size_t i = 0; i < 2 * RunNewsBook::kMost; ++i) {
        book_.tell({.job = "job-" + std::to_string(i), .told = clock_.now()});
    }
    EXPECT_THAT(take().told, SizeIs(RunNewsBook::kMost - 1));
}

TEST_F(RunNewsTest, A_worker_that_falls_silent_is_forgotten) {
    book_.tell({.job = "a", .revision = 2, .owner = "w-1", .told = clock_.now()});
    EXPECT_THAT(take().told, SizeIs(1));
    clock_.tick(RunNewsBook::kLasts + 1ms);
    (void)take();
    EXPECT_FALSE(book_.end("a", 2));
}

TEST_F(RunNewsTest, The_last_word_is_the_note_or_the_last_line) {
    RunNews news{.progress = 1, .note = "done", .lines = "one\n"};
    EXPECT_EQ(news.last_word(), "done");
    news.note.clear();
    EXPECT_EQ(news.last_word(), "one");
    news.lines = "one\ntwo\n\n \n";
    EXPECT_EQ(news.last_word(), "two");
    news.lines = "\n";
    EXPECT_EQ(news.last_word(), "");
}

/// Counts what it is asked.
class CountingNews final : public persistence::RunNewsStore {
public:
    void write_news(std::span<const ToldRun> told, std::span<const ToldRun> ended) override {
        if (is_away) {
            throw persistence::DbError(persistence::DbErrorKind::connection_lost, "away");
        }
        ++writes;
        rows += told.size() + ended.size();
    }
    std::vector<ToldRun> run_news(std::span<const std::string> /*jobs*/, std::size_t /*most*/)
        override {
        return {};
    }
    void forget_news(schema::TimePoint /*before*/) override { ++cleanings; }

    int writes = 0;
    std::size_t rows = 0;
    int cleanings = 0;
    bool is_away = false;
};

TEST_F(RunNewsTest, Is_written_once_a_second_and_tidied_once_a_minute) {
    CountingNews store;
    RunNewsWriting writing(store, book_, clock_);
    EXPECT_EQ(writing.run_once(), 1min);
    EXPECT_EQ(store.writes, 0) << "a node whose runs tell nothing writes nothing";
    const auto run = a_run("a");
    const auto other = a_run("b");
    book_.log(*run, "one\n");
    EXPECT_EQ(writing.run_once(), 1s) << "at once after a quiet time";
    book_.log(*run, "two\n");
    book_.log(*other, "one\n");
    clock_.tick(300ms);
    EXPECT_EQ(writing.run_once(), 700ms);
    EXPECT_EQ(store.writes, 1);
    clock_.tick(700ms);
    (void)writing.run_once();
    EXPECT_EQ(store.writes, 2);
    EXPECT_EQ(store.rows, 3U);
    EXPECT_EQ(store.cleanings, 1);
    clock_.tick(1min);
    (void)writing.run_once();
    EXPECT_EQ(store.cleanings, 2);
}

TEST_F(RunNewsTest, What_the_database_did_not_take_is_written_when_it_is_back) {
    CountingNews store;
    RunNewsWriting writing(store, book_, clock_);
    const auto told = a_run("told");
    const auto ended = a_run("ended");
    const auto quick = a_run("quick");
    book_.progress(*told, 0.5, "half");
    book_.progress(*ended, 0.5, "half");
    EXPECT_TRUE(writing.write());
    (void)end(*ended);
    book_.progress(*told, 0.75, "more");
    book_.progress(*quick, 0.5, "half");
    store.is_away = true;
    EXPECT_THROW(writing.write(), persistence::DbError);
    (void)end(*quick);
    store.is_away = false;
    store.rows = 0;
    EXPECT_TRUE(writing.write());
    EXPECT_EQ(store.rows, 3U) << "one that has told, two that have ended";
    EXPECT_FALSE(writing.write());
}

}  // namespace

}  // namespace jobstrand::executor
