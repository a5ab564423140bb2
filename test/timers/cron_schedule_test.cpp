#include "timers/cron/cron_schedule.hpp"

#include "test/timers/random_cron.hpp"
#include "test/timers/times.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>

namespace jobstrand::timers {

namespace {

using std::chrono::hours;
using std::chrono::seconds;
using std::chrono::sys_seconds;

struct Documented {
    const char* text;
    const char* after;
    const char* next;
};

class DocumentedCronText : public testing::TestWithParam<Documented> {};

TEST_P(DocumentedCronText, Fires_as_its_guide_says) {
    const Documented& example = GetParam();
    const int count = 1 + static_cast<int>(std::ranges::count(std::string_view(example.next), ' '));
    EXPECT_EQ(next_texts(cron(example.text), Zone::utc(), at(example.after), count), example.next)
        << example.text;
}

// The table of examples in Quartz's cron tutorial, and those of its lesson on cron triggers.
constexpr Documented kQuartzTutorial[] = {
    {"0 0 12 * * ?", "2026-01-01T12:00Z", "2026-01-02T12:00:00Z 2026-01-03T12:00:00Z"},
    {"0 15 10 ? * *", "2026-01-01", "2026-01-01T10:15:00Z 2026-01-02T10:15:00Z"},
    {"0 15 10 * * ?", "2026-01-01", "2026-01-01T10:15:00Z 2026-01-02T10:15:00Z"},
    {"0 15 10 * * ? *", "2026-01-01", "2026-01-01T10:15:00Z 2026-01-02T10:15:00Z"},
    {"0 15 10 * * ? 2005", "2005-12-30T11:00Z", "2005-12-31T10:15:00Z none"},
    {"0 * 14 * * ?", "2026-01-01T14:58Z", "2026-01-01T14:59:00Z 2026-01-02T14:00:00Z"},
    {"0 0/5 14 * * ?", "2026-01-01T14:50Z", "2026-01-01T14:55:00Z 2026-01-02T14:00:00Z"},
    {"0 0/5 14,18 * * ?", "2026-01-01T14:55Z", "2026-01-01T18:00:00Z 2026-01-01T18:05:00Z"},
    {"0 0-5 14 * * ?", "2026-01-01T14:04Z", "2026-01-01T14:05:00Z 2026-01-02T14:00:00Z"},
    {"0 10,44 14 ? 3 WED", "2026-03-25T14:10Z", "2026-03-25T14:44:00Z 2027-03-03T14:10:00Z"},
    {"0 15 10 ? * MON-FRI", "2026-01-02T10:15Z", "2026-01-05T10:15:00Z 2026-01-06T10:15:00Z"},
    {"0 15 10 15 * ?", "2026-01-01", "2026-01-15T10:15:00Z 2026-02-15T10:15:00Z"},
    {"0 15 10 L * ?", "2024-01-31T10:15Z", "2024-02-29T10:15:00Z 2024-03-31T10:15:00Z"},
    {"0 15 10 L-2 * ?", "2026-02-01", "2026-02-26T10:15:00Z 2026-03-29T10:15:00Z"},
    {"0 15 10 ? * 6L", "2026-01-01", "2026-01-30T10:15:00Z 2026-02-27T10:15:00Z"},
    {"0 15 10 ? * 6L 2002-2005", "2005-11-30", "2005-12-30T10:15:00Z none"},
    {"0 15 10 ? * 6#3", "2026-01-01", "2026-01-16T10:15:00Z 2026-02-20T10:15:00Z"},
    {"0 0 12 1/5 * ?", "2026-01-26T12:00Z", "2026-01-31T12:00:00Z 2026-02-01T12:00:00Z"},
    {"0 11 11 11 11 ?", "2026-01-01", "2026-11-11T11:11:00Z 2027-11-11T11:11:00Z"},
    {"0 0/5 * * * ?", "2026-01-01T00:55Z", "2026-01-01T01:00:00Z 2026-01-01T01:05:00Z"},
    {"10 0/5 * * * ?", "2026-01-01T10:00:10Z", "2026-01-01T10:05:10Z 2026-01-01T10:10:10Z"},
    {"0 30 10-13 ? * WED,FRI", "2026-01-07T13:30Z", "2026-01-09T10:30:00Z 2026-01-09T11:30:00Z"},
    {"0 0/30 8-9 5,20 * ?", "2026-01-05T09:30Z", "2026-01-20T08:00:00Z 2026-01-20T08:30:00Z"},
    {"0 42 10 * * ?", "2026-01-01", "2026-01-01T10:42:00Z 2026-01-02T10:42:00Z"},
    {"0 0 10 ? * WED", "2026-01-01", "2026-01-07T10:00:00Z 2026-01-14T10:00:00Z"},
    // R139
    {"0/1 * * * * ?", "2026-01-01", "2026-01-01T00:00:01Z 2026-01-01T00:00:02Z"},
};
INSTANTIATE_TEST_SUITE_P(QuartzTutorial, DocumentedCronText, testing::ValuesIn(kQuartzTutorial));

// Flowable's and Camunda's guides use the same two texts; the rest is in the guides of Unix cron.
constexpr Documented kOtherGuides[] = {
    {"0 0/5 * * * ?", "2011-03-11T12:13:14Z", "2011-03-11T12:15:00Z 2011-03-11T12:20:00Z"},
    {"5 0 * * *", "2026-01-01", "2026-01-01T00:05:00Z 2026-01-02T00:05:00Z"},
    {"15 14 1 * *", "2026-01-01", "2026-01-01T14:15:00Z 2026-02-01T14:15:00Z"},
    {"0 22 * * 1-5", "2026-01-02T22:00Z", "2026-01-05T22:00:00Z 2026-01-06T22:00:00Z"},
    {"23 0-23/2 * * *", "2026-01-01", "2026-01-01T00:23:00Z 2026-01-01T02:23:00Z"},
    {"5 4 * * sun", "2026-01-01", "2026-01-04T04:05:00Z 2026-01-11T04:05:00Z"},
    {"30 4 1,15 * 5",
     "2026-01-01",
     "2026-01-01T04:30:00Z 2026-01-02T04:30:00Z 2026-01-09T04:30:00Z 2026-01-15T04:30:00Z"},
    {"@weekly", "2026-01-01", "2026-01-04T00:00:00Z 2026-01-11T00:00:00Z"},
    {"@yearly", "2026-01-01", "2027-01-01T00:00:00Z 2028-01-01T00:00:00Z"},
};
INSTANTIATE_TEST_SUITE_P(OtherGuides, DocumentedCronText, testing::ValuesIn(kOtherGuides));

constexpr Documented kSpecialDays[] = {
    // A Saturday 1st goes to Monday 3rd, a Sunday 15th to the 16th, a Saturday to the 14th.
    {"0 0 9 1W * ?", "2025-10-31", "2025-11-03T09:00:00Z 2025-12-01T09:00:00Z"},
    {"0 0 9 15W * ?", "2026-02-01", "2026-02-16T09:00:00Z 2026-03-16T09:00:00Z"},
    {"0 0 9 15W * ?", "2026-08-01", "2026-08-14T09:00:00Z 2026-09-15T09:00:00Z"},
    // 31 May 2026 is a Sunday: never outside the month, and months without it are left out.
    {"0 0 9 31W * ?", "2026-03-31T09:00Z", "2026-05-29T09:00:00Z 2026-07-31T09:00:00Z"},
    {"0 0 9 LW * ?", "2026-01-01", "2026-01-30T09:00:00Z 2026-02-27T09:00:00Z"},
    {"0 0 9 L-3W * ?", "2026-02-01", "2026-02-25T09:00:00Z 2026-03-27T09:00:00Z"},
    {"0 0 9 L-30 * ?", "2026-01-02", "2026-03-01T09:00:00Z 2026-05-01T09:00:00Z"},
    {"0 0 9 L,15 * ?", "2026-02-01", "2026-02-15T09:00:00Z 2026-02-28T09:00:00Z"},
    {"0 0 9 31 * ?", "2026-01-31T09:00Z", "2026-03-31T09:00:00Z 2026-05-31T09:00:00Z"},
    {"0 0 9 29 2 ?", "2026-01-01", "2028-02-29T09:00:00Z 2032-02-29T09:00:00Z"},
    {"0 0 9 ? * 2#5", "2026-01-01", "2026-03-30T09:00:00Z 2026-06-29T09:00:00Z"},
    {"0 0 9 ? * L", "2026-01-01", "2026-01-03T09:00:00Z 2026-01-10T09:00:00Z"},
    {"0 0 9 ? * 7", "2026-01-01", "2026-01-03T09:00:00Z 2026-01-10T09:00:00Z"},
    {"0 0 9 ? * FRIL", "2026-01-30T09:00Z", "2026-02-27T09:00:00Z 2026-03-27T09:00:00Z"},
    {"0 0 22-2 ? * FRI-MON", "2026-01-02T22:00Z", "2026-01-02T23:00:00Z 2026-01-03T00:00:00Z"},
    {"0 0 0 1 1 ? 2030/10", "2031-01-01", "2040-01-01T00:00:00Z 2050-01-01T00:00:00Z"},
};
INSTANTIATE_TEST_SUITE_P(SpecialDays, DocumentedCronText, testing::ValuesIn(kSpecialDays));

TEST(CronSchedule, The_next_time_is_a_whole_second_strictly_after) {
    const CronExpression every_second = cron("* * * * * ?");
    const auto next = [&](const char* after) {
        return text_of(next_time(every_second, Zone::utc(), DstRule::quartz, at(after)));
    };
    EXPECT_EQ(next("2026-01-01T00:00:00Z"), "2026-01-01T00:00:01Z");
    EXPECT_EQ(next("2026-01-01T00:00:00.001Z"), "2026-01-01T00:00:01Z");
    EXPECT_EQ(next("2026-01-01T00:00:00.999Z"), "2026-01-01T00:00:01Z");
}

TEST(CronSchedule, Texts_that_never_fire_are_answered_at_once) {
    const auto begin = std::chrono::steady_clock::now();
    for (const DstRule rule : {DstRule::quartz, DstRule::run_once}) {
        for (const char* text :
             {"0 0 0 31 2 ?",
              "0 0 0 30 FEB ?",
              "0 0 0 31 4,6,9,11 ?",
              "0 0 0 L-30 2 ?",
              "0 0 0 31W 2 ?",
              "0 0 0 1 1 ? 2020",
              "0 0 31 2 *"}) {
            for (const char* zone : {"UTC", "America/New_York", "Pacific/Apia"}) {
                EXPECT_FALSE(next_time(cron(text), zone_named(zone), rule, at("2026-01-01")))
                    << text;
            }
        }
    }
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds{5});
}

TEST(CronSchedule, Ends_with_the_last_year) {
    EXPECT_EQ(
        next_texts(cron("0 0 0 1 1 ?"), Zone::utc(), at("2198-06-01"), 2),
        "2199-01-01T00:00:00Z none"
    );
    for (const DstRule rule : {DstRule::quartz, DstRule::run_once}) {
        EXPECT_FALSE(next_time(cron("* * * * * ?"), Zone::utc(), rule, at("2200-01-01")));
        EXPECT_FALSE(next_time(cron("* * * * * ?"), Zone::utc(), rule, schema::TimePoint::max()));
    }
}

TEST(CronSchedule, Begins_with_1970_whatever_was_before) {
    const schema::TimePoint before_all = schema::TimePoint::min();
    const auto first = [&](const char* zone, DstRule rule) {
        return text_of(
            next_time(cron("0 0 0 * * ?"), zone_named(zone), rule, before_all), zone_named(zone)
        );
    };
    for (const DstRule rule : {DstRule::quartz, DstRule::run_once}) {
        EXPECT_EQ(first("America/New_York", rule), "1970-01-01T00:00:00-05:00");
        EXPECT_EQ(first("Asia/Tokyo", rule), "1970-01-01T00:00:00+09:00");
    }
}

TEST(CronSchedule, Summer_time_counts_after_2037_too) {
    const Zone new_york = zone_named("America/New_York");
    EXPECT_EQ(
        next_texts(cron("0 0 12 4 7 ? 2040"), new_york, at("2026-01-01"), 1),
        "2040-07-04T12:00:00-04:00"
    );
    EXPECT_EQ(next_texts(cron("0 30 2 11 3 ? 2040"), new_york, at("2026-01-01"), 1), "none");
}

TEST(CronExpression, Names_exactly_the_seconds_that_match) {
    const CronExpression expression = cron("30 15 10 ? 2 6#4 2026");
    const auto wall =
        std::chrono::local_days{std::chrono::year{2026} / 2 / 27} + std::chrono::seconds{36930};
    EXPECT_TRUE(matches(expression, wall));
    EXPECT_FALSE(matches(expression, wall + std::chrono::seconds{1}));
    EXPECT_FALSE(matches(expression, wall - std::chrono::days{7}));
    EXPECT_FALSE(
        matches(cron("* * * * * ?"), std::chrono::local_days{std::chrono::year{2200} / 1 / 1})
    );
}

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
