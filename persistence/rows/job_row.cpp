#include "persistence/rows/job_row.hpp"

#include "schema/limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace jobstrand::persistence {

namespace {

using schema::Job;
using schema::JobPlace;

const std::array kFields{
    JobField{"ID_", &Job::id},
    JobField{"REV_", &Job::revision},
    JobField{"CATEGORY_", &Job::category},
    JobField{"TYPE_", &Job::type},
    JobField{"LOCK_EXP_TIME_", &Job::lock_expiration},
    JobField{"LOCK_OWNER_", &Job::lock_owner},
    JobField{"EXCLUSIVE_", &Job::exclusive},
    JobField{"EXECUTION_ID_", &Job::execution_id},
    JobField{"PROCESS_INSTANCE_ID_", &Job::process_instance_id},
    JobField{"PROC_DEF_ID_", &Job::process_definition_id},
    JobField{"ELEMENT_ID_", &Job::element_id},
    JobField{"ELEMENT_NAME_", &Job::element_name},
    JobField{"SCOPE_ID_", &Job::scope_id},
    JobField{"SUB_SCOPE_ID_", &Job::sub_scope_id},
    JobField{"SCOPE_TYPE_", &Job::scope_type},
    JobField{"SCOPE_DEFINITION_ID_", &Job::scope_definition_id},
    JobField{"CORRELATION_ID_", &Job::correlation_id},
    JobField{"RETRIES_", &Job::retries},
    JobField{"EXCEPTION_STACK_ID_", &Job::exception_stack_id},
    JobField{"EXCEPTION_MSG_", &Job::exception_message},
    JobField{"DUEDATE_", &Job::due_date},
    JobField{"REPEAT_", &Job::repeat},
    JobField{"HANDLER_TYPE_", &Job::handler_type},
    JobField{"HANDLER_CFG_", &Job::payload},
    JobField{"CUSTOM_VALUES_ID_", &Job::custom_values_id},
    JobField{"CREATE_TIME_", &Job::create_time},
    JobField{"TENANT_ID_", &Job::tenant_id},
    JobField{"PRIORITY_", &Job::priority},
    JobField{"ROOT_PROC_INST_ID_", &Job::root_process_instance_id},
    JobField{"DEPLOYMENT_ID_", &Job::deployment_id},
    JobField{"JOB_DEF_ID_", &Job::job_definition_id},
    JobField{"RETRY_CYCLE_", &Job::retry_cycle},
    JobField{"ATTEMPTS_", &Job::attempts},
    JobField{"SUSPENDED_FROM_", &Job::suspended_from},
    JobField{"SERIES_", &Job::series},
};

bool is_in(JobPlace place, const JobField& field) {
    if (field.column == "LOCK_EXP_TIME_" || field.column == "LOCK_OWNER_") {
        return schema::has_lock(place);
    }
    if (field.column == "RETRIES_") {
        return place != JobPlace::dead_letter;
    }
    return field.column != "SUSPENDED_FROM_" || place == JobPlace::suspended;
}

struct Layout {
    std::vector<JobField> fields;
    std::string columns;
};

Layout layout_of(JobPlace place) {
    Layout layout;
    for (const JobField& field : kFields) {
        if (is_in(place, field)) {
            layout.columns += layout.fields.empty() ? "" : ", ";
            layout.columns += field.column;
            layout.fields.push_back(field);
        }
    }
    return layout;
}

const Layout& known_layout_of(JobPlace place) {
    static const std::array layouts{
        layout_of(JobPlace::executable),
        layout_of(JobPlace::timer),
        layout_of(JobPlace::suspended),
        layout_of(JobPlace::dead_letter),
        layout_of(JobPlace::external_worker),
    };
    return layouts.at(static_cast<std::size_t>(place));
}

/// Without a tenant Flowable stores '', the default of the column, and asks for it.
bool is_null_when_empty(std::string Job::*member) {
    return member != &Job::tenant_id;
}

/// One value of a row: a visitor for the kinds of members.
struct ValueOf {
    const Job& job;

    Value operator()(std::string Job::*member) const {
        if (member == &Job::payload && is_stored_apart(job)) {
            return {};
        }
        return is_null_when_empty(member) ? text_or_null(job.*member)
                                          : Value{std::string_view(job.*member)};
    }
    Value operator()(int Job::*member) const { return std::int64_t{job.*member}; }
    Value operator()(std::int64_t Job::*member) const { return job.*member; }
    Value operator()(bool Job::*member) const { return job.*member; }
    Value operator()(std::optional<schema::TimePoint> Job::*member) const {
        return time_or_null(job.*member);
    }
};

/// Reads one column into a job that still has its defaults: a visitor for the kinds of members.
struct ReadColumn {
    const Row& row;
    std::size_t column;
    Job& job;

    void operator()(std::string Job::*member) const { (job.*member).assign(row.text(column)); }
    void operator()(int Job::*member) const {
        if (!row.is_null(column)) {
            job.*member = static_cast<int>(row.integer(column));
        }
    }
    void operator()(std::int64_t Job::*member) const { job.*member = row.integer(column); }
    void operator()(bool Job::*member) const {
        job.*member = row.is_null(column) || row.boolean(column);
    }
    void operator()(std::optional<schema::TimePoint> Job::*member) const {
        job.*member = row.time(column);
    }
};

/// `job` has the values of a new one.
void read_into(Job& job, const Row& row, JobPlace place) {
    if (place == JobPlace::dead_letter) {
        job.retries = 0;
    }
    std::size_t column = 0;
    for (const JobField& field : known_layout_of(place).fields) {
        std::visit(ReadColumn{row, column++, job}, field.member);
    }
}

}  // namespace

std::span<const JobField> fields_of(JobPlace place) {
    return known_layout_of(place).fields;
}

std::string_view columns_of(JobPlace place) {
    return known_layout_of(place).columns;
}

void append_row(std::vector<Value>& values, JobPlace place, const Job& job) {
    for (const JobField& field : fields_of(place)) {
        values.push_back(std::visit(ValueOf{job}, field.member));
    }
}

Job read_job(const Row& row, JobPlace place) {
    Job job;
    read_into(job, row, place);
    return job;
}

RowReader append_to(std::vector<Job>& jobs, JobPlace place) {
    // In place: to move a job is to move two dozen texts.
    return [&jobs, place](const Row& row) { read_into(jobs.emplace_back(), row, place); };
}

bool is_stored_apart(const Job& job) {
    return !job.custom_values_id.empty() && is_too_long_for_row(job.payload);
}

bool is_too_long_for_row(std::string_view payload) {
    // A text with no more bytes than that cannot have more characters.
    if (payload.size() <= schema::limits::kInlinePayloadLength) {
        return false;
    }
    const auto characters = std::count_if(payload.begin(), payload.end(), [](char byte) {
        return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
    });
    return static_cast<std::size_t>(characters) > schema::limits::kInlinePayloadLength;
}

}  // namespace jobstrand::persistence
