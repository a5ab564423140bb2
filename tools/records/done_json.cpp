#include "tools/records/done_json.hpp"

namespace jobstrand::cli {

namespace {

[[nodiscard]] std::optional<std::int64_t> milliseconds_of(
    const std::optional<schema::Duration>& time
) {
    return time ? std::optional<std::int64_t>(time->count()) : std::nullopt;
}

}  // namespace

const Fields<persistence::EndedRun>& done_fields() {
    using persistence::EndedRun;
    static const Fields<EndedRun> all{
        {.name = "id",
         .value = &EndedRun::job,
         .column = {.heading = "ID", .width_max = 64, .is_job_id = true},
         .place = 1},
        {.name = "place", .value = [](const EndedRun&) { return std::string(kDonePlace); }},
        {.name = "handlerType",
         .value = &EndedRun::handler_type,
         .column = {.heading = "TYPE", .width_max = 40, .rank = 1, .width_least = 10},
         .place = 2},
        {.name = "tenantId", .value = &EndedRun::tenant, .is_null_if_empty = true},
        {.name = "processInstanceId",
         .value = &EndedRun::instance,
         .column = {.heading = "INSTANCE", .rank = 6},
         .place = 7,
         .is_null_if_empty = true},
        {.name = "ended",
         .value = &EndedRun::ended,
         .column = {.heading = "ENDED", .rank = 2},
         .place = 3},
        {.name = "node",
         .value = &EndedRun::node,
         .meaning = "The lock owner that held it",
         .column = {.heading = "NODE", .width_max = 40, .rank = 7, .width_least = 8},
         .place = 8,
         .is_null_if_empty = true},
        {.name = "attempt",
         .value = &EndedRun::attempt,
         .meaning = "Which run it was, from 1",
         .column = {.heading = "ATTEMPT", .rank = 5},
         .place = 4},
        {.name = "waitedMs",
         .value = [](const EndedRun& run) { return milliseconds_of(run.waited); },
         .meaning = "From when it could have run until it began, where that is known",
         .column = {.heading = "WAITED MS", .rank = 4},
         .place = 5},
        {.name = "durationMs",
         .value = [](const EndedRun& run) { return milliseconds_of(run.duration); },
         .meaning = "Of the run, where it is known",
         .column = {.heading = "MS", .rank = 3},
         .place = 6},
        {.name = "message",
         .value = &EndedRun::message,
         .meaning = "What it said",
         .is_null_if_empty = true},
    };
    return all;
}

}  // namespace jobstrand::cli
