#include "schema/series.hpp"

#include "schema/limits.hpp"
#include "schema/text/column_text.hpp"

#include <array>

namespace jobstrand::schema {
namespace {

constexpr std::array kStates{SeriesState::waiting, SeriesState::running, SeriesState::ended};

}  // namespace

std::string_view name_of(SeriesState state) {
    switch (state) {
        case SeriesState::waiting:
            return "waiting";
        case SeriesState::running:
            return "running";
        case SeriesState::ended:
            return "ended";
    }
    return {};
}

std::optional<SeriesState> series_state_named(std::string_view name) {
    for (const SeriesState state : kStates) {
        if (name_of(state) == name) {
            return state;
        }
    }
    return std::nullopt;
}

Series series_of(const Job& first_turn) {
    Series series;
    series.key = series_key_of(first_turn);
    series.handler_type = first_turn.handler_type;
    series.repeat = first_turn.repeat;
    series.retries = first_turn.attempts == 0 ? first_turn.retries : kDefaultRetries;
    return series;
}

void keep_of_turn(Series& series, const Job& turn) {
    series.priority = turn.priority;
    series.retry_cycle = turn.retry_cycle;
    series.root_process_instance_id = turn.root_process_instance_id;
}

void give_back_to_turn(const Series& series, Job& turn) {
    turn.series = series.key;
    turn.priority = series.priority;
    turn.retry_cycle = series.retry_cycle;
    turn.root_process_instance_id = series.root_process_instance_id;
}

std::vector<std::string> problems_of(const Series& series) {
    std::vector<std::string> problems;
    check_id("series", series.key, problems);
    check_id("group", series.group, problems);
    check_id("calendar", series.calendar, problems);
    check_text("description", series.description, limits::kNameLength, problems);
    check_text("handlerType", series.handler_type, limits::kNameLength, problems);
    check_text("repeat", series.repeat, limits::kNameLength, problems);
    check_text("zone", series.zone, limits::kNameLength, problems);
    if (series.group.empty()) {
        problems.emplace_back("group must not be empty");
    }
    if (series.retries < 0 || series.retries > limits::kRetryAttempts) {
        problems.push_back("retries must be 0 to " + std::to_string(limits::kRetryAttempts));
    }
    for (const auto& time : {series.start, series.end}) {
        if (time && (*time < kEarliestInstant || *time > kLatestInstant)) {
            problems.emplace_back("start and end must be in the years 1970 to 9999");
        }
    }
    return problems;
}

}  // namespace jobstrand::schema
