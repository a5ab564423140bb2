#include "schema/job_events.hpp"
#include "tools/engine/conversions.hpp"
#include "tools/engine/engine_parts.hpp"

#include <jobstrand/job_history.hpp>

#include <array>
#include <utility>

namespace jobstrand {

using engine::with_public_errors;

namespace {

/// Both list the same events in the same order.
static_assert(
    static_cast<int>(schema::JobEvent::interrupted) == static_cast<int>(JobEvent::interrupted)
);

schema::JobEvent event_of(JobEvent event) {
    return static_cast<schema::JobEvent>(event);
}

persistence::JobLogFilter log_filter_of(const JobLogQuery& query) {
    persistence::JobLogFilter filter{
        .job = query.job,
        .handler_type = query.handler_type,
        .definition = query.process_definition_id,
        .instance = query.process_instance_id,
        .element = query.element_id,
        .tenant = query.tenant_id,
        .node = query.node,
        .reason = query.reason,
        .after = query.from,
        .before = query.before};
    for (const JobEvent event : query.events) {
        filter.events.push_back(event_of(event));
    }
    return filter;
}

JobLogLine line_of(persistence::JobLogLine line) {
    return {
        .id = std::move(line.id),
        .time = line.time,
        .event = static_cast<JobEvent>(line.event),
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

FinishedRun finished_run_of(persistence::EndedRun run) {
    return {
        .id = std::move(run.id),
        .ended = run.ended,
        .job = std::move(run.job),
        .handler_type = std::move(run.handler_type),
        .process_instance_id = std::move(run.instance),
        .tenant_id = std::move(run.tenant),
        .node = std::move(run.node),
        .attempt = run.attempt,
        .waited = run.waited,
        .duration = run.duration,
        .message = std::move(run.message),
    };
}

}  // namespace

std::string_view name_of(JobEvent event) {
    return schema::name_of(event_of(event));
}

std::string JobHistory::failure_details(std::string_view job) {
    return with_public_errors([&] {
        persistence::OperatorStore& store = engine_.parts_->wiring().store();
        const auto found = store.find(job);
        return found ? store.exception_details(found->job) : std::string();
    });
}

std::vector<JobLogLine>
JobHistory::log(const JobLogQuery& query, std::string_view behind, std::size_t limit) {
    return with_public_errors([&] {
        std::vector<JobLogLine> lines;
        for (persistence::JobLogLine& line : engine_.parts_->wiring().history_store().job_log(
                 log_filter_of(query), behind, limit
             )) {
            lines.push_back(line_of(std::move(line)));
        }
        return lines;
    });
}

std::optional<JobLogLine> JobHistory::log_line(std::string_view id) {
    return with_public_errors([&] {
        auto found = engine_.parts_->wiring().history_store().find_log_line(id);
        return found ? std::optional(line_of(*std::move(found))) : std::nullopt;
    });
}

std::vector<FinishedRun> JobHistory::finished_runs(
    const FinishedRunQuery& query,
    std::string_view behind,
    std::size_t limit
) {
    return with_public_errors([&] {
        std::vector<FinishedRun> runs;
        for (persistence::EndedRun& run : engine_.parts_->wiring().run_store().ended_runs(
                 {.job = query.job,
   .handler_types = query.handler_types,
   .tenants = query.tenant_ids,
   .instances = query.process_instance_ids},
                 behind,
                 limit
             )) {
            runs.push_back(finished_run_of(std::move(run)));
        }
        return runs;
    });
}

std::optional<RunProgress> JobHistory::progress(std::string_view job) {
    return with_public_errors([&]() -> std::optional<RunProgress> {
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
    });
}

}  // namespace jobstrand
