#include "tools/jobstrand/json/job_json.hpp"

#include "schema/job_validation.hpp"
#include "schema/limits.hpp"
#include "tools/jobstrand/json/json_text.hpp"
#include "tools/jobstrand/json/member_values.hpp"
#include "tools/jobstrand/json/series_json.hpp"
#include "tools/jobstrand/output/printable.hpp"
#include "tools/jobstrand/output/time_field.hpp"
#include "tools/jobstrand/settings/nearest_name.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace jobstrand::cli {

namespace {

using schema::Job;
using schema::JobPlace;

constexpr std::string_view kNull = "null";

[[nodiscard]] RecordField payload_field(const std::string& payload) {
    if (payload.empty() || !problem_of_json(payload).empty()) {
        return text_or_null_field("payload", payload);
    }
    return {.name = "payload", .json = on_one_line(payload), .text = payload};
}

/// Reads one member into a new job. Returns what is wrong; empty: nothing.
using ReadMember = std::string (*)(std::string_view value, NewJob& into);

template <std::string Job::*Member>
[[nodiscard]] std::string read_job_text(std::string_view value, NewJob& into) {
    return read_text(value, into.job.*Member);
}

[[nodiscard]] std::string read_retries(std::string_view value, NewJob& into) {
    std::int64_t retries = into.job.retries;
    std::string problem = read_whole_number(value, 1, schema::limits::kRetryAttempts, retries);
    into.job.retries = static_cast<int>(retries);
    return problem;
}

[[nodiscard]] std::string read_priority(std::string_view value, NewJob& into) {
    using Limits = std::numeric_limits<std::int64_t>;
    return read_whole_number(value, Limits::min(), Limits::max(), into.job.priority);
}

[[nodiscard]] std::string read_exclusive(std::string_view value, NewJob& into) {
    return read_flag(value, into.job.exclusive);
}

[[nodiscard]] std::string read_due_date(std::string_view value, NewJob& into) {
    return read_instant(value, into.job.due_date);
}

/// An empty one would make a job that does not repeat, which nobody means who writes the field.
[[nodiscard]] std::string read_repeat(std::string_view value, NewJob& into) {
    std::string problem = read_text(value, into.job.repeat);
    return problem.empty() && into.job.repeat.empty() ? "must not be empty" : problem;
}

[[nodiscard]] std::string read_payload(std::string_view value, NewJob& into) {
    into.job.payload = value;
    return {};
}

[[nodiscard]] std::string read_place(std::string_view value, NewJob& into) {
    const auto name = string_of(value);
    if (!name) {
        return name.error().message;
    }
    if (name.value() == name_of(JobPlace::external_worker)) {
        into.job.type = schema::kExternalWorkerType;
        return {};
    }
    const bool is_of_new =
        name.value() == name_of(JobPlace::executable) || name.value() == name_of(JobPlace::timer);
    return is_of_new ? "" : "of a new job must be executable, timer or external";
}

[[nodiscard]] std::string not_yet(std::string_view, NewJob&) {
    return "is not supported yet: leave it out";
}

[[nodiscard]] std::string ignore(std::string_view, NewJob&) {
    return {};
}

struct KnownMember {
    std::string_view name;
    ReadMember read;
};

constexpr std::array kMembers{
    KnownMember{"id", read_job_text<&Job::id>},
    KnownMember{"correlationId", read_job_text<&Job::correlation_id>},
    KnownMember{"place", read_place},
    KnownMember{"handlerType", read_job_text<&Job::handler_type>},
    KnownMember{"payload", read_payload},
    KnownMember{"dueDate", read_due_date},
    KnownMember{"repeat", read_repeat},
    KnownMember{"retries", read_retries},
    KnownMember{"retryCycle", read_job_text<&Job::retry_cycle>},
    KnownMember{"priority", read_priority},
    KnownMember{"processInstanceId", read_job_text<&Job::process_instance_id>},
    KnownMember{"rootProcessInstanceId", read_job_text<&Job::root_process_instance_id>},
    KnownMember{"processDefinitionId", read_job_text<&Job::process_definition_id>},
    KnownMember{"executionId", read_job_text<&Job::execution_id>},
    KnownMember{"elementId", read_job_text<&Job::element_id>},
    KnownMember{"elementName", read_job_text<&Job::element_name>},
    KnownMember{"category", read_job_text<&Job::category>},
    KnownMember{"tenantId", read_job_text<&Job::tenant_id>},
    KnownMember{"exclusive", read_exclusive},
    KnownMember{"uniqueKey", not_yet},
    KnownMember{"createTime", ignore},
    KnownMember{"lockOwner", ignore},
    KnownMember{"lockExpirationTime", ignore},
    KnownMember{"exceptionMessage", ignore},
    KnownMember{"series", read_job_text<&Job::series>},
};

[[nodiscard]] std::string unknown_member(std::string_view name) {
    std::vector<std::string_view> names;
    for (const KnownMember& known : kMembers) {
        names.push_back(known.name);
    }
    for (const SeriesMember& known : series_members()) {
        names.push_back(known.name);
    }
    return fmt::format(
        "a job has no field {}; did you mean {}?", printable(name), nearest_name(name, names)
    );
}

/// Reads the members of one job.
class JobReading {
public:
    void read(const JsonMember& member) {
        if (member.value == kNull) {
            refuse_unknown(member.name);
        } else if (const auto known = find(kMembers, member.name)) {
            note(member.name, known->read(member.value, result_.content));
        } else if (const auto of_series = find(series_members(), member.name)) {
            note(member.name, of_series->read(member.value, result_.content));
            if (of_series->needs_repeat) {
                settings_of_series_.push_back(member.name);
            }
        } else {
            result_.problems.push_back(unknown_member(member.name));
        }
    }

