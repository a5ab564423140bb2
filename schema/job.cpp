#include "schema/job.hpp"

#include <algorithm>

namespace jobstrand {

std::string_view name_of(JobPlace place) {
    switch (place) {
        case JobPlace::executable:
            return "executable";
        case JobPlace::timer:
            return "timer";
        case JobPlace::suspended:
            return "suspended";
        case JobPlace::dead_letter:
            return "dead";
        case JobPlace::external_worker:
            return "external";
    }
    return {};
}

namespace schema {

std::string_view table_of(JobPlace place) {
    switch (place) {
        case JobPlace::executable:
            return "ACT_RU_JOB";
        case JobPlace::timer:
            return "ACT_RU_TIMER_JOB";
        case JobPlace::suspended:
            return "ACT_RU_SUSPENDED_JOB";
        case JobPlace::dead_letter:
            return "ACT_RU_DEADLETTER_JOB";
        case JobPlace::external_worker:
            return "ACT_RU_EXTERNAL_JOB";
    }
    return {};
}

std::optional<JobPlace> place_named(std::string_view name) {
    for (const JobPlace place : kJobPlaces) {
        if (name_of(place) == name) {
            return place;
        }
    }
    return std::nullopt;
}

bool can_be_suspended(JobPlace place) {
    return std::ranges::find(kSuspendablePlaces, place) != kSuspendablePlaces.end();
}

bool holds_jobs(std::string_view table) {
    return std::ranges::find(kJobPlaces, table, table_of) != kJobPlaces.end();
}

bool has_lock(JobPlace place) {
    return place == JobPlace::executable || place == JobPlace::timer ||
           place == JobPlace::external_worker;
}

}  // namespace schema

}  // namespace jobstrand
