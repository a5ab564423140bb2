#include "tools/service/workers/work_requests.hpp"

#include "schema/limits.hpp"
#include "tools/jobstrand/json/json_values.hpp"
#include "tools/service/workers/work_outcome.hpp"

#include <fmt/format.h>

#include <limits>
#include <stdexcept>
#include <utility>

namespace jobstrand::service {

namespace {

using executor::WorkResult;
using persistence::HeldJob;

/// The lock of a worker that does not say how long it needs.
constexpr std::chrono::minutes kUsualLock{5};

[[nodiscard]] std::vector<std::string_view>
items_in(const RequestMembers& members, std::string_view name) {
    const auto items = cli::items_of(members.value(name).value_or(""));
    if (!items) {
        throw std::invalid_argument(fmt::format("{} must be a list", name));
    }
    if (items.value().empty() || items.value().size() > schema::limits::kJobsOfWorker) {
        throw std::invalid_argument(
            fmt::format("{} has 1 to {} items", name, schema::limits::kJobsOfWorker)
        );
    }
    return items.value();
}

[[nodiscard]] HeldJob held_job_in(const RequestMembers& members) {
    HeldJob job{.id = members.required_text("id")};
    if (const auto revision = members.number("revision", 1, std::numeric_limits<int>::max())) {
        job.revision = static_cast<int>(*revision);
    }
    return job;
}

[[nodiscard]] executor::WorkHandedOn handed_on_in(const RequestMembers& members, WorkNews news) {
    if (const auto variables = members.value("variables")) {
        news.variables = variables_in(*variables);
    }
    return {.outcome = outcome_of(std::move(news))};
}

[[nodiscard]] executor::WorkFailed failure_in(const RequestMembers& members) {
    members.refuse_others(
        {"id", "revision", "outcome", "message", "details", "retries", "retryAfter"}
    );
    schema::JobFailure failure{
        .message = members.text("message").value_or(""),
        .details = members.text("details").value_or(""),
        .retry_after = members.duration("retryAfter")};
    if (const auto retries = members.number("retries", 0, schema::limits::kRetryAttempts)) {
        failure.retries_left = static_cast<int>(*retries);
    }
    return {.failure = std::move(failure)};
}

[[nodiscard]] decltype(WorkResult::what) what_in(const RequestMembers& members) {
    const std::string outcome = members.text("outcome").value_or("complete");
    if (outcome == "fail") {
        return failure_in(members);
    }
    if (outcome == "error") {
        members.refuse_others({"id", "revision", "outcome", "errorCode", "message", "variables"});
        return handed_on_in(
            members,
            {.action = "bpmnError",
             .error_code = members.text("errorCode"),
             .error_message = members.text("message")}
        );
    }
    if (outcome != "complete") {
        throw std::invalid_argument("outcome must be complete, fail or error");
    }
    members.refuse_others({"id", "revision", "outcome", "variables"});
    if (!members.value("variables")) {
        return executor::WorkCompleted{};
    }
    return handed_on_in(members, {.action = "complete"});
}

[[nodiscard]] WorkResult result_in(std::string_view json) {
    const RequestMembers members(json);
    return {.job = held_job_in(members), .what = what_in(members)};
}

[[nodiscard]] std::vector<std::string> topics_in(const RequestMembers& members) {
    const auto topics = cli::strings_of(members.value("topics").value_or(""));
    if (!topics) {
        throw std::invalid_argument("topics must be a list of handler types");
    }
    return topics.value();
}

/// Which of many a mistake is in.
template <typename Read>
void read_each(
    std::string_view what,
    const std::vector<std::string_view>& items,
    const Read& read
) {
    for (std::size_t i = 0; i < items.size(); ++i) {
        // Defended catch: the mistake is told with its number.
        try {
            read(items[i]);
        } catch (const std::invalid_argument& error) {
            throw std::invalid_argument(fmt::format("{} {}: {}", what, i + 1, error.what()));
        }
    }
}

}  // namespace

WorkOrder work_order_in(std::string_view json) {
    const RequestMembers members(json);
    members.refuse_others({"worker", "topics", "lockDuration", "jobs", "tenantId", "wait"});
    return {
        .order =
            {.worker = members.required_text("worker"),
             .topics = topics_in(members),
             .lock = members.duration("lockDuration").value_or(kUsualLock),
             .jobs = members.number("jobs", 1, schema::limits::kJobsOfWorker).value_or(1),
             .tenant = members.text("tenantId")},
        .wait = members.duration("wait").value_or(schema::Duration::zero())};
}

WorkReport work_report_in(std::string_view json) {
    const RequestMembers members(json);
    members.refuse_others({"worker", "results"});
    WorkReport report{.worker = members.required_text("worker"), .results = {}};
    read_each("result", items_in(members, "results"), [&](std::string_view item) {
        report.results.push_back(result_in(item));
    });
    return report;
}

HeldOrder held_order_in(std::string_view json) {
    const RequestMembers members(json);
    members.refuse_others({"worker", "jobs", "lockDuration"});
    HeldOrder order{.worker = members.required_text("worker"), .jobs = {}};
    order.lock = members.duration("lockDuration").value_or(schema::Duration::zero());
    read_each("job", items_in(members, "jobs"), [&](std::string_view item) {
        const RequestMembers job(item);
        job.refuse_others({"id", "revision"});
        order.jobs.push_back(held_job_in(job));
    });
    return order;
}

}  // namespace jobstrand::service
