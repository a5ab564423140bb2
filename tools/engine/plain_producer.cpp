#include "persistence/drivers/callback_connection.hpp"
#include "persistence/drivers/driver.hpp"
#include "persistence/drivers/mysql/mysql_errors.hpp"
#include "persistence/drivers/postgresql/postgresql_errors.hpp"
#include "persistence/drivers/sqlite/sqlite_backend.hpp"
#include "persistence/rows/insert_jobs.hpp"
#include "persistence/sql/statement_text.hpp"
#include "schema/clock.hpp"
#include "timers/series/series_planner.hpp"
#include "tools/engine/conversions.hpp"
#include "tools/engine/engine_parts.hpp"

#include <fmt/format.h>
#include <jobstrand/enqueuer.hpp>

#include <stdexcept>
#include <utility>

namespace jobstrand::engine {

namespace {

/// As a URL names it.
std::string_view name_of(Database database) {
    switch (database) {
        case Database::sqlite:
            return "sqlite";
        case Database::mysql:
            return "mysql";
        case Database::postgresql:
            return "postgresql";
    }
    return {};
}

persistence::CallbackConnection opened(const AppConnection& connection) {
    if (!connection.run) {
        throw std::logic_error("the connection has no function `run`: give it one");
    }
    return {
        persistence::find_driver(name_of(connection.database))->dialect,
        [run = connection.run](std::string_view sql, std::span<const persistence::Value> values) {
            run(sql, to_public_values(values));
        }};
}

/// Of a job that repeats; its series is made when it falls due.
schema::TimePoint first_due(const schema::Job& job, schema::TimePoint now) {
    const auto plan = timers::SeriesPlanner().begin(schema::series_of(job), {}, job.due_date, now);
    if (!plan) {
        throw std::invalid_argument("repeat: " + plan.error().message);
    }
    return plan.value().next_due.value();
}

/// The app's connection is only written to.
schema::CalendarTexts refuse_calendars() {
    throw std::invalid_argument(
        "due_calendar: calendars are in the database, which is not read on the app's connection: "
        "enqueue with an Engine"
    );
}

/// Throws std::invalid_argument for one that cannot be followed.
std::vector<schema::KeyRule> rules_of(const std::vector<executor::UniqueJob>& jobs) {
    std::vector<schema::KeyRule> rules;
    for (const auto& [job, rule] : jobs) {
        std::string problem = schema::problem_of(rule, job.unique_key);
        if (problem.empty() && rule.on_duplicate != OnDuplicate::reject) {
            problem =
                "on_duplicate: who has the key is in the database, which is not read on the app's "
                "connection: leave it at reject, or enqueue with an Engine";
        }
        if (!problem.empty()) {
            throw std::invalid_argument(problem);
        }
        rules.push_back(rule);
    }
    return rules;
}

std::vector<schema::Job> take_jobs(std::vector<executor::UniqueJob>& unique) {
    std::vector<schema::Job> jobs;
    jobs.reserve(unique.size());
    for (executor::UniqueJob& one : unique) {
        jobs.push_back(std::move(one.job));
    }
    return jobs;
}

std::vector<std::string> ids_of(const std::vector<schema::Job>& jobs) {
    std::vector<std::string> ids;
    ids.reserve(jobs.size());
    for (const schema::Job& job : jobs) {
        ids.push_back(job.id);
    }
    return ids;
}

}  // namespace

PlainProducer::PlainProducer(
    const schema::Clock& clock,
    schema::RetryPolicy policy,
    std::shared_ptr<schema::FreshIds> ids
)
    : clock_(clock),
      defaults_(
          clock,
          std::move(policy),
          true,
          schema::FailedExpression::refuses_job,
          std::move(ids)
      ) {}

std::vector<std::string>
PlainProducer::enqueue(const AppConnection& connection, std::vector<NewJob> jobs) {
    resolve_due_texts(jobs, clock_.now(), refuse_calendars);
    std::vector<executor::UniqueJob> unique = jobs_of(std::move(jobs));
    const std::vector<schema::KeyRule> rules = rules_of(unique);
    std::vector<schema::Job> ours = take_jobs(unique);
    defaults_.fill_in(ours);
    std::vector<std::string> ids = ids_of(ours);
    std::vector<schema::PlacedJob> rows = placed(std::move(ours));
    if (rows.empty()) {
        return ids;
    }
    persistence::CallbackConnection own = opened(connection);
    persistence::Transaction transaction(own);
    const std::lock_guard lock(ids_mutex_);
    persistence::insert_plainly(transaction, std::move(rows), rules, payload_ids_, clock_.now());
    transaction.commit();
    return ids;
}

std::vector<schema::PlacedJob> PlainProducer::placed(std::vector<schema::Job> jobs) const {
    std::vector<schema::PlacedJob> rows;
    rows.reserve(jobs.size());
    for (schema::Job& job : jobs) {
        if (!job.repeat.empty()) {
            job.due_date = first_due(job, clock_.now());
            job.type = schema::kTimerType;
        }
        const bool is_timer = job.due_date && job.type != schema::kExternalWorkerType;
        const JobPlace place = is_timer ? JobPlace::timer : schema::place_of_new(job, clock_.now());
        rows.push_back({.place = place, .job = std::move(job)});
    }
    return rows;
}

}  // namespace jobstrand::engine

namespace jobstrand {

class Enqueuer::Parts {
public:
    Parts(AppConnection app_connection, const RetryOptions& retry)
        : connection(std::move(app_connection)), producer(clock, engine::policy_of(retry)) {}

    const AppConnection connection;
    const schema::SystemClock clock;
    engine::PlainProducer producer;
};

Enqueuer::Enqueuer(AppConnection connection, const RetryOptions& retry)
    : parts_(std::make_unique<Parts>(std::move(connection), retry)) {}

Enqueuer::~Enqueuer() = default;
Enqueuer::Enqueuer(Enqueuer&&) noexcept = default;
Enqueuer& Enqueuer::operator=(Enqueuer&&) noexcept = default;

std::string Enqueuer::enqueue(NewJob job) {
    return enqueue_all(engine::one(std::move(job))).front();
}

std::vector<std::string> Enqueuer::enqueue_all(std::vector<NewJob> jobs) {
    return parts_->producer.enqueue(parts_->connection, std::move(jobs));
}

namespace bridge {

namespace {

using persistence::DbError;
using persistence::sql_summary;

std::string told(std::string_view sql, std::string_view message) {
    return fmt::format("{}: {}", sql_summary(sql), message);
}

}  // namespace

void fail_on_sqlite(int extended_code, std::string_view message, std::string_view sql) {
    throw DbError(persistence::classify_sqlite(extended_code, message), told(sql, message));
}

void fail_on_postgresql(std::string_view sqlstate, std::string_view message, std::string_view sql) {
    throw DbError(
        sqlstate.empty() ? persistence::DbErrorKind::connection_lost
                         : persistence::classify_postgresql(sqlstate),
        persistence::postgresql_error_text(sql_summary(sql), message, sqlstate)
    );
}

void fail_on_mysql(unsigned code, std::string_view message, std::string_view sql) {
    const int number = static_cast<int>(code);
    throw DbError(
        persistence::classify_mysql(number, message),
        persistence::mysql_error_text(sql_summary(sql), message, number)
    );
}

void refuse_without_transaction() {
    throw std::logic_error(
        "no transaction is open on this connection: begin one, write your rows and enqueue in it, "
        "then commit"
    );
}

}  // namespace bridge

}  // namespace jobstrand
