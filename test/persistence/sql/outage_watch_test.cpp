#include "persistence/sql/transaction_runner.hpp"
#include "test/fixtures/recording_log.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

namespace jobstrand::persistence {
namespace {

using schema::LogLevel;

class OutageWatchTest : public testing::Test {
protected:
    using Access = OutageWatch::Access;

    void fail(DbErrorKind kind, schema::SteadyPoint began = later()) {
        outage_.failed(DbError(kind, "the cable is out"), began);
    }

    static schema::SteadyPoint now() {
        return std::chrono::time_point_cast<schema::Duration>(std::chrono::steady_clock::now());
    }
    /// Later than any outage of this test.
    static schema::SteadyPoint later() { return now() + std::chrono::hours(1); }

    [[nodiscard]] std::ptrdiff_t outages() const { return log_.count(LogLevel::warn, "is away"); }
    [[nodiscard]] std::ptrdiff_t returns() const { return log_.count(LogLevel::info, "is back"); }

    test::RecordingLog log_;
    OutageWatch outage_{log_};
};

TEST_F(OutageWatchTest, An_outage_is_told_once_and_its_end_once) {
    for (int attempt = 0; attempt < 100; ++attempt) {
        fail(DbErrorKind::connection_lost);
        fail(DbErrorKind::unreachable);
    }
    EXPECT_EQ(outages(), 1);
    EXPECT_NE(log_.lines()[0].fields.find("error=the cable is out"), std::string::npos);
    for (int access = 0; access < 100; ++access) {
        outage_.succeeded(Access::write, later());
    }
    EXPECT_EQ(returns(), 1);
    EXPECT_NE(log_.lines()[1].fields.find("away_ms="), std::string::npos);
}

TEST_F(OutageWatchTest, It_is_known_when_the_last_one_ended) {
    EXPECT_EQ(outage_.last_end(), std::nullopt);
    fail(DbErrorKind::connection_lost);
    EXPECT_EQ(outage_.last_end(), schema::SteadyPoint::max());
    const schema::SteadyPoint before = now();
    outage_.succeeded(Access::write, later());
    EXPECT_GE(outage_.last_end(), before);
    EXPECT_LE(outage_.last_end(), now());
}

TEST_F(OutageWatchTest, Whoever_waits_goes_on_at_its_end_at_a_stop_or_when_its_time_is_over) {
    outage_.wait_until_over({}, later());
    fail(DbErrorKind::connection_lost);
    outage_.wait_until_over({}, now());
    std::stop_source stop;
    std::jthread waits_for_end([this] { outage_.wait_until_over({}, later()); });
    std::jthread waits_for_stop([&] { outage_.wait_until_over(stop.get_token(), later()); });
    stop.request_stop();
    waits_for_stop.join();
    outage_.succeeded(Access::write, later());
    waits_for_end.join();
}

TEST_F(OutageWatchTest, The_next_outage_is_told_again) {
    for (int outage = 0; outage < 3; ++outage) {
        fail(DbErrorKind::connection_lost);
        outage_.succeeded(Access::read, later());
    }
    EXPECT_EQ(outages(), 3);
    EXPECT_EQ(returns(), 3);
}

TEST_F(OutageWatchTest, What_concerns_one_statement_only_is_no_outage) {
    for (const DbErrorKind kind :
         {DbErrorKind::conflict,
          DbErrorKind::busy,
          DbErrorKind::duplicate_key,
          DbErrorKind::too_long,
          DbErrorKind::access_denied,
          DbErrorKind::schema_missing,
          DbErrorKind::other}) {
        fail(kind);
        EXPECT_TRUE(log_.lines().empty()) << name_of(kind);
    }
}

TEST_F(OutageWatchTest, What_succeeds_without_an_outage_is_no_news) {
    outage_.succeeded(Access::write, later());
    EXPECT_TRUE(log_.lines().empty());
}

TEST_F(OutageWatchTest, What_began_before_the_outage_does_not_end_it) {
    const schema::SteadyPoint before = now() - std::chrono::seconds(1);
    fail(DbErrorKind::connection_lost);
    outage_.succeeded(Access::write, before);
    EXPECT_EQ(returns(), 0);
    outage_.succeeded(Access::write, later());
    EXPECT_EQ(returns(), 1);
}

// At a failover a thread tries the old server while another has found the new one.
TEST_F(OutageWatchTest, What_began_before_the_end_of_an_outage_begins_no_other) {
    const schema::SteadyPoint before = now() - std::chrono::seconds(1);
    fail(DbErrorKind::connection_lost, before);
    outage_.succeeded(Access::write, later());
    fail(DbErrorKind::unreachable, before);
    EXPECT_EQ(outages(), 1);
    fail(DbErrorKind::unreachable);
    EXPECT_EQ(outages(), 2);
}

TEST_F(OutageWatchTest, A_database_that_can_be_read_may_still_take_no_writes) {
    for (const DbErrorKind kind : {DbErrorKind::read_only, DbErrorKind::storage_full}) {
        log_.clear();
        fail(kind);
        outage_.succeeded(Access::read, later());
        EXPECT_EQ(returns(), 0) << name_of(kind);
        outage_.succeeded(Access::write, later());
        EXPECT_EQ(returns(), 1) << name_of(kind);
    }
}

TEST_F(OutageWatchTest, Many_threads_that_meet_one_outage_tell_it_once) {
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 4; ++i) {
            threads.emplace_back([this] {
                for (int attempt = 0; attempt < 200; ++attempt) {
                    fail(DbErrorKind::connection_lost);
                }
            });
        }
    }
    EXPECT_EQ(outages(), 1);
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 4; ++i) {
            threads.emplace_back([this] { outage_.succeeded(Access::write, later()); });
        }
    }
    EXPECT_EQ(returns(), 1);
}

}  // namespace
}  // namespace jobstrand::persistence
