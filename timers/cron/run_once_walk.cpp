#include "timers/cron/run_once_walk.hpp"

#include "timers/cron/quartz_walk.hpp"

#include <algorithm>

namespace jobstrand::timers {
namespace {

using std::chrono::local_seconds;
using std::chrono::sys_seconds;

/// Zones change their clocks at most a few times a year, up to kLastCronYear.
constexpr int kMostSegments = 2'000;

/// After a gap of this length an interval has lost nothing: its next turn comes as soon as ever.
constexpr std::chrono::seconds kHarmlessGap = std::chrono::hours{1};

constexpr std::chrono::seconds kResolution{1};

/// Goes through the segments of a zone; inside of one, time is as simple as in UTC.
class RunOnceWalk {
public:
    RunOnceWalk(const CronExpression& cron, const Zone& zone, sys_seconds earliest)
        : cron_(cron), zone_(zone), earliest_(earliest), interval_(is_interval(cron)) {}

    std::optional<sys_seconds> run() {
        // The gap that ends at `earliest` is part of the question.
        ZoneSegment segment = zone_.segment_at(earliest_ - kResolution);
        bool exhausted = false;
        for (int i = 0; i < kMostSegments; ++i) {
            const local_seconds from = first_wall_time(segment);
            const std::optional<local_seconds> turn = next_turn(from);
            if (turn && *turn < segment.wall(segment.end)) {
                return segment.instant(*turn);
            }
            // Clocks that are set back bring times that have been before, but only once.
            if ((!turn && exhausted) || segment.end >= kEndOfTime) {
                return std::nullopt;
            }
            exhausted = !turn;
            const ZoneSegment following = zone_.segment_at(segment.end);
            if (makes_up_for_gap(segment, following)) {
                return segment.end;
            }
            segment = following;
        }
        return std::nullopt;
    }

private:
    /// Where to look from inside of `segment`: what came already in the segment before is left out.
    local_seconds first_wall_time(const ZoneSegment& segment) const {
        const local_seconds from = segment.wall(std::clamp(earliest_, segment.begin, segment.end));
        if (interval_ || segment.begin <= kBeginOfTime) {
            return from;
        }
        const ZoneSegment before = zone_.segment_at(segment.begin - kResolution);
        return std::max(from, before.wall(before.end));
    }

    bool makes_up_for_gap(const ZoneSegment& before, const ZoneSegment& after) const {
        const std::chrono::seconds gap = after.offset - before.offset;
        if (before.end < earliest_ || gap <= (interval_ ? kHarmlessGap : std::chrono::seconds{0})) {
            return false;
        }
        const std::optional<local_seconds> turn = next_turn(before.wall(before.end));
        return turn && *turn < after.wall(after.begin);
    }

    std::optional<local_seconds> next_turn(local_seconds from) const {
        const auto turn =
            quartz_time_from(cron_, Zone::utc(), sys_seconds{from.time_since_epoch()});
        if (!turn) {
            return std::nullopt;
        }
        return local_seconds{turn->time_since_epoch()};
    }

    const CronExpression& cron_;
    const Zone& zone_;
    const sys_seconds earliest_;
    const bool interval_;
};

}  // namespace

std::optional<sys_seconds>
run_once_time_from(const CronExpression& cron, const Zone& zone, sys_seconds earliest) {
    return RunOnceWalk(cron, zone, earliest).run();
}

bool is_interval(const CronExpression& cron) {
    constexpr std::size_t kHours = 24;
    for (std::size_t hour = 0; hour < kHours; ++hour) {
        if (cron.hours[hour] && cron.hours[(hour + 1) % kHours]) {
            return true;
        }
    }
    return false;
}

}  // namespace jobstrand::timers
