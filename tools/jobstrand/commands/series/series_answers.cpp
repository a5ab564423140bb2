#include "tools/jobstrand/commands/series/series_answers.hpp"

#include "tools/jobstrand/commands/series/series_listing.hpp"
#include "tools/jobstrand/output/printable.hpp"

#include <fmt/format.h>

namespace jobstrand::cli {

using persistence::SeriesAnswer;

void report_answer(ItemReport& report, const std::string& key, SeriesAnswer answer) {
    switch (answer) {
        case SeriesAnswer::done:
            report.done(key);
            break;
        case SeriesAnswer::not_found:
            report.not_found(key, no_such(key));
            break;
        case SeriesAnswer::locked:
            report.refused(
                key, fmt::format("the next turn of {} is just being taken: try again", named(key))
            );
            break;
        case SeriesAnswer::not_ended:
            report.refused(
                key,
                fmt::format(
                    "{} has not ended: `jobstrand series end {}` first",
                    named(key),
                    quoted_if_needed(key)
                )
            );
            break;
    }
}

}  // namespace jobstrand::cli
