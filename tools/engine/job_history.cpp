#include "tools/engine/engine_parts.hpp"

#include <jobstrand/job_history.hpp>

#include <array>
#include <utility>

namespace jobstrand {

std::string JobHistory::failure_details(std::string_view job) {
    persistence::OperatorStore& store = engine_.parts_->wiring().store();
    const auto found = store.find(job);
    return found ? store.exception_details(found->job) : std::string();
}

std::vector<JobLogLine>
JobHistory::log(const JobLogQuery& query, std::string_view behind, std::size_t limit) {
    return engine_.parts_->wiring().history_store().job_log(query, behind, limit);
}

std::optional<JobLogLine> JobHistory::log_line(std::string_view id) {
    return engine_.parts_->wiring().history_store().find_log_line(id);
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
