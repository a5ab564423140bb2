#include "persistence/shared/moved_by_engine.hpp"

#include "persistence/sql/dialect.hpp"
#include "persistence/sql/id_lists.hpp"
#include "schema/series/series.hpp"
#include "schema/uuid7.hpp"

#include <chrono>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::persistence {

namespace {

using schema::Job;
using schema::TimePoint;

/// The clock of a producer that makes ids may be behind that of the database so far.
constexpr std::chrono::minutes kSlowClock{1};

bool has_failed(const Job& job) {
    return !job.exception_message.empty() || !job.exception_stack_id.empty();
}

// A claim of its own raises the revision, as every move of ours does.
bool is_unchanged(const Job& job) {
    return job.revision <= (job.claim == 0 ? 2 : 1);
}

bool was_moved_by_engine(const Job& job, TimePoint now) {
    if (job.scope_type != schema::kOurScope || !job.create_time) {
        return false;
    }
    const TimePoint made = *job.create_time;
    const auto id_made = schema::time_of_uuid7(job.id);
    if (id_made && *id_made + kSlowClock < made) {
        return true;
    }
    const bool was_due_later = job.due_date && *job.due_date > made;
    // A requeue of ours without an attempt before it makes the job due then.
    const bool is_due_since = was_due_later && *job.due_date <= now;
    return has_failed(job) ? job.attempts == 0 && !is_due_since
                           : was_due_later && is_unchanged(job);
}

}  // namespace

void log_moved_by_engine(schema::Log& log, std::span<const Job> jobs, TimePoint now) {
    for (const Job& job : jobs) {
        // A turn has no attempts before it has failed.
        if (!was_moved_by_engine(job, now) || (!job.series.empty() && !has_failed(job))) {
            continue;
        }
        log.write(
            schema::LogLevel::warn,
            job.series.empty()
                ? "Flowable's management has moved this job: priority, retry cycle, unique key, "
                  "root instance, trace and attempts are lost, if it had any; `jobstrand timer "
                  "fire` and `jobstrand dead requeue` keep them"
                : "Flowable's management has moved this turn of a series: how many attempts it "
                  "had is lost; `jobstrand timer fire` keeps that",
            {{"job", job.id}, {"handler_type", job.handler_type}}
        );
    }
}

namespace {

// There is no index: this is for what an operator did by hand.
constexpr std::string_view kSeriesOfTurns = R"sql(
    SELECT TURN_ID_, ID_, PRIORITY_, RETRY_CYCLE_, ROOT_PROC_INST_ID_
    FROM JS_SERIES
    WHERE TURN_ID_ IN (...))sql";

}  // namespace

void recall_series(Transaction& transaction, std::span<Job* const> jobs) {
    if (!transaction.dialect().has_engine) {
        return;
    }
    std::map<std::string_view, Job*> nameless;
    for (Job* const job : jobs) {
        if (!job->repeat.empty() && job->series.empty()) {
            nameless.emplace(job->id, job);
        }
    }
    std::vector<std::string_view> ids;
    for (const auto& [id, job] : nameless) {
        ids.push_back(id);
    }
    for (const auto& [text, parameters] : cut_id_list(kSeriesOfTurns, {.ids = ids})) {
        transaction.query({.sql = text, .columns = 5}, parameters, [&](const Row& row) {
            if (const auto found = nameless.find(row.text(0)); found != nameless.end()) {
                schema::Series kept;
                kept.key = row.text(1);
                kept.priority = row.integer(2);
                kept.retry_cycle = row.text(3);
                kept.root_process_instance_id = row.text(4);
                give_back_to_turn(kept, *found->second);
            }
        });
    }
}

void recall_series(Transaction& transaction, std::span<Job> jobs) {
    if (!transaction.dialect().has_engine) {
        return;
    }
    std::vector<Job*> all;
    for (Job& job : jobs) {
        all.push_back(&job);
    }
    recall_series(transaction, all);
}

}  // namespace jobstrand::persistence
