#pragma once

#include "tools/service/api/job_reader.hpp"
#include "tools/service/api/set_member.hpp"
#include "tools/service/http/router.hpp"

#include <memory>
#include <string>
#include <vector>

namespace jobstrand::service {

/// The jobs of a request that belong to one engine.
struct PartOfRequest {
    std::string engine;
    SetMember* member = nullptr;  ///< nullptr: it is not open.
    std::vector<JobText> jobs = {};
};

/// Enqueues the jobs of a request, an array or lines, that belong to several engines: those of each
/// in a transaction of its own, all of them or none.
///
/// First all are read; with a mistake in any, or one that its token may not enqueue, nothing is
/// stored anywhere. Then each engine stores its part, and remembers the request's Idempotency-Key
/// with it, if there is one. The answer is as for one engine, if all have stored theirs. Else it is
/// a problem, whose `parts` say of each engine which jobs of the request are its own, and under
/// which ids they are stored, or why they are not: 503 if coming again may help, which with the
/// same key, or the same ids, adds only what is missing.
///
/// Answers later, from a thread of one of the engines. The texts of the parts are of the
/// request, and the members must outlive it.
void enqueue_across(
    std::shared_ptr<const Request> request,
    std::vector<PartOfRequest> parts,
    Answer answer
);

}  // namespace jobstrand::service
