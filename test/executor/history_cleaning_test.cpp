#include "executor/cleaning.hpp"
#include "schema/clock.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

namespace jobstrand::test {

namespace {

using namespace std::chrono_literals;

using executor::HistoryCleaning;
using persistence::Incident;
using persistence::JobAnswer;
using persistence::JobLogBounds;
using persistence::JobLogCleaning;
using persistence::JobLogLine;
using schema::HistoryRetention;

/// A past that is only forgotten.
class ForgettingStore : public persistence::HistoryStore {
public:
    [[nodiscard]] std::vector<JobLogLine> job_log(const JobLogQuery&, std::string_view, std::size_t)
        override {
        return {};
    }
    [[nodiscard]] std::optional<JobLogLine> find_log_line(std::string_view) override { return {}; }
    [[nodiscard]] std::vector<Incident>
    incidents(const persistence::IncidentFilter&, std::string_view, std::size_t) override {
        return {};
    }
    [[nodiscard]] std::int64_t count_open_incidents() override { return 0; }
    [[nodiscard]] std::vector<JobAnswer>
    annotate_incidents(std::span<const std::string>, std::string_view) override {
        return {};
    }
    [[nodiscard]] std::vector<JobAnswer>
    resolve_incidents(std::span<const std::string>, schema::TimePoint) override {
        return {};
    }

    JobLogCleaning clean_job_log(const JobLogBounds& bounds) override {
        log.push_back(bounds);
        return {.is_more = std::exchange(is_more, false)};
    }
    JobLogCleaning clean_incidents(const JobLogBounds& bounds) override {
        incidents_cleaned.push_back(bounds);
        return {};
    }

    std::vector<JobLogBounds> log;
    std::vector<JobLogBounds> incidents_cleaned;
    bool is_more = false;
};

/// When the past of jobs is forgotten.
class HistoryCleaningTest : public testing::Test {
protected:
    HistoryCleaning cleaning(HistoryRetention retention) {
        return {store_, clock_, std::move(retention), 10min};
    }

    /// Turns the clock to a time of the day.
    void turn_to(schema::Duration time_of_day) {
        const auto since_midnight = clock_.now().time_since_epoch() % schema::Duration(24h);
        clock_.tick(schema::Duration(24h) - since_midnight + time_of_day);
    }

    schema::ManualClock clock_;
    ForgettingStore store_;
};

TEST_F(HistoryCleaningTest, A_pass_asks_for_what_is_too_old_or_too_much) {
    EXPECT_EQ(cleaning({.age = 48h, .rows = 5}).run_once(), 10min);
    ASSERT_EQ(store_.log.size(), 1);
    EXPECT_EQ(store_.log[0].before, clock_.now() - 48h);
    EXPECT_EQ(store_.log[0].rows, 5);
    EXPECT_EQ(store_.incidents_cleaned[0].before, clock_.now() - 48h);
    EXPECT_EQ(store_.incidents_cleaned[0].rows, std::nullopt);
}

TEST_F(HistoryCleaningTest, Bounds_of_0_bound_nothing) {
    (void)cleaning({.age = 0h, .rows = 0}).run_once();
    EXPECT_EQ(store_.log[0].before, schema::TimePoint{});
    EXPECT_EQ(store_.log[0].rows, std::nullopt);
}

TEST_F(HistoryCleaningTest, After_a_full_page_it_goes_on_with_a_breath) {
    HistoryCleaning clean = cleaning({});
    store_.is_more = true;
    EXPECT_EQ(clean.run_once(), 50ms);
    EXPECT_EQ(clean.run_once(), 10min);
}

TEST_F(HistoryCleaningTest, Outside_of_its_window_it_waits) {
    HistoryCleaning clean = cleaning({.window_start = "23:00", .window_end = "01:00+0000"});
    turn_to(22h + 57min);
    EXPECT_EQ(clean.run_once(), 3min);
    EXPECT_TRUE(store_.log.empty());
    clock_.tick(3min);
    EXPECT_EQ(clean.run_once(), 10min);
    clock_.tick(119min);
    (void)clean.run_once();
    EXPECT_EQ(store_.log.size(), 2);
    clock_.tick(1min);
    (void)clean.run_once();
    EXPECT_EQ(store_.log.size(), 2);
}

// R055
TEST_F(HistoryCleaningTest, A_node_whose_priorities_leave_it_out_leaves_it_to_others) {
    const schema::ServedScope low{.priority_min = 0, .priority_max = 9};
    EXPECT_TRUE(executor::is_to_clean({.priority = 0}, low));
    EXPECT_FALSE(executor::is_to_clean({.priority = 10}, low));
    EXPECT_TRUE(executor::is_to_clean({.priority = 10}, {}));
    EXPECT_FALSE(executor::is_to_clean({.is_enabled = false}, {}));
}

}  // namespace

}  // namespace jobstrand::test
