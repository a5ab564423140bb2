#include "timers/zone/zone.hpp"

#include "timers/zone/zone_rule.hpp"

#include <date/tz.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <stdexcept>

namespace jobstrand::timers {
namespace {

/// Where the date library finds its zones on Linux.
constexpr const char* kZoneFolder = "/usr/share/zoneinfo/";

/// The last line of a zone's file. The date library reads the listed changes only: files list them
/// up to 2037, and compact ones to the last change of the law.
std::shared_ptr<const ZoneRule> read_rule(const std::string& name) {
    std::ifstream file(kZoneFolder + name, std::ios::binary);
    std::string content(std::istreambuf_iterator<char>(file), {});
    if (!content.ends_with('\n')) {
        return nullptr;
    }
    content.pop_back();
    const auto rule = parse_zone_rule(std::string_view(content).substr(content.rfind('\n') + 1));
    return rule ? std::make_shared<const ZoneRule>(rule.value()) : nullptr;
}

/// Read once per zone, as the date library reads its own part: both stay as they are until the
/// program ends.
std::shared_ptr<const ZoneRule> known_rule(const std::string& name) {
    static std::mutex mutex;
    static std::map<std::string, std::shared_ptr<const ZoneRule>> rules;
    const std::lock_guard lock(mutex);
    const auto found = rules.find(name);
    return found != rules.end() ? found->second
                                : rules.emplace(name, read_rule(name)).first->second;
}

char folded(char c) {
    return c == ' ' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

/// Whether `written` is `name`, or its part behind the last slash, in other capitals.
bool resembles(std::string_view written, std::string_view name) {
    if (written.size() > name.size()) {
        return false;
    }
    const std::size_t start = name.size() - written.size();
    const bool from_a_part = start == 0 || name[start - 1] == '/';
    return from_a_part && std::ranges::equal(written, name.substr(start), {}, folded, folded);
}

schema::ParseError unknown_zone(std::string_view name) {
    // What is not plain text may not be fit for a terminal or for JSON.
    const bool plain = std::ranges::all_of(name, [](char c) { return c >= ' ' && c <= '~'; });
    const std::string message =
        plain ? fmt::format("there is no time zone '{}'", name) : "there is no such time zone";
    for (const date::time_zone& zone : date::get_tzdb().zones) {
        if (!name.empty() && resembles(name, zone.name())) {
            return {message + fmt::format("; do you mean {}?", zone.name()), 0};
        }
    }
    return {message + "; zones have names such as Europe/Berlin or UTC", 0};
}

ZoneSegment listed_segment(const date::time_zone& zone, std::chrono::sys_seconds instant) {
    const date::sys_info info = zone.get_info(instant);
    return {std::max(info.begin, kBeginOfTime), std::min(info.end, kEndOfTime), info.offset};
}

std::string format_offset(std::chrono::seconds offset) {
    const std::chrono::hh_mm_ss parts(offset);
    std::string text = fmt::format(
        "{}{:02}:{:02}",
        parts.is_negative() ? '-' : '+',
        parts.hours().count(),
        parts.minutes().count()
    );
    // Only local mean times of the nineteenth century have seconds.
    if (parts.seconds().count() != 0) {
        text += fmt::format(":{:02}", parts.seconds().count());
    }
    return text;
}

}  // namespace

Zone Zone::utc() {
    return Zone(nullptr, nullptr);
}

schema::ParseResult<Zone> Zone::find(std::string_view name) {
    if (name == "UTC") {
        return utc();
    }
    // The date library has no other way to say no, also when there is no database at all.
    try {
        const date::time_zone* listed = date::locate_zone(name);
        return Zone(listed, known_rule(listed->name()));
    } catch (const std::runtime_error&) {
        return unknown_zone(name);
    }
}

const std::string& Zone::name() const {
    static const std::string kUtc = "UTC";
    return listed_ == nullptr ? kUtc : listed_->name();
}

ZoneSegment Zone::segment_at(std::chrono::sys_seconds instant) const {
    if (listed_ == nullptr) {
        return {kBeginOfTime, kEndOfTime, std::chrono::seconds{0}};
    }
    const ZoneSegment listed = listed_segment(*listed_, instant);
    if (rule_ == nullptr || listed.end != kEndOfTime) {
        return listed;
    }
    const ZoneSegment ruled = rule_->segment_at(instant);
    return {std::max(listed.begin, ruled.begin), ruled.end, ruled.offset};
}

std::chrono::sys_seconds Zone::to_instant(std::chrono::local_seconds wall, Twice twice) const {
    // No offset is larger than a day and no change skips more: the search begins behind both.
    const std::chrono::sys_seconds near{wall.time_since_epoch()};
    ZoneSegment segment = segment_at(near + std::chrono::days{2});
    while (wall < segment.wall(segment.begin) && segment.begin > kBeginOfTime) {
        segment = segment_at(segment.begin - std::chrono::seconds{1});
    }
    if (twice == Twice::first && segment.begin > kBeginOfTime) {
        const ZoneSegment before = segment_at(segment.begin - std::chrono::seconds{1});
        if (wall < before.wall(before.end)) {
            return before.instant(wall);
        }
    }
    return segment.instant(wall);
}

std::string Zone::format(schema::TimePoint instant) const {
    const auto seconds = std::chrono::floor<std::chrono::seconds>(instant);
    const ZoneSegment segment = segment_at(seconds);
    const auto wall = segment.wall(seconds);
    const auto day = std::chrono::floor<std::chrono::days>(wall);
    const std::chrono::year_month_day date{day};
    const std::chrono::hh_mm_ss time(wall - day);
    std::string text = fmt::format(
        "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}",
        int{date.year()},
        unsigned{date.month()},
        unsigned{date.day()},
        time.hours().count(),
        time.minutes().count(),
        time.seconds().count()
    );
    if (instant != seconds) {
        text += fmt::format(".{:03}", (instant - seconds).count());
    }
    return text + (listed_ == nullptr ? "Z" : format_offset(segment.offset));
}

}  // namespace jobstrand::timers
