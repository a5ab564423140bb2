#include "tools/engine/job_query_conversions.hpp"

#include "tools/engine/conversions.hpp"

#include <array>
#include <utility>

namespace jobstrand::engine {

namespace {

using persistence::FieldCondition;
using persistence::JobFilter;
using schema::Job;
using Match = FieldCondition::Match;

struct TextsOf {
    std::vector<std::string> JobQuery::*asked;
    std::string Job::*member;
};
constexpr std::array kTexts{
    TextsOf{&JobQuery::handler_types, &Job::handler_type},
    TextsOf{&JobQuery::process_instance_ids, &Job::process_instance_id},
    TextsOf{&JobQuery::root_process_instance_ids, &Job::root_process_instance_id},
    TextsOf{&JobQuery::process_definition_ids, &Job::process_definition_id},
    TextsOf{&JobQuery::execution_ids, &Job::execution_id},
    TextsOf{&JobQuery::element_ids, &Job::element_id},
    TextsOf{&JobQuery::categories, &Job::category},
    TextsOf{&JobQuery::tenant_ids, &Job::tenant_id},
    TextsOf{&JobQuery::correlation_ids, &Job::correlation_id},
    TextsOf{&JobQuery::unique_keys, &Job::unique_key},
    TextsOf{&JobQuery::series, &Job::series},
    TextsOf{&JobQuery::lock_owners, &Job::lock_owner},
};

struct TimeOf {
    std::optional<TimePoint> JobQuery::*asked;
    persistence::TimeMember member;
    Match match;
};
constexpr std::array kTimes{
    TimeOf{&JobQuery::due_before, &Job::due_date, Match::before},
    TimeOf{&JobQuery::due_after, &Job::due_date, Match::after},
    TimeOf{&JobQuery::created_before, &Job::create_time, Match::before},
    TimeOf{&JobQuery::created_after, &Job::create_time, Match::after},
};

[[nodiscard]] schema::JobMember member_of(JobOrder order) {
    switch (order) {
        case JobOrder::id:
            break;
        case JobOrder::due_date:
            return &Job::due_date;
        case JobOrder::create_time:
            return &Job::create_time;
        case JobOrder::priority:
            return &Job::priority;
        case JobOrder::retries:
            return &Job::retries;
        case JobOrder::handler_type:
            return &Job::handler_type;
    }
    return &Job::id;
}

/// What a list is sorted by, of the last job of a page.
[[nodiscard]] Job mark_of(const StoredJob& last) {
    return {
        .id = last.id,
        .retries = last.retries.value_or(0),
        .due_date = last.due_date,
        .handler_type = last.handler_type,
        .create_time = last.create_time,
        .priority = last.priority,
    };
}

}  // namespace

JobFilter filter_of(const JobQuery& query) {
    JobFilter filter;
    if (query.ids) {
        filter.fields.push_back(persistence::is_one_of(&Job::id, *query.ids));
    }
    for (const TextsOf& texts : kTexts) {
        if (!(query.*texts.asked).empty()) {
            filter.fields.push_back(persistence::is_one_of(texts.member, query.*texts.asked));
        }
    }
    if (!query.message.empty()) {
        filter.fields.push_back(persistence::contains(&Job::exception_message, query.message));
    }
    for (const TimeOf& time : kTimes) {
        if (const auto& asked = query.*time.asked) {
            filter.fields.push_back({time.member, time.match, *asked});
        }
    }
    const auto add = [&](schema::JobMember member, Match match, std::optional<std::int64_t> bound) {
        if (bound) {
            filter.fields.push_back({member, match, *bound});
        }
    };
    add(&Job::priority, Match::not_below, query.priority_min);
    add(&Job::priority, Match::not_above, query.priority_max);
    add(&Job::retries, Match::not_below, query.retries_min);
    add(&Job::retries, Match::not_above, query.retries_max);
    filter.locked = query.locked;
    filter.failed = query.with_exception;
    return filter;
}

persistence::SortedPart part_of(const JobQuery& query) {
    return {
        .by = member_of(query.order),
        .is_descending = query.descending,
        .limit = query.limit,
        .behind = query.behind ? std::optional(mark_of(*query.behind)) : std::nullopt,
    };
}

schema::JobDefinition definition_of(const JobDefinition& definition) {
    return {
        .name = schema::job_definition_named(definition.name),
        .priority = definition.priority,
        .retry_cycle = definition.retry_cycle,
        .category = definition.category,
        .exclusive = definition.exclusive,
        .override_priority = definition.override_priority,
    };
}

JobDefinition to_public(const schema::JobDefinition& definition) {
    return {
        .name = schema::text_of(definition.name),
        .priority = definition.priority,
        .retry_cycle = definition.retry_cycle,
        .category = definition.category,
        .exclusive = definition.exclusive,
        .override_priority = definition.override_priority,
    };
}

}  // namespace jobstrand::engine
