#pragma once

#include "schema/text/parsing.hpp"
#include "timers/cron/cron_days.hpp"

namespace jobstrand::timers {

/// One of the two day fields. Its part of `days` is filled in, without the rule.
struct CronDayField {
    CronDays days;
    bool open = false;  ///< It restricts nothing: `?` in Quartz, begins with `*` in Unix.
};

[[nodiscard]] CronDayField read_quartz_days_of_month(schema::TextScanner& scanner);
[[nodiscard]] CronDayField read_quartz_days_of_week(schema::TextScanner& scanner);
[[nodiscard]] CronDayField read_unix_days_of_month(schema::TextScanner& scanner);
[[nodiscard]] CronDayField read_unix_days_of_week(schema::TextScanner& scanner);

}  // namespace jobstrand::timers
