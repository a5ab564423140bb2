#include "tools/records/rate_fields.hpp"

#include <chrono>

namespace jobstrand::cli {

namespace {

using schema::RunSums;

[[nodiscard]] FieldValue<RunSums> percentile_of(schema::TimeHistogram RunSums::*times, double at) {
    return [times, at](const RunSums& sums) { return (sums.*times).percentile(at); };
}

[[nodiscard]] const Fields<RunSums>& sums_fields() {
    static const Fields<RunSums> all{
        {.name = "begun",
         .value = &RunSums::begun,
         .meaning = "Jobs whose first attempt began",
         .column = {.heading = "BEGUN"}},
        {.name = "completed",
         .value = &RunSums::completed,
         .meaning = "Attempts that succeeded",
         .column = {.heading = "COMPLETED"}},
        {.name = "failed",
         .value = &RunSums::failed,
         .meaning = "Attempts that failed",
         .column = {.heading = "FAILED"}},
        {.name = "dead",
         .value = &RunSums::dead,
         .meaning = "Jobs that became dead letters",
         .column = {.heading = "DEAD"}},
        {.name = "waitP50",
         .value = percentile_of(&RunSums::waited, 0.5),
         .meaning = "Seconds that attempts waited from when they could run: half of them no longer",
         .column = {.heading = "WAIT P50", .rank = 2}},
        {.name = "waitP95",
         .value = percentile_of(&RunSums::waited, 0.95),
         .meaning = "95 % of them no longer",
         .column = {.heading = "WAIT P95", .rank = 1}},
        {.name = "waitP99",
         .value = percentile_of(&RunSums::waited, 0.99),
         .meaning = "99 % of them no longer",
         .column = {.heading = "WAIT P99", .rank = 3}},
        {.name = "runP50",
         .value = percentile_of(&RunSums::ran, 0.5),
         .meaning = "Seconds that attempts took: half of them no longer",
         .column = {.heading = "RUN P50", .rank = 2}},
        {.name = "runP95",
         .value = percentile_of(&RunSums::ran, 0.95),
         .meaning = "95 % of them no longer",
         .column = {.heading = "RUN P95", .rank = 1}},
        {.name = "runP99",
         .value = percentile_of(&RunSums::ran, 0.99),
         .meaning = "99 % of them no longer",
         .column = {.heading = "RUN P99", .rank = 3}},
    };
    return all;
}

}  // namespace

const Fields<RatePoint>& rate_fields() {
    static const Fields<RatePoint> all = joined(
        Fields<RatePoint>{
            {.name = "time",
             .value = [](const RatePoint& point) { return point.span.at; },
             .meaning = "When the span begins",
             .column = {.heading = "TIME"}},
            {.name = "seconds",
             .value =
                 [](const RatePoint& point) {
                     return std::chrono::duration_cast<std::chrono::seconds>(point.length).count();
                 },
             .meaning = "How long it is; the last one may still be under way",
             .column = {.heading = "SECONDS"}},
        },
        fields_of_part<RatePoint>(
            sums_fields(), [](const RatePoint& point) -> const RunSums& { return point.span.sums; }
        )
    );
    return all;
}

const Fields<TypeRates>& type_rates_fields() {
    static const Fields<TypeRates> all = joined(
        Fields<TypeRates>{
            {.name = "type",
             .value = &TypeRates::type,
             .meaning = "The handler type; empty: those behind the first hundred of a span",
             .column = {.heading = "TYPE", .width_max = 64}},
        },
        fields_of_part<TypeRates>(sums_fields(), &TypeRates::sums)
    );
    return all;
}

}  // namespace jobstrand::cli
