#include "tools/jobstrand/operations/due_parameters.hpp"

namespace jobstrand::cli {

namespace {

using Target = ParameterTarget<DueOptions>;

}  // namespace

Parameters<DueOptions> due_parameters(const char* date_meaning, const char* duration_meaning) {
    return {
        {"--due",
         Target::raw(ParameterKind::text, &DueOptions::date),
         date_meaning,
         {.unit = "TIME"}},
        {"--due-in",
         Target::raw(ParameterKind::text, &DueOptions::duration),
         duration_meaning,
         {.unit = "DURATION"}},
    };
}

const Parameters<DueOptions>& due_context_parameters() {
    static const Parameters<DueOptions> all{
        {"--zone",
         Target::raw(ParameterKind::text, &DueOptions::zone),
         "Whose wall clock the due date is on, by IANA name [UTC]",
         {.unit = "ZONE"}},
        {"--calendar",
         Target::raw(ParameterKind::text, &DueOptions::calendar),
         "Which business days count [Monday to Friday]",
         {.unit = "NAME"}},
    };
    return all;
}

}  // namespace jobstrand::cli
