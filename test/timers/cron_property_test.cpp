#include "test/timers/random_cron.hpp"
#include "test/timers/seed.hpp"
#include "test/timers/times.hpp"
#include "timers/cron/cron_schedule.hpp"

#include <gtest/gtest.h>

#include <array>
#include <optional>

namespace jobstrand::timers {
namespace {

using std::chrono::hours;
using std::chrono::seconds;
using std::chrono::sys_seconds;

#ifdef NDEBUG
constexpr int kCasesPerRule = 100'000;
#else
constexpr int kCasesPerRule = 4'000;  // Without optimisation the walks take ten times as long.
#endif

/// How far a walk goes at most: the slow reference looks at every second on the way.
constexpr int kLongestWalk = 5'000;

/// Answers what next_time() does by looking at one second after the other.
class SlowReference {
public:
    SlowReference(const RandomCron& cron, const Zone& zone, DstRule rule)
        : cron_(cron), zone_(zone), rule_(rule), interval_(names_neighbours(cron)) {}

    std::optional<sys_seconds> next(sys_seconds after, sys_seconds last) {
        for (sys_seconds t = after + seconds{1}; t <= last; t += seconds{1}) {
            if (t >= now_.end || t < now_.begin) {
                enter(t);
            }
            if (fires(t)) {
                return t;
            }
        }
        return std::nullopt;
    }

    /// Whether the wall clock will show the same time once more.
    bool comes_again(sys_seconds t) {
        enter(t);
        return now_.wall(t) >= following_.wall(following_.begin);
    }

private:
    void enter(sys_seconds t) {
        now_ = zone_.segment_at(t);
        before_ = now_.begin > kBeginOfTime ? zone_.segment_at(now_.begin - seconds{1}) : now_;
        before_.end = now_.begin;
        following_ = now_.end < kEndOfTime ? zone_.segment_at(now_.end) : now_;
        following_.begin = now_.end;
    }

    bool fires(sys_seconds t) {
        const auto wall = now_.wall(t);
        if (rule_ == DstRule::quartz) {
            return wall < following_.wall(following_.begin) && cron_.matches(wall);
        }
        const bool came_before = wall < before_.wall(before_.end);
        return (cron_.matches(wall) && (interval_ || !came_before)) ||
               (t == now_.begin && makes_up_for_gap());
    }

    bool makes_up_for_gap() const {
        const seconds gap = now_.offset - before_.offset;
        if (gap <= (interval_ ? seconds{hours{1}} : seconds{0})) {
            return false;
        }
        for (auto wall = before_.wall(before_.end); wall < now_.wall(now_.begin);
             wall += seconds{1}) {
            if (cron_.matches(wall)) {
                return true;
            }
        }
        return false;
    }

    static bool names_neighbours(const RandomCron& cron) {
        bool found = false;
        for (std::size_t hour = 0; hour < 24; ++hour) {
            found |= cron.hours[hour] && cron.hours[(hour + 1) % 24];
        }
        return found;
    }

    const RandomCron& cron_;
    const Zone& zone_;
    const DstRule rule_;
    const bool interval_;
    ZoneSegment now_{};
    ZoneSegment before_{};
    ZoneSegment following_{};
};

/// An instant of the years 2000 to 2036, in every second case within two days of a change of
/// clocks.
sys_seconds random_instant(Dice& dice, const Zone& zone) {
    const sys_seconds any{seconds{dice.between(946'684'800, 2'100'000'000)}};
    const ZoneSegment segment = zone.segment_at(any);
    if (dice.one_in(2) || segment.end >= kEndOfTime) {
        return any;
    }
    return segment.end + seconds{dice.between(-172'800, 172'800)};
}

/// Draws cases and compares: a time that the text names is found first, so that the walk to it can
/// be kept short.
void compare(const std::vector<Zone>& zones, DstRule rule) {
    Dice dice(test_seed() + static_cast<std::uint64_t>(rule));
    int found = 0;
    for (int i = 0; i < kCasesPerRule; ++i) {
        const RandomCron random = random_cron(dice);
        const CronExpression expression = cron(random.text);
        const Zone& zone = dice.any_of(zones);
        const auto hit = next_time(expression, zone, rule, random_instant(dice, zone));
        const sys_seconds target =
            hit ? std::chrono::floor<seconds>(*hit) : random_instant(dice, zone);
        const sys_seconds after =
            target - seconds{dice.number(1, dice.one_in(4) ? kLongestWalk : 200)};
        SlowReference reference(random, zone, rule);
        // Asked from the first of two equal hours Quartz does not go back in wall clock time.
        if (rule == DstRule::quartz && reference.comes_again(after)) {
            continue;
        }
        const auto slow = reference.next(after, target);
        const auto fast = next_time(expression, zone, rule, after);
        if (slow || hit) {
            ASSERT_EQ(text_of(fast, zone), slow ? zone.format(*slow) : "none")
                << "case " << i << ": " << random.text << " in " << zone.name() << " after "
                << zone.format(after);
            ++found;
        } else {
            ASSERT_TRUE(!fast || *fast > target) << "case " << i << ": " << random.text;
        }
    }
    EXPECT_GT(found, kCasesPerRule / 2);
}

std::vector<Zone> zones_named(const std::vector<const char*>& names) {
    std::vector<Zone> zones;
    for (const char* name : names) {
        zones.push_back(zone_named(name));
    }
    return zones;
}

// The zones whose gaps begin at a full hour and last one: elsewhere Quartz leaves out existing
// times, as cron_dst_test shows.
TEST(CronProperties, By_Quartz_next_is_what_a_walk_second_by_second_finds) {
    compare(
        zones_named(
            {"UTC",
             "America/New_York",
             "Europe/Berlin",
             "Europe/Dublin",
             "Australia/Sydney",
             "Asia/Kolkata",
             "America/Sao_Paulo",
             "Asia/Beirut",
             "America/Havana",
             "Africa/Casablanca"}
        ),
        DstRule::quartz
    );
}

TEST(CronProperties, By_run_once_next_is_what_a_walk_second_by_second_finds) {
    compare(
        zones_named(
            {"UTC",
             "America/New_York",
             "Europe/Berlin",
             "Australia/Lord_Howe",
             "Pacific/Chatham",
             "America/St_Johns",
             "America/Sao_Paulo",
             "Antarctica/Troll",
             "Asia/Pyongyang",
             "America/Caracas",
             "Pacific/Apia",
             "Africa/Casablanca"}
        ),
        DstRule::run_once
    );
}

TEST(CronProperties, Next_is_later_and_never_goes_back_when_asked_later) {
    Dice dice(test_seed());
    const std::vector<Zone> zones =
        zones_named({"UTC", "America/New_York", "Australia/Lord_Howe", "Pacific/Apia"});
    for (int i = 0; i < 20'000; ++i) {
        const RandomCron random = random_cron(dice);
        const CronExpression expression = cron(random.text);
        const Zone& zone = dice.any_of(zones);
        const sys_seconds early = random_instant(dice, zone);
        const sys_seconds late = early + seconds{dice.number(0, 100'000)};
        const auto first = next_time(expression, zone, DstRule::run_once, early);
        const auto second = next_time(expression, zone, DstRule::run_once, late);
        ASSERT_TRUE(!first || *first > early) << random.text;
        ASSERT_TRUE(!second || *second > late) << random.text;
        ASSERT_TRUE(!second || (first && *first <= *second))
            << random.text << " in " << zone.name();
    }
}

}  // namespace
}  // namespace jobstrand::timers
