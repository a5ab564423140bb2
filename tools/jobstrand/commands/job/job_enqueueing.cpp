#include "tools/jobstrand/commands/job/job_enqueueing.hpp"

#include "persistence/rows/suspended_scopes.hpp"
#include "schema/uuid7.hpp"
#include "tools/jobstrand/output/printable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace jobstrand::cli {

namespace {

using persistence::Transaction;

/// Precondition: the job has an id.
void start_series(Session& session, Transaction& transaction, const NewJob& job) {
    schema::Series series = job.series;
    series.key = schema::series_key_of(job.job);
    if (job.starts_paused) {
        // Before its first turn is stored, which then goes where it has to wait (R145).
        persistence::mark_suspended(
            transaction, persistence::SuspensionScope::series, series.key, session.database_now()
        );
    }
    (void)session.engine().start_series(transaction, std::move(series), job.job);
}

/// The engine answers with the key of a series; our callers want to know the job, and the key is
/// its id unless there is another.
void give_id(NewJob& job, schema::Uuid7Source& ids, schema::TimePoint now) {
    if (job.repeats() && job.job.id.empty()) {
        job.job.id = ids.next(now);
    }
}

}  // namespace

std::string enqueue(Session& session, const NewJob& job) {
    if (!job.repeats()) {
        return session.engine().enqueue(job.job);
    }
    NewJob named = job;
    schema::Uuid7Source ids;
    give_id(named, ids, session.database_now());
    session.engine().in_transaction(
        [&](Transaction& transaction) { start_series(session, transaction, named); },
        [&](Transaction&) { return session.store().find(named.job.id).has_value(); }
    );
    return named.job.id;
}

void enqueue_all(Session& session, std::vector<NewJob> jobs) {
    if (std::ranges::any_of(jobs, &NewJob::repeats)) {
        session.engine().in_transaction([&](Transaction& transaction) {
            enqueue_all(session, transaction, jobs);
        });
        return;
    }
    std::vector<schema::Job> plain;
    plain.reserve(jobs.size());
    for (NewJob& job : jobs) {
        plain.push_back(std::move(job.job));
    }
    (void)session.engine().enqueue_all(std::move(plain));
}

void enqueue_all(Session& session, Transaction& transaction, std::vector<NewJob> jobs) {
    std::vector<schema::Job> plain;
    plain.reserve(jobs.size());
    schema::Uuid7Source ids;
    for (NewJob& job : jobs) {
        if (job.repeats()) {
            give_id(job, ids, session.database_now());
            start_series(session, transaction, job);
        } else {
            plain.push_back(std::move(job.job));
        }
    }
    if (!plain.empty()) {
        (void)session.engine().enqueue_all(transaction, std::move(plain));
    }
}

std::string what_is_taken(Session& session, const NewJob& job) {
    const std::string& id = job.job.id;
    if (!id.empty() && session.store().find(id)) {
        return fmt::format("there is a job {} already", quoted_if_needed(id));
    }
    const std::string& key = schema::series_key_of(job.job);
    if (job.repeats() && !key.empty() && session.series_store().find_series(key)) {
        return fmt::format("there is a series {} already", quoted_if_needed(key));
    }
    return {};
}

}  // namespace jobstrand::cli
