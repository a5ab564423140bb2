#include "schema/job_fields.hpp"
#include "schema/job_validation.hpp"
#include "schema/text/column_text.hpp"
#include "timers/cycle/due_text.hpp"
#include "tools/engine/conversions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

namespace jobstrand::engine {

namespace {

/// A field that the public job and ours have in common.
struct SharedField {
    std::string NewJob::*face;
    std::string schema::Job::*ours;
};

constexpr std::array kSharedFields{
    SharedField{&NewJob::handler_type, &schema::Job::handler_type},
    SharedField{&NewJob::payload, &schema::Job::payload},
    SharedField{&NewJob::retry_cycle, &schema::Job::retry_cycle},
    SharedField{&NewJob::repeat, &schema::Job::repeat},
    SharedField{&NewJob::unique_key, &schema::Job::unique_key},
    SharedField{&NewJob::correlation_id, &schema::Job::correlation_id},
    SharedField{&NewJob::trace_parent, &schema::Job::trace_parent},
    SharedField{&NewJob::process_instance_id, &schema::Job::process_instance_id},
    SharedField{&NewJob::root_process_instance_id, &schema::Job::root_process_instance_id},
    SharedField{&NewJob::process_definition_id, &schema::Job::process_definition_id},
    SharedField{&NewJob::execution_id, &schema::Job::execution_id},
    SharedField{&NewJob::element_id, &schema::Job::element_id},
    SharedField{&NewJob::element_name, &schema::Job::element_name},
    SharedField{&NewJob::category, &schema::Job::category},
    SharedField{&NewJob::tenant_id, &schema::Job::tenant_id},
    SharedField{&NewJob::scope_id, &schema::Job::scope_id},
    SharedField{&NewJob::sub_scope_id, &schema::Job::sub_scope_id},
    SharedField{&NewJob::scope_type, &schema::Job::scope_type},
    SharedField{&NewJob::scope_definition_id, &schema::Job::scope_definition_id},
    SharedField{&NewJob::deployment_id, &schema::Job::deployment_id},
    SharedField{&NewJob::job_definition_id, &schema::Job::job_definition_id},
    SharedField{&NewJob::id, &schema::Job::id},
};

/// A list of names that both have.
struct SharedList {
    std::vector<std::string> NewJob::*face;
    std::string schema::Job::*ours;
};

constexpr std::array kSharedLists{
    SharedList{&NewJob::calling_instances, &schema::Job::calling_instances},
    SharedList{&NewJob::candidate_users, &schema::Job::candidate_users},
    SharedList{&NewJob::candidate_groups, &schema::Job::candidate_groups},
};

/// Throws std::invalid_argument for what no list can have.
std::string joined(const SharedList& list, const NewJob& job) {
    const auto names = schema::joined_names(job.*list.face);
    if (!names) {
        throw std::invalid_argument(
            fmt::format("{} {}", schema::field_of(list.ours).name, names.error().message)
        );
    }
    return names.value();
}

}  // namespace

schema::Job job_of(NewJob job) {
    schema::Job ours;
    for (const SharedField& field : kSharedFields) {
        ours.*field.ours = std::move(job.*field.face);
    }
    for (const SharedList& list : kSharedLists) {
        ours.*list.ours = joined(list, job);
    }
    if (ours.scope_type.empty()) {
        ours.scope_type = schema::kOurScope;
    }
    if (job.for_external_worker) {
        ours.type = schema::kExternalWorkerType;
    }
    ours.due_date = job.due_date;
    ours.priority = job.priority;
    ours.retries = job.retries.value_or(schema::kDefaultRetries);
    ours.exclusive = job.exclusive;
    return ours;
}

std::vector<executor::UniqueJob> jobs_of(std::vector<NewJob> jobs) {
    std::vector<executor::UniqueJob> ours;
    ours.reserve(jobs.size());
    for (NewJob& job : jobs) {
        if (job.on_duplicate > OnDuplicate::replace) {
            throw std::invalid_argument("on_duplicate is none of its values");
        }
        const schema::KeyRule rule{.on_duplicate = job.on_duplicate, .period = job.unique_for};
        ours.push_back({.job = job_of(std::move(job)), .rule = rule});
    }
    return ours;
}

StoredJob stored_job_of(schema::Job job, JobPlace place) {
    StoredJob stored;
    for (const SharedField& field : kSharedFields) {
        stored.*field.face = std::move(job.*field.ours);
    }
    for (const SharedList& list : kSharedLists) {
        stored.*list.face = schema::names_in(job.*list.ours);
    }
    if (stored.scope_type == schema::kOurScope) {
        stored.scope_type.clear();
    }
    stored.for_external_worker = job.type == schema::kExternalWorkerType;
    stored.due_date = job.due_date;
    stored.priority = job.priority;
    stored.retries = job.retries;
    stored.exclusive = job.exclusive;
    stored.place = place;
    stored.attempts = job.attempts;
    stored.exception_message = std::move(job.exception_message);
    stored.series = std::move(job.series);
    stored.lock_owner = std::move(job.lock_owner);
    stored.create_time = job.create_time;
    return stored;
}

void require_sound_payload(const std::string& payload) {
    const auto problems =
        schema::problems_of_field(schema::field_of(&schema::Job::payload), {.payload = payload});
    if (!problems.empty()) {
        throw std::invalid_argument(problems.front());
    }
}

namespace {

/// Calls `use` with each field that the public series and ours have in common.
template <typename Use>
void for_each_shared_field(const Use& use) {
    use(&NewSeries::key, &schema::Series::key);
    use(&NewSeries::group, &schema::Series::group);
    use(&NewSeries::description, &schema::Series::description);
    use(&NewSeries::repeat, &schema::Series::repeat);
    use(&NewSeries::zone, &schema::Series::zone);
    use(&NewSeries::dst_rule, &schema::Series::dst_rule);
    use(&NewSeries::calendar, &schema::Series::calendar);
    use(&NewSeries::misfire, &schema::Series::misfire);
    use(&NewSeries::misfire_threshold, &schema::Series::misfire_threshold);
    use(&NewSeries::start, &schema::Series::start);
    use(&NewSeries::end, &schema::Series::end);
    use(&NewSeries::overlap, &schema::Series::overlap);
    use(&NewSeries::keep_data, &schema::Series::keep_data);
    use(&NewSeries::recovery, &schema::Series::recovery);
    use(&NewSeries::stop_on_dead_letter, &schema::Series::stop_on_dead_letter);
}

}  // namespace

schema::Series series_of(NewSeries series) {
    schema::Series ours;
    for_each_shared_field([&](auto face, auto member) { ours.*member = std::move(series.*face); });
    return ours;
}

StoredSeries to_public(persistence::SeriesSummary summary) {
    schema::Series& ours = summary.series;
    StoredSeries stored;
    for_each_shared_field([&](auto face, auto member) { stored.*face = std::move(ours.*member); });
    stored.turn.handler_type = std::move(ours.handler_type);
    stored.turn.retries = ours.retries;
    stored.turn.due_date = ours.next_fire;
    stored.state = summary.condition;
    stored.turn_id = std::move(ours.turn_id);
    stored.fired = ours.fire_count;
    stored.last_turn = ours.previous_fire;
    stored.create_time = ours.create_time;
    stored.complaint = std::move(summary.complaint);
    return stored;
}

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

namespace {

[[nodiscard]] bool names_calendar(const NewJob& job) {
    return !job.due.empty() && !job.due_calendar.empty();
}

void resolve(NewJob& job, schema::TimePoint now, const schema::CalendarTexts& calendars) {
    if (job.due_date) {
        throw std::invalid_argument("due and due_date exclude each other");
    }
    const timers::DueText text{
        .text = std::exchange(job.due, {}), .zone = job.due_zone, .calendar = job.due_calendar};
    const auto date = timers::due_date_of(text, calendars, now);
    if (!date) {
        throw std::invalid_argument(fmt::format("due \"{}\": {}", text.text, date.error().message));
    }
    job.due_date = date.value();
}

}  // namespace

void resolve_due_texts(
    std::span<NewJob> jobs,
    schema::TimePoint now,
    const std::function<schema::CalendarTexts()>& calendars
) {
    const auto texts =
        std::ranges::any_of(jobs, names_calendar) ? calendars() : schema::CalendarTexts();
    for (NewJob& job : jobs) {
        if (!job.due.empty()) {
            resolve(job, now, texts);
        }
    }
}

void resolve_due_texts(std::span<NewJob> jobs, Wiring& wiring) {
    resolve_due_texts(jobs, wiring.clock().now(), [&wiring] { return wiring.calendar_texts(); });
}

}  // namespace jobstrand::engine
