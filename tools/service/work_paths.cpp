#include "executor/workers/worker_broker.hpp"
#include "schema/job_events.hpp"
#include "schema/limits.hpp"
#include "tools/records/job_json.hpp"
#include "tools/service/api/job_requests.hpp"
#include "tools/service/http/message.hpp"
#include "tools/service/routes.hpp"
#include "tools/service/worker_hand_over.hpp"
#include "tools/service/worker_json.hpp"
#include "tools/text/json_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <functional>
#include <initializer_list>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// The paths `/api/v1/external-jobs/...` for external workers.
namespace jobstrand::service {

using executor::WorkResult;
using persistence::HeldJob;
using persistence::WorkerAnswer;

namespace {

// The bodies of requests. What cannot be meant so is std::invalid_argument, whose text names it;
// members that are not known are refused.

/// `{"worker", "topics", "lockDuration", "jobs", "tenantId", "wait"}`.
struct WorkOrder {
    executor::AcquireOrder order;
    schema::Duration wait{0};
};

/// A result that cannot be meant so.
struct RefusedResult {
    std::string id;  ///< Empty: it names no job.
    std::string why;
};

/// `{"worker", "results"}`; borrows the text.
struct WorkReport {
    std::string worker;
    std::vector<executor::WorkResult> results;
    std::vector<RefusedResult> refused;  ///< They keep no other from counting.
};

/// `{"worker", "jobs", "lockDuration"}`, the jobs as `{"id", "revision"}`; or without a duration,
/// and each job also has `progress`, `note`, `lines`.
struct HeldOrder {
    std::string worker;
    std::vector<persistence::HeldJob> jobs;
    schema::Duration lock{0};                          ///< 0: none was given.
    std::vector<std::optional<schema::RunNews>> news;  ///< nullopt: the job tells nothing.
};

/// The lock of a worker that does not say how long it needs.
constexpr std::chrono::minutes kUsualLock{5};

[[nodiscard]] std::vector<std::string_view>
items_in(const RequestMembers& members, std::string_view name) {
    const auto list = members.value(name);
    const auto items = list ? cli::items_of_value(*list, schema::limits::kJobsOfWorker)
                            : schema::ParseError{"is not there"};
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
        if (variables->size() > schema::limits::kPayloadBytes) {
            throw std::invalid_argument("variables are longer than a payload may be");
        }
        news.variables = variables_in(*variables);
    }
    return work_handed_on(std::move(news));
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
    const RequestMembers members = RequestMembers::of_value(json);
    return {.job = held_job_in(members), .what = what_in(members)};
}

[[nodiscard]] std::vector<std::string> topics_in(const RequestMembers& members) {
    const auto topics =
        cli::strings_of(members.value("topics").value_or(""), schema::limits::kTopicsOfWorker);
    if (!topics) {
        throw std::invalid_argument("topics must be a list of handler types");
    }
    return topics.value();
}

[[nodiscard]] std::optional<WorkCandidate> candidate_in(const RequestMembers& members) {
    const auto user = members.text("userId");
    const auto list = members.value("groups");
    if (!user && !list) {
        return std::nullopt;
    }
    WorkCandidate candidate{.user = user.value_or("")};
    if (list) {
        const auto groups = cli::strings_of(*list, schema::limits::kNamesOfList);
        if (!groups) {
            throw std::invalid_argument("groups must be a list of texts");
        }
        candidate.groups = groups.value();
    }
    return candidate;
}

[[nodiscard]] std::optional<double> part_in(const RequestMembers& members) {
    const auto written = members.value("progress");
    if (!written) {
        return std::nullopt;
    }
    double part = -1;
    const char* const end = written->data() + written->size();
    const bool is_number = std::from_chars(written->data(), end, part).ptr == end;
    if (!is_number || part < 0 || part > 1) {
        throw std::invalid_argument("progress must be a number from 0 to 1");
    }
    return part;
}

[[nodiscard]] std::optional<schema::RunNews> told_in(const RequestMembers& members) {
    const auto note = members.text("note");
    const auto lines = members.value("lines");
    schema::RunNews news{.progress = part_in(members)};
    if (!news.progress && !note && !lines) {
        return std::nullopt;
    }
    news.set_note(note.value_or(""));
    if (lines) {
        const auto texts = cli::strings_of(*lines, schema::RunNews::kLines);
        if (!texts || texts.value().size() > schema::RunNews::kLines) {
            throw std::invalid_argument(
                fmt::format("lines must be a list of at most {} texts", schema::RunNews::kLines)
            );
        }
        for (const std::string& text : texts.value()) {
            news.add_text(text);
            news.add_text("\n");
        }
    }
    return news;
}

/// Which of many a mistake is in.
[[nodiscard]] std::string
numbered(std::string_view what, std::size_t index, const std::invalid_argument& mistake) {
    return fmt::format("{} {}: {}", what, index + 1, mistake.what());
}

[[nodiscard]] WorkOrder work_order_in(std::string_view json) {
    const RequestMembers members(json);
    members.refuse_others(
        {"worker", "topics", "lockDuration", "jobs", "tenantId", "userId", "groups", "wait"}
    );
    return {
        .order =
            {.worker = members.required_text("worker"),
             .topics = topics_in(members),
             .lock = members.duration("lockDuration").value_or(kUsualLock),
             .jobs = members.number("jobs", 1, schema::limits::kJobsOfWorker).value_or(1),
             .tenant = members.text("tenantId"),
             .candidate = candidate_in(members)},
        .wait = members.duration("wait").value_or(schema::Duration::zero())};
}

/// A result is `{"id", "revision", "outcome", ...}`:
///
/// | outcome               | also takes                                      |
/// |-----------------------|-------------------------------------------------|
/// | `complete`, or absent | `variables`, an object: handed on with them     |
/// | `error`               | `errorCode`, `message`, `variables`: handed on  |
/// | `fail`                | `message`, `details`, `retries`, `retryAfter`   |
///
/// std::invalid_argument only when all of them are refused: it names the first.
[[nodiscard]] WorkReport work_report_in(std::string_view json) {
    const RequestMembers members(json);
    members.refuse_others({"worker", "results"});
    WorkReport report{.worker = members.required_text("worker"), .results = {}, .refused = {}};
    const std::vector<std::string_view> items = items_in(members, "results");
    for (std::size_t i = 0; i < items.size(); ++i) {
        // Defended catch: a mistake in one is its own; the others have happened all the same.
        try {
            report.results.push_back(result_in(items[i]));
        } catch (const std::invalid_argument& mistake) {
            report.refused.push_back(
                {.id = text_member_of(items[i], "id"), .why = numbered("result", i, mistake)}
            );
        }
    }
    if (report.results.empty()) {
        throw std::invalid_argument(report.refused.front().why);
    }
    return report;
}

[[nodiscard]] HeldOrder held_order_in(
    std::string_view json,
    std::initializer_list<std::string_view> known,
    std::initializer_list<std::string_view> known_of_job
) {
    const RequestMembers members(json);
    members.refuse_others(known);
    HeldOrder order{.worker = members.required_text("worker"), .jobs = {}, .news = {}};
    order.lock = members.duration("lockDuration").value_or(schema::Duration::zero());
    const std::vector<std::string_view> items = items_in(members, "jobs");
    for (std::size_t i = 0; i < items.size(); ++i) {
        // Defended catch: the mistake is told with its number.
        try {
            const RequestMembers job = RequestMembers::of_value(items[i]);
            job.refuse_others(known_of_job);
            order.jobs.push_back(held_job_in(job));
            order.news.push_back(told_in(job));
        } catch (const std::invalid_argument& mistake) {
            throw std::invalid_argument(numbered("job", i, mistake));
        }
    }
    return order;
}

[[nodiscard]] HeldOrder held_order_in(const Request& request) {
    return held_order_in(request.body, {"worker", "jobs", "lockDuration"}, {"id", "revision"});
}

constexpr std::string_view kWorkContent = "application/json";

/// What RFC 7240 has for clients that do not want to be told what they know.
constexpr std::string_view kMinimal = "return=minimal";

[[nodiscard]] Response work_taken(const std::vector<schema::Job>& jobs, bool is_minimal) {
    constexpr auto kPlace = schema::JobPlace::external_worker;
    Response taken{.status = 200, .body = "{\"items\":["};
    for (const schema::Job& job : jobs) {
        cli::Record record = is_minimal ? cli::lean_record_of(job)
                                        : cli::record_of(kPlace, job, timers::Zone::utc());
        record.push_back(cli::number_field("revision", job.revision));
        taken.body += taken.body.back() == '[' ? "" : ",";
        taken.body += json_of(record);
    }
    taken.body += "]}\n";
    if (is_minimal) {
        taken.headers.push_back({"Preference-Applied", std::string(kMinimal)});
    }
    return taken;
}

/// Who waits does so in no thread of the pool.
void acquire_work(
    const ApiParts& api,
    WorkPool& pool,
    WorkWaits& waits,
    const Request& request,
    const Answer& answer
) {
    WorkOrder work = work_order_in(request.body);
    const bool is_minimal = is_same_token(request.header("Prefer"), kMinimal);
    const auto take = [&api, &pool, answer, worker = work.order.worker, is_minimal](
                          const std::vector<schema::Job>& jobs
                      ) {
        answer(handing_over(api, pool, work_taken(jobs, is_minimal), worker, jobs));
    };
    if (work.wait <= schema::Duration::zero()) {
        take(NarrowedWorkers(api, request.scope).acquire(std::move(work.order)));
        return;
    }
    const bool may_wait = waits.add(
        within(request.scope, std::move(work.order)),
        work.wait,
        {.take = take,
         .fail = [answer,
                  &log = api.log](const std::exception& error) { answer(response_to(error, log)); }}
    );
    if (!may_wait) {
        answer(come_again("too many workers wait"));
    }
}

/// How many it is done for, and which not and why: those are few. `refused` was not even asked for.
template <typename Items, typename IdOf>
[[nodiscard]] Response answer_for(
    const std::vector<WorkerAnswer>& answers,
    const Items& items,
    const IdOf& id_of,
    const std::vector<RefusedResult>& mistakes = {}
) {
    std::size_t done = 0;
    std::vector<std::string> refused;
    for (std::size_t i = 0; i < answers.size(); ++i) {
        if (answers[i] == WorkerAnswer::done) {
            ++done;
            continue;
        }
        refused.push_back(fmt::format(
            R"({{"id":{},"answer":"{}"}})",
            cli::json_string(std::invoke(id_of, items[i])),
            answers[i] == WorkerAnswer::not_held ? "not held" : "not found"
        ));
    }
    for (const RefusedResult& mistake : mistakes) {
        refused.push_back(fmt::format(
            R"({{"id":{},"answer":"refused","why":{}}})",
            cli::json_string(mistake.id),
            cli::json_string(mistake.why)
        ));
    }
    return {
        .status = 200,
        .body = fmt::format("{{\"done\":{},\"refused\":[{}]}}\n", done, fmt::join(refused, ","))};
}

[[nodiscard]] Response
answer_for(const std::vector<WorkerAnswer>& answers, const std::vector<HeldJob>& jobs) {
    return answer_for(answers, jobs, &HeldJob::id);
}

[[nodiscard]] Response finish_work(const ApiParts& api, const Request& request) {
    const WorkReport report = work_report_in(request.body);
    return answer_for(
        NarrowedWorkers(api, request.scope).finish(report.worker, report.results),
        report.results,
        [](const WorkResult& result) { return result.job.id; },
        report.refused
    );
}

[[nodiscard]] Response extend_work(const ApiParts& api, const Request& request) {
    const HeldOrder order = held_order_in(request);
    const NarrowedWorkers workers(api, request.scope);
    return answer_for(workers.extend(order.worker, order.jobs, order.lock), order.jobs);
}

[[nodiscard]] Response
tell_in(const ApiParts& api, const Request& request, const HeldOrder& order) {
    const NarrowedWorkers workers(api, request.scope);
    return answer_for(workers.tell(order.worker, order.jobs, order.news), order.jobs);
}

[[nodiscard]] Response held_work(const ApiParts& api, const Request& request) {
    return tell_in(api, request, held_order_in(request));
}

[[nodiscard]] Response tell_of_work(const ApiParts& api, const Request& request) {
    return tell_in(
        api,
        request,
        held_order_in(
            request.body, {"worker", "jobs"}, {"id", "revision", "progress", "note", "lines"}
        )
    );
}

[[nodiscard]] Response release_work(const ApiParts& api, const Request& request) {
    const HeldOrder order = held_order_in(request);
    const NarrowedWorkers workers(api, request.scope);
    return answer_for(workers.give_back(order.worker, order.jobs), order.jobs);
}

}  // namespace

std::vector<Route> work_routes(const ApiParts& api, WorkPool& pool, WorkWaits& waits) {
    const auto on = [&](auto handle) { return pool.wrap(std::bind_front(handle, std::cref(api))); };
    const auto acquire =
        std::bind_front(acquire_work, std::cref(api), std::ref(pool), std::ref(waits));
    using enum Role;
    return honouring_scope({
        {"POST", "/api/v1/external-jobs/acquire", worker, pool.wrap_late(acquire), {kWorkContent}},
        {"POST", "/api/v1/external-jobs/finish", worker, on(finish_work), {kWorkContent}},
        {"POST", "/api/v1/external-jobs/extend", worker, on(extend_work), {kWorkContent}},
        {"POST", "/api/v1/external-jobs/held", worker, on(held_work), {kWorkContent}},
        {"POST", "/api/v1/external-jobs/progress", worker, on(tell_of_work), {kWorkContent}},
        {"POST", "/api/v1/external-jobs/release", worker, on(release_work), {kWorkContent}},
    });
}

}  // namespace jobstrand::service
