#include "tools/service/workers/work_paths.hpp"

#include "tools/records/job_json.hpp"
#include "tools/service/http/problem.hpp"
#include "tools/service/workers/hand_over.hpp"
#include "tools/service/workers/narrowed_workers.hpp"
#include "tools/service/workers/work_requests.hpp"
#include "tools/text/json_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <utility>

namespace jobstrand::service {

namespace {

using persistence::WorkerAnswer;

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
    const HandOver& hand_over,
    WorkWaits& waits,
    const Request& request,
    const Answer& answer
) {
    WorkOrder work = work_order_in(request.body);
    const bool is_minimal = is_same_token(request.header("Prefer"), kMinimal);
    const auto take = [answer, hand_over, worker = work.order.worker, is_minimal](
                          const std::vector<schema::Job>& jobs
                      ) { answer(hand_over(work_taken(jobs, is_minimal), worker, jobs)); };
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
            cli::json_string(id_of(items[i])),
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

[[nodiscard]] const std::string& id_of_held(const persistence::HeldJob& job) {
    return job.id;
}

[[nodiscard]] Response finish_work(const ApiParts& api, const Request& request) {
    const WorkReport report = work_report_in(request.body);
    return answer_for(
        NarrowedWorkers(api, request.scope).finish(report.worker, report.results),
        report.results,
        [](const executor::WorkResult& result) { return result.job.id; },
        report.refused
    );
}

[[nodiscard]] Response extend_work(const ApiParts& api, const Request& request) {
    const HeldOrder order = held_order_in(request.body);
    return answer_for(
        NarrowedWorkers(api, request.scope).extend(order.worker, order.jobs, order.lock),
        order.jobs,
        id_of_held
    );
}

[[nodiscard]] Response held_work(const ApiParts& api, const Request& request) {
    const HeldOrder order = held_order_in(request.body);
    return answer_for(
        NarrowedWorkers(api, request.scope).held(order.worker, order.jobs), order.jobs, id_of_held
    );
}

[[nodiscard]] Response tell_of_work(const ApiParts& api, const Request& request) {
    const NewsOrder order = news_order_in(request.body);
    return answer_for(
        NarrowedWorkers(api, request.scope).tell(order.worker, order.jobs, order.news),
        order.jobs,
        id_of_held
    );
}

[[nodiscard]] Response release_work(const ApiParts& api, const Request& request) {
    const HeldOrder order = held_order_in(request.body);
    return answer_for(
        NarrowedWorkers(api, request.scope).give_back(order.worker, order.jobs),
        order.jobs,
        id_of_held
    );
}

}  // namespace

std::vector<Route> work_routes(const ApiParts& api, WorkPool& pool, WorkWaits& waits) {
    const auto on = [&](Response (*handle)(const ApiParts&, const Request&)) {
        return pool.wrap([&api, handle](const Request& request) { return handle(api, request); });
    };
    const auto acquire = [&api, &waits, hand_over = HandOver(api, pool)](
                             const Request& request, const Answer& answer
                         ) { acquire_work(api, hand_over, waits, request, answer); };
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
