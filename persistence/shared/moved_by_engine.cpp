#include "persistence/shared/moved_by_engine.hpp"

#include "persistence/sql/dialect.hpp"
#include "persistence/sql/id_lists.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::persistence {

namespace {

using schema::Job;

/// Of a row that is new, and that a claim may have raised.
constexpr int kHighestRevision = 2;

// A timer of ours comes here by a move, which raises its revision.
bool was_moved_by_engine(const Job& job) {
    return job.scope_type == schema::kOurScope && job.revision <= kHighestRevision &&
           job.due_date && job.create_time && *job.due_date > *job.create_time;
}

}  // namespace

void tell_moved_by_engine(schema::Log& log, std::span<const Job> jobs) {
    for (const Job& job : jobs) {
        if (was_moved_by_engine(job)) {
            log.write(
                schema::LogLevel::warn,
                "Flowable's management has moved this timer before it was due: priority, retry "
                "cycle, unique key, root instance, trace and attempts are lost, if it had any; "
                "`jobstrand timer fire` keeps them",
                {{"job", job.id}, {"handler_type", job.handler_type}}
            );
        }
    }
}

namespace {

// There is no index: this is for what an operator did by hand.
constexpr std::string_view kSeriesOfTurns = R"sql(
    SELECT TURN_ID_, ID_
    FROM JS_SERIES
    WHERE TURN_ID_ IN (...))sql";

}  // namespace

void recall_series(Transaction& transaction, std::span<schema::Job* const> jobs) {
    if (!transaction.dialect().has_engine) {
        return;
    }
    std::map<std::string_view, schema::Job*> nameless;
    for (schema::Job* const job : jobs) {
        if (!job->repeat.empty() && job->series.empty()) {
            nameless.emplace(job->id, job);
        }
    }
    std::vector<std::string_view> ids;
    for (const auto& [id, job] : nameless) {
        ids.push_back(id);
    }
    for (const auto& [text, parameters] : cut_id_list(kSeriesOfTurns, {.ids = ids})) {
        transaction.query({.sql = text, .columns = 2}, parameters, [&](const Row& row) {
            if (const auto found = nameless.find(row.text(0)); found != nameless.end()) {
                found->second->series = row.text(1);
            }
        });
    }
}

}  // namespace jobstrand::persistence
