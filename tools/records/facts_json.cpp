#include "tools/records/facts_json.hpp"

#include "tools/output/fields.hpp"

#include <optional>
#include <string>
#include <vector>

namespace jobstrand::cli {

namespace {

using deadletter::JobFacts;
using deadletter::LimitUse;
using deadletter::NodeView;

[[nodiscard]] RecordField bound_field(std::string_view name, const std::optional<int>& bound) {
    return field_types::shown(name, bound, timers::Zone::utc());
}

[[nodiscard]] RecordField limits_field(const JobFacts& facts) {
    std::vector<std::string> limits;
    for (const LimitUse& use : facts.limits) {
        std::optional<schema::TimePoint> next;
        if (use.group.rate) {
            next = facts.now +
                   schema::until_next_starts(*use.group.rate, use.runs.used_until, facts.now);
        }
        limits.push_back(json_of(Record{
            text_field("limit", use.group.name),
            bound_field("concurrent", use.group.concurrent),
            bound_field("perNode", use.group.per_node),
            text_or_null_field("rate", use.group.rate ? schema::text_of(*use.group.rate) : ""),
            number_field("running", deadletter::running_of(use)),
            time_field("nextStart", next),
        }));
    }
    return array_field("limits", limits);
}

[[nodiscard]] RecordField group_field(const JobFacts& facts) {
    if (!facts.group) {
        return text_or_null_field("instance", {});
    }
    std::vector<std::string> siblings;
    for (const persistence::HeldSibling& sibling : facts.group->siblings) {
        siblings.push_back(json_of(Record{
            text_field("id", sibling.id),
            time_field("runningSince", sibling.since),
        }));
    }
    return record_field(
        "instance",
        {
            text_field("id", facts.group->group),
            text_or_null_field("lockOwner", facts.group->lock_owner),
            time_field("until", facts.group->until),
            array_field("jobs", siblings),
        }
    );
}

[[nodiscard]] RecordField nodes_field(const NodeView& nodes) {
    const auto count = [](std::string_view name, const NodeView::List& list) {
        return number_field(name, static_cast<std::int64_t>(list.size()));
    };
    return record_field(
        "nodes",
        {
            count("living", nodes.living),
            count("drained", nodes.drained),
            count("passive", nodes.passive),
            count("withHandler", nodes.with_type),
            count("taking", nodes.in_scope),
            count("idle", nodes.idle),
        }
    );
}

[[nodiscard]] RecordField suspended_field(const JobFacts& facts) {
    std::vector<std::string> ids;
    for (const persistence::Suspension& suspension : facts.suspended_by) {
        ids.push_back(text_field("", suspension.id).json);
    }
    return array_field("suspendedBy", ids);
}

}  // namespace

Record facts_of(const JobFacts& facts) {
    const schema::Job job = facts.placed ? facts.placed->job : schema::Job();
    return {
        time_field("now", facts.now),
        text_or_null_field("place", facts.placed ? name_of(facts.placed->place) : ""),
        text_or_null_field("handlerType", job.handler_type),
        text_or_null_field("needs", facts.needs),
        time_field("dueDate", job.due_date),
        number_field("priority", job.priority),
        text_or_null_field("lockOwner", job.lock_owner),
        time_field("lockExpirationTime", job.lock_expiration),
        time_field("runningSince", facts.running_since),
        number_field("attempts", job.attempts),
        text_or_null_field("exceptionMessage", job.exception_message),
        time_field("failedTime", job.failed_time),
        suspended_field(facts),
        group_field(facts),
        limits_field(facts),
        nodes_field(deadletter::nodes_seen_from(facts)),
    };
}

}  // namespace jobstrand::cli
