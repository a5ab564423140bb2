#pragma once

#include "persistence/series_desk.hpp"
#include "tools/jobstrand/commands/item_report.hpp"

#include <string>

namespace jobstrand::cli {

/// Reports what came of a change to a series, in words.
void report_answer(ItemReport& report, const std::string& key, persistence::SeriesAnswer answer);

}  // namespace jobstrand::cli
