#include "tools/service/api/job_requests.hpp"

#include "executor/enqueue/bulk_enqueue.hpp"
#include "persistence/sql/db_error.hpp"
#include "persistence/unique_keys.hpp"
#include "schema/text/trace_parent.hpp"
#include "timers/cycle/due_text.hpp"
#include "tools/operations/job/job_enqueueing.hpp"
#include "tools/output/record.hpp"
#include "tools/records/job_json.hpp"
#include "tools/text/http_address.hpp"
#include "tools/text/json_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
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

/// Mistakes that are told one by one.
constexpr std::size_t kProblemsTold = 100;

constexpr std::string_view kBlanks = " \t\r\n";

[[nodiscard]] bool is_lines(const Request& request) {
    const std::string_view type = request.header("Content-Type");
    return !is_same_token(type.substr(0, type.find_first_of("; \t")), "application/json");
}

[[nodiscard]] std::vector<JobText> lines_of(std::string_view text) {
    std::vector<JobText> lines;
    for (std::size_t number = 1; !text.empty() && lines.size() <= kJobsPerRequest; ++number) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        if (line.find_first_not_of(kBlanks) != std::string_view::npos) {
            lines.push_back({number, line});
        }
    }
    return lines;
}

[[nodiscard]] std::vector<JobText> numbered(const std::vector<std::string_view>& items) {
    std::vector<JobText> parts;
    for (const std::string_view item : items) {
        parts.push_back({parts.size() + 1, item});
    }
    return parts;
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

std::string text_member_of(std::string_view json, std::string_view name) {
    const auto members = cli::members_of(json);
    if (!members) {
        return {};
    }
    std::string text;
    const auto found = std::ranges::find(members.value(), name, &cli::JsonMember::name);
    if (found != members.value().end()) {
        (void)cli::read_text(found->value, text);
    }
    return text;
}

std::string traceparent_of(const Request& request) {
    const auto parent = request.count_headers("traceparent") == 1
                            ? schema::parse_trace_parent(request.header("traceparent"))
                            : std::nullopt;
    return parent ? schema::text_of(*parent) : "";
}

bool is_one_job(const Request& request) {
    const std::size_t first = request.body.find_first_not_of(kBlanks);
    return !is_lines(request) && (first == std::string::npos || request.body[first] != '[');
}

schema::ParseResult<std::vector<JobText>> job_texts(const Request& request) {
    std::vector<JobText> texts;
    if (is_lines(request)) {
        texts = lines_of(request.body);
    } else if (const auto items = cli::items_of(request.body, kJobsPerRequest)) {
        texts = numbered(items.value());
    } else {
        return items.error();
    }
    if (texts.empty() || texts.size() > kJobsPerRequest) {
        return schema::ParseError{fmt::format("a request has 1 to {} jobs", kJobsPerRequest)};
    }
    return texts;
}

JobBatch read_batch(const Request& request, JobReader& reader) {
    const auto texts = job_texts(request);
    return texts ? read_batch(request, texts.value(), reader)
                 : JobBatch{.jobs = {}, .problems = {texts.error().message}};
}

JobBatch read_batch(const Request& request, std::span<const JobText> jobs, JobReader& reader) {
    JobBatch batch;
    executor::NewNames names;
    const std::string traceparent = traceparent_of(request);
    for (const auto& [number, text] : jobs) {
        ReadJob read = reader.read(text, request.scope, traceparent);
        if (const auto taken = names.add(read.job); taken && read.problems.empty()) {
            read.problems.push_back(cli::in_words(*taken));
        }
        for (const std::string& problem : read.problems) {
            batch.problems.push_back(fmt::format("{}: {}", number, problem));
        }
        if (batch.problems.size() >= kProblemsTold) {
            break;
        }
        batch.jobs.push_back(std::move(read.job));
    }
    return batch;
}

Response
added(const ApiParts& parts, const executor::NewJob& job, const schema::Enqueued& enqueued) {
    const std::string& id = enqueued.id;
    cli::Record record{cli::text_field("id", id)};
    if (job.repeats()) {
        record.push_back(cli::text_field("series", job.job.series.empty() ? id : job.job.series));
    }
    if (!job.job.unique_key.empty()) {
        record.push_back(cli::flag_field("isNew", enqueued.is_added));
        record.push_back(cli::text_or_null_field("replacedJob", enqueued.replaced));
    }
    if (parts.set != nullptr) {
        record.push_back(cli::text_field("engine", parts.engine_name));
    }
    return {
        .status = enqueued.is_added ? 201 : 200,
        .body = json_of(record) + '\n',
        .headers = {{"Location", "/api/v1/jobs/" + percent_encoded(id)}},
    };
}

Response added(const ApiParts& parts, const std::vector<schema::Enqueued>& enqueued) {
    std::vector<std::string> texts;
    texts.reserve(enqueued.size());
    executor::EnqueueCounts counts;
    for (const schema::Enqueued& one : enqueued) {
        texts.push_back(cli::json_string(one.id));
        counts.add(one);
    }
    const std::vector<std::string> engines(texts.size(), cli::json_string(parts.engine_name));
    return {
        .status = counts.added > 0 ? 201 : 200,
        .body = fmt::format(
            "{{\"added\":{},\"ids\":[{}],\"keptOut\":{},\"replaced\":{}{}}}\n",
            counts.added,
            fmt::join(texts, ","),
            counts.kept_out,
            counts.replaced,
            parts.set == nullptr ? "" : fmt::format(",\"engines\":[{}]", fmt::join(engines, ","))
        ),
    };
}

Response bad_job(const std::vector<std::string>& problems) {
    return problem(400, "no job was added: see errors", problems);
}

Response enqueue_failure(
    const ApiParts& parts,
    const std::exception& error,
    std::span<const executor::NewJob> jobs
) {
    if (dynamic_cast<const persistence::KeyHeld*>(&error) != nullptr) {
        return problem(409, std::string(error.what()) + "; no job was added");
    }
    const auto* const of_database = dynamic_cast<const persistence::DbError*>(&error);
    if (of_database == nullptr || of_database->kind() != persistence::DbErrorKind::duplicate_key) {
        return response_to(error, parts.log);
    }
    // Defended catch: the database may be gone by now, and the answer is known without it.
    try {
        for (const executor::NewJob& job : jobs) {
            if (const auto taken = parts.engine.enqueueing().find_taken(job)) {
                return problem(409, cli::in_words(*taken) + "; no job was added");
            }
        }
    } catch (const persistence::DbError&) {
        return response_to(error, parts.log);
    }
    return response_to(error, parts.log);
}

}  // namespace jobstrand::service
