#pragma once

#include "schema/series.hpp"
#include "schema/text/time_text.hpp"
#include "timers/cron/cron_expression.hpp"
#include "timers/cron/cron_schedule.hpp"
#include "timers/zone/zone.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Times as the tests of this folder write and compare them: ISO 8601 texts.
namespace jobstrand::timers {

inline schema::TimePoint at(std::string_view text) {
    const auto instant = schema::parse_instant(text);
    EXPECT_TRUE(instant) << text << ": " << (instant ? "" : instant.error().message);
    return instant ? instant.value() : schema::TimePoint{};
}

inline Zone zone_named(std::string_view name) {
    const auto zone = Zone::find(name);
    EXPECT_TRUE(zone) << name;
    return zone ? zone.value() : Zone::utc();
}

inline schema::Series a_series(std::string repeat, std::string misfire = "") {
    schema::Series series;
    series.key = "s";
    series.handler_type = "mail";
    series.repeat = std::move(repeat);
    series.misfire = std::move(misfire);
    return series;
}

inline CronExpression cron(std::string_view text) {
    const auto expression = parse_cron(text);
    EXPECT_TRUE(expression) << text << ": " << (expression ? "" : expression.error().message);
    return expression.value();
}

inline std::string
text_of(const std::optional<schema::TimePoint>& time, const Zone& zone = Zone::utc()) {
    return time ? zone.format(*time) : "none";
}

inline std::string
texts_of(const std::vector<schema::TimePoint>& times, const Zone& zone = Zone::utc()) {
    std::string texts;
    for (const schema::TimePoint time : times) {
        texts += (texts.empty() ? "" : " ") + zone.format(time);
    }
    return texts.empty() ? "none" : texts;
}

/// The next `count` times of a cron text, one after the other; "none" ends them.
inline std::string next_texts(
    const CronExpression& expression,
    const Zone& zone,
    schema::TimePoint after,
    int count,
    DstRule rule = DstRule::quartz
) {
    std::string texts;
    for (int i = 0; i < count; ++i) {
        const auto time = next_time(expression, zone, rule, after);
        texts += (texts.empty() ? "" : " ") + text_of(time, zone);
        if (!time) {
            break;
        }
        after = *time;
    }
    return texts;
}

}  // namespace jobstrand::timers
