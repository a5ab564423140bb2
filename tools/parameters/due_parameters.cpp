#include "tools/parameters/due_parameters.hpp"

namespace jobstrand::cli {

Parameters<DueOptions> due_parameters(const char* date_meaning, const char* duration_meaning) {
    return {
        {"--due", &DueOptions::date, date_meaning, {.unit = "TIME", .may_be_empty = true}},
        {"--due-in",
         &DueOptions::duration,
         duration_meaning,
         {.unit = "DURATION", .may_be_empty = true}},
    };
}

const Parameters<DueOptions>& due_context_parameters() {
    static const Parameters<DueOptions> all{
        {"--zone",
         &DueOptions::zone,
         "Whose wall clock the due date is on, by IANA name [UTC]",
         {.unit = "ZONE", .may_be_empty = true}},
        {"--calendar",
         &DueOptions::calendar,
         "Which business days count [Monday to Friday]",
         {.unit = "NAME", .may_be_empty = true}},
    };
    return all;
}

}  // namespace jobstrand::cli
