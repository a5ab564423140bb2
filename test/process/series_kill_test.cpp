#include "schema/clock.hpp"
#include "test/process/service_fixture.hpp"

#include <map>
#include <random>
#include <set>

namespace jobstrand {
namespace {

using namespace std::chrono_literals;
using schema::JobPlace;
using schema::TimePoint;

constexpr schema::Duration kPeriod = 20ms;
constexpr int kLimited = 300;

/// Series whose turns come every 20 ms. Nobody serves the handler type `pile`, so that its fired
/// turns stay where they can be counted.
class SeriesKills : public test::ServiceTest {
protected:
    void start(schema::Series series, const std::string& handler_type) {
        schema::Job turn;
        turn.id = series.key;
        turn.handler_type = handler_type;
        (void)store->enqueuer().create(
            {{.series = std::move(series), .first_turn = std::move(turn)}}, clock_.now()
        );
    }

    [[nodiscard]] schema::Series series(const std::string& key) const {
        return store->series().find_series(key).value().series;
    }

    /// The due dates of the turns that have fired; none twice.
    [[nodiscard]] std::set<TimePoint> fired_turns(const std::string& key) const {
        std::set<TimePoint> due;
        for (const schema::Job& job : store->jobs().list(JobPlace::executable, {}, "", 100'000)) {
            if (job.series == key && job.handler_type == "pile") {
                EXPECT_TRUE(due.insert(job.due_date.value()).second) << key;
            }
        }
        return due;
    }

    /// How many jobs carry each series on.
    [[nodiscard]] std::map<std::string, int> carrying_turns() const {
        std::map<std::string, int> count;
        for (const JobPlace place : schema::kJobPlaces) {
            for (const schema::Job& job : store->jobs().list(place, {}, "", 100'000)) {
                if (!job.repeat.empty()) {
                    ++count[job.series];
                }
            }
        }
        return count;
    }

    schema::SystemClock clock_;
};

// I1, I2, R121, R122, R125: whatever instant the process dies at.
TEST_F(SeriesKills, No_kill_of_the_service_loses_or_doubles_a_turn) {
    lock_ms = 1000;
    configure("defaultTimerJobAcquireWaitTime = 20\nmaxLostStarts = 1000\n");
    start({.key = "endless", .repeat = "R/PT0.02S"}, "pile");
    start({.key = "limited", .repeat = "R" + std::to_string(kLimited) + "/PT0.02S"}, "pile");
    start({.key = "one by one", .repeat = "R/PT0.02S", .overlap = false}, "noop");

    std::mt19937 random(20'260'101);
    std::uniform_int_distribution<std::int64_t> turns(1, 15);
    for (int kill = 0; kill < 15; ++kill) {
        const std::int64_t goal = series("endless").fire_count + turns(random);
        const auto service = a_service();
        ASSERT_TRUE(test::eventually([&] { return series("endless").fire_count >= goal; }, 30s));
        service->kill();
        const auto carried = carrying_turns();
        EXPECT_EQ(carried.at("endless"), 1);
        EXPECT_EQ(carried.at("one by one"), 1);
    }
    const std::int64_t one_by_one = series("one by one").fire_count;
    const auto service = a_service();
    ASSERT_TRUE(
        test::eventually([&] { return series("limited").state == schema::SeriesState::ended; }, 60s)
    );
    ASSERT_TRUE(
        test::eventually([&] { return series("one by one").fire_count > one_by_one + 5; }, 30s)
    );
    service->kill();

    const std::set<TimePoint> limited = fired_turns("limited");
    const TimePoint begin = series("limited").start.value();
    ASSERT_EQ(limited.size(), kLimited);
    EXPECT_EQ(*limited.begin(), begin + kPeriod);
    EXPECT_EQ(*limited.rbegin(), begin + kLimited * kPeriod);
    const std::set<TimePoint> endless = fired_turns("endless");
    EXPECT_EQ(endless.size(), static_cast<std::size_t>(series("endless").fire_count));
    for (const TimePoint due : endless) {
        EXPECT_EQ((due - series("endless").start.value()) % kPeriod, 0ms);
    }
}

}  // namespace
}  // namespace jobstrand
