#include "schema/job_validation.hpp"

#include "schema/job_failure.hpp"
#include "schema/limits.hpp"
#include "schema/text/column_text.hpp"
#include "schema/text/trace_parent.hpp"

#include <array>
#include <set>
#include <string_view>

namespace jobstrand::schema {
namespace {

using Problems = std::vector<std::string>;

void check_payload(std::string_view payload, Problems& problems) {
    if (payload.size() > limits::kPayloadBytes) {
        problems.push_back(
            "payload is longer than " + std::to_string(limits::kPayloadBytes) + " bytes"
        );
        return;
    }
    check_text("payload", payload, limits::kPayloadBytes, problems);
}

void check_type(const Job& job, Problems& problems) {
    if (job.type != kMessageType && job.type != kTimerType && job.type != kExternalWorkerType) {
        problems.emplace_back("type must be message, timer or externalWorker");
    }
}

void check_retries(const Job& job, Problems& problems) {
    if (job.retries < 0 || job.retries > limits::kRetryAttempts) {
        problems.push_back("retries must be 0 to " + std::to_string(limits::kRetryAttempts));
    }
}

void check_retry_cycle(const Job& job, Problems& problems) {
    if (job.retry_cycle.empty()) {
        return;
    }
    const auto cycle = parse_retry_cycle(job.retry_cycle);
    if (!cycle) {
        problems.push_back(
            "retryCycle: " + cycle.error().message + " at position " +
            std::to_string(cycle.error().position)
        );
    }
}

void check_due_date(const Job& job, Problems& problems) {
    if (job.due_date && (*job.due_date < kEarliestInstant || *job.due_date > kLatestInstant)) {
        problems.emplace_back("dueDate must be in the years 1970 to 9999");
    }
}

// MySQL compares without the spaces at the end, so two such keys would be the same there.
void check_unique_key(const Job& job, Problems& problems) {
    if (job.unique_key.ends_with(' ')) {
        problems.emplace_back("uniqueKey may have no space at its end");
    }
    if (!job.unique_key.empty() && !job.repeat.empty()) {
        problems.emplace_back(
            "uniqueKey does not go with repeat: the key of the series is unique already"
        );
    }
}

void check_trace_parent(const Job& job, Problems& problems) {
    if (!job.trace_parent.empty() && !parse_trace_parent(job.trace_parent)) {
        problems.emplace_back(
            "traceparent must be as W3C Trace Context says: 00-TRACE-PARENT-FLAGS, with 32, 16 and "
            "2 lower-case hexadecimal digits"
        );
    }
}

void check_names(const JobField& field, std::string_view list, Problems& problems) {
    check_text(field.name, list, limits::kNameListLength, problems);
    const std::vector<std::string> names = names_in(list);
    if (names.size() > limits::kNamesOfList) {
        problems.push_back(
            std::string(field.name) + " has more than " + std::to_string(limits::kNamesOfList) +
            " names"
        );
        return;
    }
    for (const std::string& name : names) {
        const std::string told = std::string(field.name) + ": a name";
        if (field.is_about(&Job::calling_instances)) {
            check_app_id(told, name, problems);
        } else {
            check_text(told, name, field.most_characters, problems);
        }
    }
}

void check_candidates(const Job& job, Problems& problems) {
    const bool is_any = !job.candidate_users.empty() || !job.candidate_groups.empty();
    if (is_any && job.type != kExternalWorkerType) {
        problems.emplace_back("candidateUsers and candidateGroups go with a job of external workers"
        );
    }
}

void check_calling_instances(const Job& job, Problems& problems) {
    const std::vector<std::string> calling = names_in(job.calling_instances);
    std::set<std::string_view> instances{job.process_instance_id};
    for (const std::string& instance : calling) {
        if (!instances.insert(instance).second) {
            problems.push_back("callingInstances: " + instance + " cannot call itself");
        }
    }
    if (!calling.empty() && job.process_instance_id.empty()) {
        problems.emplace_back("callingInstances go with processInstanceId");
    }
}

/// What the columns of texts take by themselves.
std::size_t most_characters(const JobField& field) {
    if (field.most_characters > 0) {
        return field.most_characters;
    }
    return field.column.kind == ColumnKind::message ? limits::kInlinePayloadLength
                                                    : limits::kNameLength;
}

/// What the list of fields says about one: a visitor for the types of members. Numbers and times
/// fit their columns.
struct CheckMember {
    const JobField& field;
    const Job& job;
    Problems& problems;

    void operator()(std::string Job::*member) const {
        const std::string& text = job.*member;
        if (field.must_be_given && text.empty()) {
            problems.push_back(std::string(field.name) + " must be given");
        }
        if (field.is_about(&Job::payload)) {
            check_payload(text, problems);
        } else if (field.is_list()) {
            check_names(field, text, problems);
        } else if (field.column.kind == ColumnKind::id) {
            check_id(field.name, text, problems);
        } else if (field.column.kind == ColumnKind::app_id) {
            check_app_id(field.name, text, problems);
        } else {
            check_text(field.name, text, most_characters(field), problems);
        }
    }
    void operator()(int Job::*) const {}
    void operator()(std::int64_t Job::*) const {}
    void operator()(bool Job::*) const {}
    void operator()(std::optional<TimePoint> Job::*) const {}
};

/// What a field must be besides: a rule of its own.
struct Rule {
    JobMember member;
    void (*check)(const Job& job, Problems& problems);
};

constexpr std::array kRules{
    Rule{&Job::type, check_type},
    Rule{&Job::retries, check_retries},
    Rule{&Job::retry_cycle, check_retry_cycle},
    Rule{&Job::due_date, check_due_date},
    Rule{&Job::unique_key, check_unique_key},
    Rule{&Job::trace_parent, check_trace_parent},
    Rule{&Job::calling_instances, check_calling_instances},
    Rule{&Job::candidate_users, check_candidates},
};

void check_field(const JobField& field, const Job& job, Problems& problems) {
    std::visit(CheckMember{field, job, problems}, field.member);
    for (const Rule& rule : kRules) {
        if (field.is_about(rule.member)) {
            rule.check(job, problems);
        }
    }
}

}  // namespace

std::vector<std::string> problems_of(const Job& job) {
    Problems problems;
    for (const JobField& field : job_fields()) {
        check_field(field, job, problems);
    }
    return problems;
}

std::vector<std::string> problems_of_field(const JobField& field, const Job& job) {
    Problems problems;
    check_field(field, job, problems);
    return problems;
}

std::vector<std::string> problems_of_payload(std::string_view payload) {
    Problems problems;
    check_payload(payload, problems);
    return problems;
}

}  // namespace jobstrand::schema
