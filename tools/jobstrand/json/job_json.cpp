#include "tools/jobstrand/json/job_json.hpp"

#include "schema/iso8601.hpp"
#include "schema/job_validation.hpp"
#include "schema/limits.hpp"
#include "timers/series_rules.hpp"
#include "tools/jobstrand/json/json_text.hpp"
#include "tools/jobstrand/output/printable.hpp"
#include "tools/jobstrand/settings/nearest_name.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <concepts>
#include <limits>
#include <optional>

namespace jobstrand::cli {

namespace {

using schema::Job;
using schema::JobPlace;

constexpr std::string_view kNull = "null";

[[nodiscard]] RecordField
time_field(std::string_view name, const std::optional<schema::TimePoint>& time) {
    return text_or_null_field(name, time ? schema::format_instant(*time) : std::string());
}

[[nodiscard]] RecordField payload_field(const std::string& payload) {
    if (payload.empty() || !problem_of_json(payload).empty()) {
        return text_or_null_field("payload", payload);
    }
    return {.name = "payload", .json = on_one_line(payload), .text = payload};
}

/// Reads one member into a job. Returns what is wrong; empty: nothing.
using ReadMember = std::string (*)(std::string_view value, Job& job);

template <std::string Job::*Member>
[[nodiscard]] std::string read_text(std::string_view value, Job& job) {
    const auto text = string_of(value);
    if (!text) {
        return text.error().message;
    }
    job.*Member = text.value();
    return {};
}

template <std::integral Number>
[[nodiscard]] std::string
read_number(std::string_view value, std::int64_t least, std::int64_t most, Number& number) {
    std::int64_t read = 0;
    const char* const end = value.data() + value.size();
    const auto [stop, error] = std::from_chars(value.data(), end, read);
    if (error != std::errc{} || stop != end || read < least || read > most) {
        return fmt::format("must be a whole number, {} to {}", least, most);
    }
    number = static_cast<Number>(read);
    return {};
}

[[nodiscard]] std::string read_retries(std::string_view value, Job& job) {
    return read_number(value, 1, schema::limits::kRetryAttempts, job.retries);
}

[[nodiscard]] std::string read_priority(std::string_view value, Job& job) {
    using Limits = std::numeric_limits<std::int64_t>;
    return read_number(value, Limits::min(), Limits::max(), job.priority);
}

[[nodiscard]] std::string read_exclusive(std::string_view value, Job& job) {
    if (value != "true" && value != "false") {
        return "must be true or false";
    }
    job.exclusive = value == "true";
    return {};
}

[[nodiscard]] std::string read_due_date(std::string_view value, Job& job) {
    const auto text = string_of(value);
    if (!text) {
        return text.error().message;
    }
    const auto due = schema::parse_instant(text.value());
    if (!due) {
        return due.error().message;
    }
    job.due_date = due.value();
    return {};
}

/// A text that is wrong is refused here, where the line of the file is known.
[[nodiscard]] std::string read_repeat(std::string_view value, Job& job) {
    const auto text = string_of(value);
    if (!text) {
        return text.error().message;
    }
    job.repeat = text.value();
    schema::Series series;
    series.repeat = job.repeat;
    const auto rules = timers::read_rules(series, {});
    return rules ? std::string()
                 : fmt::format(
                       "is wrong at position {}: {}", rules.error().position, rules.error().message
                   );
}

[[nodiscard]] std::string read_payload(std::string_view value, Job& job) {
    job.payload = value;
    return {};
}

[[nodiscard]] std::string read_place(std::string_view value, Job& job) {
    const auto name = string_of(value);
    if (!name) {
        return name.error().message;
    }
    if (name.value() == name_of(JobPlace::external_worker)) {
        job.type = schema::kExternalWorkerType;
        return {};
    }
    const bool is_of_new =
        name.value() == name_of(JobPlace::executable) || name.value() == name_of(JobPlace::timer);
    return is_of_new ? "" : "of a new job must be executable, timer or external";
}

[[nodiscard]] std::string not_yet(std::string_view, Job&) {
    return "is not supported yet: leave it out";
}

[[nodiscard]] std::string ignore(std::string_view, Job&) {
    return {};
}

struct KnownMember {
    std::string_view name;
    ReadMember read;
};

constexpr std::array kMembers{
    KnownMember{"id", read_text<&Job::id>},
    KnownMember{"correlationId", read_text<&Job::correlation_id>},
    KnownMember{"place", read_place},
    KnownMember{"handlerType", read_text<&Job::handler_type>},
    KnownMember{"payload", read_payload},
    KnownMember{"dueDate", read_due_date},
    KnownMember{"repeat", read_repeat},
    KnownMember{"retries", read_retries},
    KnownMember{"retryCycle", read_text<&Job::retry_cycle>},
    KnownMember{"priority", read_priority},
    KnownMember{"processInstanceId", read_text<&Job::process_instance_id>},
    KnownMember{"rootProcessInstanceId", read_text<&Job::root_process_instance_id>},
    KnownMember{"processDefinitionId", read_text<&Job::process_definition_id>},
    KnownMember{"executionId", read_text<&Job::execution_id>},
    KnownMember{"elementId", read_text<&Job::element_id>},
    KnownMember{"elementName", read_text<&Job::element_name>},
    KnownMember{"category", read_text<&Job::category>},
    KnownMember{"tenantId", read_text<&Job::tenant_id>},
    KnownMember{"exclusive", read_exclusive},
    KnownMember{"uniqueKey", not_yet},
    KnownMember{"createTime", ignore},
    KnownMember{"lockOwner", ignore},
    KnownMember{"lockExpirationTime", ignore},
    KnownMember{"exceptionMessage", ignore},
};

[[nodiscard]] std::string unknown_member(std::string_view name) {
    std::array<std::string_view, kMembers.size()> names;
    std::transform(kMembers.begin(), kMembers.end(), names.begin(), [](const KnownMember& known) {
        return known.name;
    });
    return fmt::format(
        "a job has no field {}; did you mean {}?", printable(name), nearest_name(name, names)
    );
}

/// Empty: nothing is wrong.
[[nodiscard]] std::string read_member(const JsonMember& member, Job& job) {
    for (const KnownMember& known : kMembers) {
        if (known.name != member.name) {
            continue;
        }
        const std::string problem =
            member.value == kNull ? std::string() : known.read(member.value, job);
        return problem.empty() ? problem : fmt::format("{} {}", known.name, problem);
    }
    return unknown_member(member.name);
}

}  // namespace

Record record_of(const schema::PlacedJob& placed) {
    const Job& job = placed.job;
    return {
        text_field("id", job.id),
        text_or_null_field("correlationId", job.correlation_id),
        text_field("place", name_of(placed.place)),
        text_or_null_field("handlerType", job.handler_type),
        payload_field(job.payload),
        time_field("dueDate", job.due_date),
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
        time_field("createTime", job.create_time),
        text_or_null_field("lockOwner", job.lock_owner),
        time_field("lockExpirationTime", job.lock_expiration),
        text_or_null_field("exceptionMessage", job.exception_message),
    };
}

JobFromJson job_from_json(std::string_view text) {
    JobFromJson read;
    const auto members = members_of(text);
    if (!members) {
        read.problems.push_back(members.error().message);
        return read;
    }
    for (const JsonMember& member : members.value()) {
        if (std::string problem = read_member(member, read.job); !problem.empty()) {
            read.problems.push_back(std::move(problem));
        }
    }
    if (read.problems.empty()) {
        read.problems = schema::problems_of(read.job);
    }
    return read;
}

}  // namespace jobstrand::cli