    [[nodiscard]] JobFromJson finish() {
        if (!result_.content.repeats()) {
            refuse_settings_of_no_series();
        }
        if (result_.problems.empty()) {
            result_.problems = schema::problems_of(result_.content.job);
        }
        return std::move(result_);
    }

private:
    /// nullptr: there is none of that name.
    template <typename Members>
    [[nodiscard]] static auto find(const Members& members, std::string_view name)
        -> decltype(&*members.begin()) {
        const auto found = std::ranges::find_if(members, [name](const auto& member) {
            return member.name == name;
        });
        return found == members.end() ? nullptr : &*found;
    }

    void note(const std::string& name, const std::string& problem) {
        if (!problem.empty()) {
            result_.problems.push_back(name + ' ' + problem);
        }
    }

    void refuse_unknown(const std::string& name) {
        if (find(kMembers, name) == nullptr && find(series_members(), name) == nullptr) {
            result_.problems.push_back(unknown_member(name));
        }
    }

    /// A job that does not repeat has no series to be given anything: its author forgot the repeat.
    void refuse_settings_of_no_series() {
        for (const std::string& name : settings_of_series_) {
            note(name, "goes with repeat");
        }
        if (result_.content.starts_paused) {
            note("state", "paused goes with repeat");
        }
    }

    JobFromJson result_;
    std::vector<std::string> settings_of_series_;
};

}  // namespace

Record record_of(const schema::PlacedJob& placed, const timers::Zone& zone) {
    const Job& job = placed.job;
    return {
        text_field("id", job.id),
        text_or_null_field("correlationId", job.correlation_id),
        text_field("place", name_of(placed.place)),
        text_or_null_field("handlerType", job.handler_type),
        payload_field(job.payload),
        time_field("dueDate", job.due_date, zone),
        text_or_null_field("repeat", job.repeat),
        number_field("retries", job.retries),
        text_or_null_field("retryCycle", job.retry_cycle),
        number_field("priority", job.priority),
        text_or_null_field("processInstanceId", job.process_instance_id),
        text_or_null_field("rootProcessInstanceId", job.root_process_instance_id),
        text_or_null_field("processDefinitionId", job.process_definition_id),
        text_or_null_field("executionId", job.execution_id),
        text_or_null_field("elementId", job.element_id),
        text_or_null_field("elementName", job.element_name),
        text_or_null_field("category", job.category),
        text_or_null_field("tenantId", job.tenant_id),
        flag_field("exclusive", job.exclusive),
        text_or_null_field("uniqueKey", {}),
        time_field("createTime", job.create_time, zone),
        text_or_null_field("lockOwner", job.lock_owner),
        time_field("lockExpirationTime", job.lock_expiration, zone),
        text_or_null_field("exceptionMessage", job.exception_message),
        text_or_null_field("series", job.series),
    };
}

JobFromJson job_from_json(std::string_view text) {
    const auto members = members_of(text);
    if (!members) {
        return {.content = {}, .problems = {members.error().message}};
    }
    JobReading reading;
    for (const JsonMember& member : members.value()) {
        reading.read(member);
    }
    return reading.finish();
}

}  // namespace jobstrand::cli
