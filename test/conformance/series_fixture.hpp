#pragma once

#include "test/conformance/store_test.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace jobstrand::test {

using persistence::SeriesCondition;
using persistence::SeriesSummary;
using schema::Series;

/// Series on every database, and a node that moves and runs their turns.
class SeriesTest : public StoreTest {
protected:
    /// Starts a series whose first turn is the job `{key}-1`.
    std::string start(Series series, Job turn = a_job("")) {
        turn.id = turn.id.empty() ? series.key + "-1" : turn.id;
        turn.correlation_id = turn.id;
        const auto turns = store_.enqueuer().create(
            {{.series = std::move(series), .first_turn = turn}}, clock_.now()
        );
        return turns.front().job.series;
    }

    /// Each day at nine, on the days of a calendar. 2026-01-01 is a Thursday.
    void start_daily(std::string key, std::string calendar) {
        start({.key = std::move(key), .repeat = "0 0 9 * * ?", .calendar = std::move(calendar)});
    }

    /// Every ten minutes without end.
    static Series every_ten_minutes(std::string key = "s") {
        return {.key = std::move(key), .repeat = "R/PT10M"};
    }

    /// Moves what is due, and locks all of it for node-1.
    std::vector<Job> fire() {
        auto due = move_due();
        std::ranges::move(acquire(), std::back_inserter(due.locked));  // With long payloads.
        return std::move(due.locked);
    }

    /// Time passes until a turn fires; it must be one.
    Job fire_after(schema::Duration time) {
        clock_.tick(time);
        const std::vector<Job> fired = fire();
        EXPECT_EQ(fired.size(), 1U);
        return fired.empty() ? Job{} : fired.front();
    }

    void complete(const Job& job, std::optional<std::string> payload = {}) {
        const Outcome outcome = outcome_of(job, schema::completed(job, std::move(payload)));
        expect_done(outcome);
    }

    void fail(const Job& job) {
        const Outcome outcome = failed_outcome(job);
        expect_done(outcome);
    }

    void kill_job(const Job& job) {
        expect_done(failed_outcome(job, {.message = "no", .retryable = false}));
    }

    [[nodiscard]] Series series(std::string_view key = "s") {
        return store_.series().find_series(key).value().series;
    }
    [[nodiscard]] SeriesCondition condition(std::string_view key = "s") {
        return store_.series().find_series(key).value().condition;
    }

    /// The only job in a place.
    [[nodiscard]] Job only_job_in(JobPlace place) {
        const std::vector<Job> jobs = store_.jobs().list(place, {}, "", 10);
        EXPECT_EQ(jobs.size(), 1U) << schema::name_of(place);
        return jobs.empty() ? Job{} : store_.jobs().find(jobs.front().id)->job;
    }

    [[nodiscard]] std::int64_t carrying_jobs() {
        std::int64_t count = 0;
        for (const JobPlace place : schema::kJobPlaces) {
            const std::string table(schema::table_of(place));
            count += count_rows(table + " WHERE REPEAT_ IS NOT NULL");
        }
        return count;
    }
};

}  // namespace jobstrand::test
