#include "persistence/rows/new_dead_letters.hpp"

#include "persistence/history/incident_rows.hpp"
#include "persistence/history/job_log_page.hpp"
#include "persistence/rows/byte_arrays.hpp"
#include "persistence/rows/move_jobs.hpp"
#include "persistence/shared/engine_columns.hpp"
#include "schema/history/job_event.hpp"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace jobstrand::persistence {

namespace {

using schema::Job;
using schema::JobPlace;

Incident incident_of(const NewDeadLetter& dead, schema::TimePoint now) {
    const Job& job = *dead.job;
    const bool is_external =
        dead.from == JobPlace::external_worker || job.type == schema::kExternalWorkerType;
    return {
        .job = job.id,
        .time = job.failed_time.value_or(now),
        .type = std::string(is_external ? kFailedExternalTask : kFailedJob),
        .cause = std::string(schema::name_of(dead.reason)),
        .message = job.exception_message,
        .handler_type = job.handler_type,
        .definition = job.process_definition_id,
        .job_definition = job.job_definition_id,
        .element = job.element_id,
        .execution = job.execution_id,
        .instance = job.process_instance_id,
        .root_instance = job.root_process_instance_id,
        .calling_instances = job.calling_instances,
        .tenant = job.tenant_id,
        .node = dead.node,
    };
}

void enqueue_notice(
    Transaction& transaction,
    const StoreContext& context,
    std::span<const Incident> incidents,
    schema::TimePoint now
) {
    schema::PlacedJob placed{
        .place = JobPlace::executable,
        .job = notice_of(incidents, context.history.rules().incident_target)};
    placed.job.id = context.ids.next();
    placed.job.correlation_id = placed.job.id;
    placed.job.create_time = now;
    store_payloads(transaction, std::span(&placed.job, 1), context.ids);
    const schema::PlacedJob* const row = &placed;
    insert_placed(transaction, std::span(&row, 1));
}

}  // namespace

void log_dead_letters(
    Transaction& transaction,
    const StoreContext& context,
    std::span<const NewDeadLetter> dead,
    schema::TimePoint now
) {
    if (!context.history.rules().incidents) {
        return;
    }
    // Of an engine's dead letters nobody here learns when they leave.
    const auto opens_incident = [&transaction](const NewDeadLetter& one) {
        return schema::is_incident(one.reason) && !is_of_engine(*one.job, transaction.dialect());
    };
    const auto incidents = std::make_shared<std::vector<Incident>>();
    for (const NewDeadLetter& one : dead) {
        if (opens_incident(one)) {
            incidents->push_back(incident_of(one, now));
        }
    }
    open_incidents(transaction, context.history, incidents);
    const bool is_any_told = std::ranges::any_of(dead, [&](const NewDeadLetter& one) {
        return opens_incident(one) && one.job->category != kNoticeCategory;
    });
    if (is_any_told && !context.history.rules().incident_target.empty()) {
        enqueue_notice(transaction, context, *incidents, now);
    }
}

void log_unplanned_dead_letters(
    Transaction& transaction,
    const StoreContext& context,
    std::span<const NewDeadLetter> dead,
    schema::TimePoint now
) {
    JobLogPage log(context.history);
    for (const NewDeadLetter& one : dead) {
        log.add(
            *one.job,
            schema::JobEvent::dead,
            schema::name_of(one.reason),
            {.time = now, .node = one.node, .message = one.job->exception_message}
        );
    }
    log.write(transaction);
    log_dead_letters(transaction, context, dead, now);
}

}  // namespace jobstrand::persistence
