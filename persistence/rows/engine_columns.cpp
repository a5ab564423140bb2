#include "persistence/rows/engine_columns.hpp"

#include "persistence/sql/dialect.hpp"
#include "persistence/sql/many_rows.hpp"
#include "schema/series.hpp"
#include "schema/uuid7.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::persistence {

using schema::Job;
using schema::JobPlace;
using schema::TimePoint;

namespace {

struct SharedColumn {
    std::string_view column;
    std::string_view expression;
};

// Rows that an app inserted itself may be ours and still name an instance of the engine.
constexpr std::array kSharedColumns{
    SharedColumn{
        "EXECUTION_ID_",
        "COALESCE(EXECUTION_ID_, CASE WHEN SCOPE_TYPE_ = 'jobstrand' THEN SUB_SCOPE_ID_ END)"},
    SharedColumn{
        "PROCESS_INSTANCE_ID_",
        "COALESCE(PROCESS_INSTANCE_ID_, CASE WHEN SCOPE_TYPE_ = 'jobstrand' THEN SCOPE_ID_ END)"},
    SharedColumn{
        "PROC_DEF_ID_",
        "COALESCE(PROC_DEF_ID_, CASE WHEN SCOPE_TYPE_ = 'jobstrand' THEN SCOPE_DEFINITION_ID_ "
        "END)"},
    SharedColumn{"SCOPE_ID_", "CASE WHEN SCOPE_TYPE_ = 'jobstrand' THEN NULL ELSE SCOPE_ID_ END"},
    SharedColumn{
        "SUB_SCOPE_ID_",
        "CASE WHEN SCOPE_TYPE_ = 'jobstrand' THEN NULL ELSE SUB_SCOPE_ID_ END"},
    SharedColumn{
        "SCOPE_DEFINITION_ID_",
        "CASE WHEN SCOPE_TYPE_ = 'jobstrand' THEN NULL ELSE SCOPE_DEFINITION_ID_ END"},
};

struct MovedField {
    std::string Job::*from;
    std::string Job::*to;
    std::string_view column;
    std::string_view ours;
};

constexpr std::array kMovedFields{
    MovedField{&Job::execution_id, &Job::sub_scope_id, "EXECUTION_ID_", "SUB_SCOPE_ID_"},
    MovedField{&Job::process_instance_id, &Job::scope_id, "PROCESS_INSTANCE_ID_", "SCOPE_ID_"},
    MovedField{
        &Job::process_definition_id,
        &Job::scope_definition_id,
        "PROC_DEF_ID_",
        "SCOPE_DEFINITION_ID_"},
};

}  // namespace

std::string_view expression_for(std::string_view column, const Dialect& dialect) {
    return dialect.has_engine ? expression_in_shared_tables(column) : column;
}

std::string_view expression_in_shared_tables(std::string_view column) {
    const auto* const shared = std::ranges::find(kSharedColumns, column, &SharedColumn::column);
    return shared == kSharedColumns.end() ? column : shared->expression;
}

std::string_view our_column_for(std::string_view column, const Dialect& dialect) {
    const auto* const moved = std::ranges::find(kMovedFields, column, &MovedField::column);
    return dialect.has_engine && moved != kMovedFields.end() ? moved->ours : column;
}

bool is_of_engine(const Job& job, const Dialect& dialect) {
    return dialect.has_engine && job.scope_type != schema::kOurScope;
}

Job as_in_shared_tables(Job job) {
    if (job.scope_type != schema::kOurScope) {
        return job;
    }
    for (const MovedField& field : kMovedFields) {
        if (!(job.*field.from).empty()) {
            job.*field.to = std::move(job.*field.from);
            (job.*field.from).clear();
        }
    }
    return job;
}

std::string_view and_ours(const Dialect& dialect) {
    return dialect.has_engine ? "AND SCOPE_TYPE_ = 'jobstrand'" : "";
}

namespace {

// In the order of the places. An execution that does not count is left alone.
constexpr std::string_view kCount = R"sql(
    UPDATE ACT_RU_EXECUTION
    SET REV_ = REV_ + 1,
        JOB_COUNT_ = JOB_COUNT_ + ?,
        TIMER_JOB_COUNT_ = TIMER_JOB_COUNT_ + ?,
        SUSP_JOB_COUNT_ = SUSP_JOB_COUNT_ + ?,
        DEADLETTER_JOB_COUNT_ = DEADLETTER_JOB_COUNT_ + ?,
        EXTERNAL_WORKER_JOB_COUNT_ = EXTERNAL_WORKER_JOB_COUNT_ + ?
    WHERE IS_COUNT_ENABLED_ = ? AND ID_ IN (...))sql";

static_assert(static_cast<int>(JobPlace::executable) == 0);
static_assert(static_cast<int>(JobPlace::timer) == 1);
static_assert(static_cast<int>(JobPlace::suspended) == 2);
static_assert(static_cast<int>(JobPlace::dead_letter) == 3);
static_assert(static_cast<int>(JobPlace::external_worker) == 4);

}  // namespace

void ExecutionCounts::note(JobPlace place, const schema::Job& job, std::int64_t change) {
    if (!job.execution_id.empty() && is_of_engine(job, transaction_.dialect())) {
        by_execution_[job.execution_id].at(static_cast<std::size_t>(place)) += change;
    }
}

void ExecutionCounts::write() {
    // Nearly always all of a page go the same way.
    std::map<Changes, std::vector<std::string_view>> alike;
    for (const auto& [execution, changes] : by_execution_) {
        alike[changes].emplace_back(execution);
    }
    for (const auto& [changes, executions] : alike) {
        std::vector<Value> before(changes.begin(), changes.end());
        before.emplace_back(true);
        const IdListParameters parameters{.before = std::move(before), .ids = executions};
        execute_for_ids(transaction_, kCount, parameters);
    }
    by_execution_.clear();
}

namespace {

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
    const std::vector<std::string_view> ids = keys_in(nameless);
    const Query query{.sql = kSeriesOfTurns, .columns = 5};
    query_for_ids(transaction, query, {.ids = ids}, [&](const Row& row) {
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
