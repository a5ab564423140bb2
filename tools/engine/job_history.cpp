#include "tools/engine/engine_parts.hpp"

#include <jobstrand/job_history.hpp>

#include <array>
#include <utility>

namespace jobstrand {

namespace {

JobLogLine line_of(persistence::JobLogLine line) {
    return {
        .id = std::move(line.id),
        .time = line.time,
        .event = line.event,
        .reason = std::move(line.reason),
        .job = std::move(line.job),
        .attempt = line.attempt,
        .retries = line.retries,
        .handler_type = std::move(line.handler_type),
        .process_instance_id = std::move(line.instance),
        .process_definition_id = std::move(line.definition),
        .element_id = std::move(line.element),
        .tenant_id = std::move(line.tenant),
        .node = std::move(line.node),
        .duration = line.duration,
        .message = std::move(line.message),
        .details = std::move(line.details),
    };
}

}  // namespace

std::string JobHistory::failure_details(std::string_view job) {
    persistence::OperatorStore& store = engine_.parts_->wiring().store();
    const auto found = store.find(job);
    return found ? store.exception_details(found->job) : std::string();
}

std::vector<JobLogLine>
JobHistory::log(const JobLogQuery& query, std::string_view behind, std::size_t limit) {
    std::vector<JobLogLine> lines;
    for (persistence::JobLogLine& line :
         engine_.parts_->wiring().history_store().job_log(query, behind, limit)) {
        lines.push_back(line_of(std::move(line)));
    }
    return lines;
}

std::optional<JobLogLine> JobHistory::log_line(std::string_view id) {
    auto found = engine_.parts_->wiring().history_store().find_log_line(id);
    return found ? std::optional(line_of(*std::move(found))) : std::nullopt;
}

std::vector<FinishedRun> JobHistory::finished_runs(
    const FinishedRunQuery& query,
    std::string_view behind,
    std::size_t limit
) {
    return engine_.parts_->wiring().run_store().ended_runs(query, behind, limit);
}

std::optional<RunProgress> JobHistory::progress(std::string_view job) {
    engine::Wiring& wiring = engine_.parts_->wiring();
    const std::array ids{std::string(job)};
    std::vector<persistence::ToldRun> told = wiring.run_news_store().run_news(ids, 1);
    if (told.empty()) {
        return std::nullopt;
    }
    // Rows of runs that have ended may stay for a while.
    persistence::ToldRun& run = told.front();
    const auto found = wiring.store().find(job);
    if (!found || found->job.lock_owner != run.owner || found->job.revision != run.revision) {
        return std::nullopt;
    }
    return RunProgress{
        .node = std::move(run.owner),
        .told = run.told,
        .progress = run.news.progress,
        .note = std::move(run.news.note),
        .lines = std::move(run.news.lines),
    };
}

}  // namespace jobstrand
