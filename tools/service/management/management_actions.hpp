#pragma once

#include "tools/service/api/api_parts.hpp"
#include "tools/service/http/message.hpp"
#include "tools/service/management/management_json.hpp"

/// What Flowable's management REST does with one job, or with several dead letters. A job that does
/// not stand in the place of the path is 404, one that a node holds 409.
namespace jobstrand::service {

[[nodiscard]] Response
show_job_of(const ApiParts& api, const JobKind& kind, const Request& request);

/// The details of the last failure as plain text; 404: there are none.
[[nodiscard]] Response
show_stack_trace(const ApiParts& api, const JobKind& kind, const Request& request);

[[nodiscard]] Response
delete_job_of(const ApiParts& api, const JobKind& kind, const Request& request);

/// `execute`: runs it now, in this node. 500 with its failure, if it fails.
[[nodiscard]] Response act_on_job(const ApiParts& api, const Request& request);

/// `move` makes it executable now, `reschedule` gives it a `dueDate`.
[[nodiscard]] Response act_on_timer(const ApiParts& api, const Request& request);

/// `move` gives it new attempts.
[[nodiscard]] Response act_on_dead_letter(const ApiParts& api, const Request& request);

/// `move` with `jobIds`, at least one. 404 names those that are no dead letters; then none is
/// moved.
[[nodiscard]] Response act_on_dead_letters(const ApiParts& api, const Request& request);

}  // namespace jobstrand::service
