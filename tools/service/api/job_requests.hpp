#pragma once

#include "executor/enqueue/new_job.hpp"
#include "schema/series.hpp"
#include "schema/text/parsing.hpp"
#include "tools/service/api/api_parts.hpp"
#include "tools/service/http/message.hpp"

#include <cstddef>
#include <exception>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::service {

/// A job that somebody wants to enqueue, and every mistake in it; empty: it can be.
struct ReadJob {
    executor::NewJob job;
    std::vector<std::string> problems;
};

/// Reads new jobs from JSON, as `job add --from` reads them, and checks them in the same way.
///
/// For one request or batch: what it asks the database (only for texts that may need a calendar) it
/// asks once. Throws DbError. Thread safety: none.
class JobReader final {
public:
    explicit JobReader(const ApiParts& parts) : parts_(parts) {}

    /// `scope`: of who sends it. Throws OutOfScope for a job that it leaves out, or that could
    /// reach beyond it. `traceparent`: of a job that has none of its own.
    [[nodiscard]] ReadJob
    read(std::string_view json, const Scope& scope, const std::string& traceparent = {});

private:
    const schema::CalendarTexts& calendars();

    const ApiParts& parts_;
    std::optional<schema::CalendarTexts> calendars_;
};

/// The text of this member of a JSON object; empty: there is none, or it is no text.
[[nodiscard]] std::string text_member_of(std::string_view json, std::string_view name);

/// The trace that a request says it belongs to; empty: it says none, or what is none, which the
/// standard wants to be overlooked (W3C Trace Context, 3.2).
[[nodiscard]] std::string traceparent_of(const Request& request);

/// Jobs of one request.
inline constexpr std::size_t kJobsPerRequest = 10'000;

/// A job of a request as it is written, with the number of its item or line, which count from 1.
struct JobText {
    std::size_t number = 0;
    std::string_view text;
};

/// Of a JSON array, or of JSON lines if the Content-Type says so: 1 to kJobsPerRequest jobs, or why
/// not. They are of the request's body.
[[nodiscard]] schema::ParseResult<std::vector<JobText>> job_texts(const Request& request);

/// The jobs of a request, and every mistake in them, each with its number; the first hundred are
/// told. Empty: all of them can be enqueued.
struct JobBatch {
    std::vector<executor::NewJob> jobs;
    std::vector<std::string> problems;
};

/// Whether a body is one JSON object, and no list.
[[nodiscard]] bool is_one_job(const Request& request);

/// Reads all jobs of a request, or those that are named of it. Throws DbError and OutOfScope: see
/// JobReader.
[[nodiscard]] JobBatch read_batch(const Request& request, JobReader& reader);
[[nodiscard]] JobBatch
read_batch(const Request& request, std::span<const JobText> jobs, JobReader& reader);

// What enqueueing is answered with.

/// 201 with the job's id, and the key of its series if it begins one. With a unique key also
/// whether it was added, else 200, and which job it replaced; of an engine of a set also its name.
[[nodiscard]] Response
added(const ApiParts& parts, const executor::NewJob& job, const schema::Enqueued& enqueued);

/// 201 with all ids, in the order of the request, and how many were added; 200 if none was. Of a
/// set also the engine of each.
[[nodiscard]] Response added(const ApiParts& parts, const std::vector<schema::Enqueued>& enqueued);

[[nodiscard]] Response bad_job(const std::vector<std::string>& problems);

/// 409 with the id or key that is taken, or what response_to() says.
[[nodiscard]] Response enqueue_failure(
    const ApiParts& parts,
    const std::exception& error,
    std::span<const executor::NewJob> jobs
);

}  // namespace jobstrand::service
