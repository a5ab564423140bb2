#include "tools/service/api/job_reader.hpp"

#include "schema/text/trace_parent.hpp"
#include "timers/cycle/due_text.hpp"
#include "tools/operations/job/job_checks.hpp"
#include "tools/records/job_json.hpp"

#include <optional>
#include <utility>

namespace jobstrand::service {

namespace {

void require_in_scope(const executor::NewJob& wanted, const Scope& scope) {
    scope.require(wanted.job.handler_type, wanted.job.tenant_id);
    // There is one of a name for all: it could keep out or replace a job that is left out, or tell
    // of it.
    if (scope.is_narrow() && !wanted.job.unique_key.empty()) {
        throw OutOfScope("this token has topics or tenants, and unique keys are one for all");
    }
}

}  // namespace

ReadJob JobReader::read(std::string_view json, const Scope& scope, const std::string& traceparent) {
    cli::JobFromJson read = cli::job_from_json(json);
    if (read.content.job.trace_parent.empty()) {
        read.content.job.trace_parent = traceparent;
    }
    const bool needs_calendars = read.due || read.content.repeats();
    cli::JobCheckContext context{.settings = parts_.settings, .calendars = {}, .now = {}};
    if (needs_calendars && read.problems.empty()) {
        context.calendars = calendars();
        context.now = parts_.engine.clock().now();
    }
    if (read.due && read.problems.empty()) {
        const auto date = timers::due_date_of(*read.due, context.calendars, context.now);
        if (date) {
            read.content.job.due_date = date.value();
        } else {
            read.problems.push_back("dueDate: " + date.error().message);
        }
    }
    if (read.problems.empty()) {
        read.problems = cli::problems_of_new(read.content, context);
    }
    if (read.problems.empty()) {
        require_in_scope(read.content, scope);
    }
    return {.job = std::move(read.content), .problems = std::move(read.problems)};
}

const schema::CalendarTexts& JobReader::calendars() {
    if (!calendars_) {
        calendars_ = parts_.engine.calendar_texts();
    }
    return *calendars_;
}

std::string traceparent_of(const Request& request) {
    const auto parent = request.count_headers("traceparent") == 1
                            ? schema::parse_trace_parent(request.header("traceparent"))
                            : std::nullopt;
    return parent ? schema::text_of(*parent) : "";
}

}  // namespace jobstrand::service
