#include "tools/operations/doctor/series_health.hpp"

#include "schema/text/iso8601.hpp"
#include "timers/series/due_check.hpp"
#include "tools/text/terminal_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>

namespace jobstrand::cli {

namespace {

/// Series that are named.
constexpr std::size_t kSeriesNamed = 10;

}  // namespace

void check_series(const schema::Page<schema::Series>& waiting, Findings& findings) {
    std::vector<std::string> named;
    std::size_t differing = 0;
    for (const schema::Series& series : waiting.items) {
        if (!timers::is_due_by_text(series) && ++differing <= kSeriesNamed) {
            named.push_back(fmt::format(
                "{} ({}, {}) at {}",
                quoted_if_needed(series.key),
                series.repeat,
                series.zone,
                schema::format_instant(*series.next_fire)
            ));
        }
    }
    const std::size_t looked_at = waiting.items.size();
    if (differing == 0) {
        findings.push_back(
            {.check = "series",
             .text = fmt::format(
                 "{}{} wait for the times that their texts name",
                 waiting.has_more ? "the first " : "",
                 looked_at
             )}
        );
        return;
    }
    const std::string more =
        differing > kSeriesNamed ? fmt::format(", and {} more", differing - kSeriesNamed) : "";
    findings.push_back(
        {.check = "series",
         .level = FindingLevel::note,
         .text = fmt::format(
             "{}{} wait for a time that their texts do not name by the rules of their zones as "
             "they are now: {}{}",
             differing,
             waiting.has_more ? fmt::format(" of the first {}", looked_at) : "",
             fmt::join(named, "; "),
             more
         ),
         .advice = "unless somebody has chosen these dates: jobstrand series reschedule KEY "
                   "--repeat TEXT with the same text computes the turn anew"}
    );
}

}  // namespace jobstrand::cli
