#pragma once

#include "executor/enqueue/new_job.hpp"
#include "tools/service/api/job_reader.hpp"
#include "tools/service/http/message.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::service {

/// Jobs of one request.
inline constexpr std::size_t kJobsPerRequest = 10'000;

/// The jobs of a request, and every mistake in them, each with the number of its job or line, which
/// count from 1; the first hundred are told. Empty: all of them can be enqueued.
struct JobBatch {
    std::vector<executor::NewJob> jobs;
    std::vector<std::string> problems;
};

/// Whether a body is one JSON object, and no list.
[[nodiscard]] bool is_one_job(const Request& request);

/// Reads a JSON array, or JSON lines if the Content-Type says so, of at most kJobsPerRequest jobs.
/// Throws DbError and OutOfScope: see JobReader.
[[nodiscard]] JobBatch read_batch(const Request& request, JobReader& reader);

}  // namespace jobstrand::service
