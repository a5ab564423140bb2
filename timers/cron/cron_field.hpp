#pragma once

#include "schema/text/parsing.hpp"

#include <span>
#include <string_view>
#include <vector>

namespace jobstrand::timers {

/// What may stand in one field of a cron text, which is in capitals.
struct CronField {
    std::string_view name;  ///< `hour`, for messages.
    int first;
    int last;
    int cycle;         ///< What a wrapping range goes round: 24 hours; 0: ranges do not wrap.
    int longest_step;  ///< 0: any. Quartz does not check it behind a range.
    std::span<const std::string_view> names = {};  ///< In full; the first three letters suffice.
    int first_named = 0;                           ///< The number that the first name stands for.
    bool steps_behind_names = true;                ///< Quartz would ignore such a step.
};

/// A number or a name as it was written.
struct CronValue {
    int number = 0;
    bool named = false;
    std::size_t position = 0;
};

[[nodiscard]] CronValue read_cron_value(schema::TextScanner& scanner, const CronField& field);

/// What follows `first`, if anything: `-last`, `/step`. All values that are meant, in no order.
[[nodiscard]] std::vector<int>
read_cron_range(schema::TextScanner& scanner, const CronField& field, const CronValue& first);

/// One member of a list: `*`, `*/5`, `/5`, `3`, `3/5`, `3-9`, `3-9/2`.
[[nodiscard]] std::vector<int> read_cron_item(schema::TextScanner& scanner, const CronField& field);

/// Cron texts are cut into fields at blanks.
[[nodiscard]] constexpr bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/// Whether the next character ends a field.
[[nodiscard]] bool at_field_end(const schema::TextScanner& scanner);

/// Reads a field whose members are plain values only.
[[nodiscard]] std::vector<int> read_cron_list(schema::TextScanner& scanner, const CronField& field);

/// A member of a list has ended: consumes the comma if another one follows, else answers false.
bool next_cron_item(schema::TextScanner& scanner);

}  // namespace jobstrand::timers
