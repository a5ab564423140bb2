#include "persistence/store/statement_trial.hpp"

#include "persistence/sql/db_error.hpp"
#include "persistence/sql/session_pool.hpp"
#include "persistence/sql/sql_transaction.hpp"
#include "persistence/store/trial_stage.hpp"

#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

namespace jobstrand::persistence {

namespace {

using namespace std::chrono_literals;
using schema::Job;
using schema::JobPlace;

/// Passes statements on to a transaction in which they all stay: to begin and to end one means
/// nothing here. Behind an error nothing passes any more (see Transaction): the server may have
/// rolled back by itself, and what came then would be committed. The transaction must outlive it.
class RolledBackConnection final : public Connection {
public:
    explicit RolledBackConnection(Transaction& real) : real_(real) {}

    [[nodiscard]] const Dialect& dialect() const noexcept override { return real_.dialect(); }

    std::int64_t execute(std::string_view sql, std::span<const Value> parameters) override {
        return real_.execute(sql, parameters);
    }

    [[nodiscard]] bool copy_in(const NewRows& rows) override { return real_.copy_in(rows); }

    void query(Query query, std::span<const Value> parameters, const RowReader& read) override {
        real_.query(query, parameters, read);
    }

    void run_script(std::string_view /*sql*/) override {
        throw std::logic_error("a script may end the transaction that it is tried in");
    }
    void begin() override {}
    void announce_jobs() override { real_.announce_jobs(); }
    void commit() override {}
    void rollback() noexcept override {}
    [[nodiscard]] bool is_usable() const noexcept override { return true; }

private:
    Transaction& real_;
};

/// A day behind the first time that all databases hold.
constexpr schema::TimePoint kThen{24h};

}  // namespace

TrialStage::TrialStage(const Parts& parts)
    : settings_(parts.settings),
      clock_(kThen),
      store_(
          parts.pool,
          log_,
          parts.schedule,
          {.attempts = 1},
          schema::ExclusiveOver::instance,
          {},
          {},
          clock_
      ),
      name_("trial-" + store_.ids()->next()) {}

LockClaim TrialStage::claim() const {
    return {.owner = name_, .until = now() + 1min, .now = now()};
}

Job TrialStage::job() {
    Job job;
    job.id = store_.ids()->next();
    job.correlation_id = job.id;
    job.handler_type = name_;
    job.create_time = now();
    return job;
}

Job TrialStage::exclusive_job() {
    Job one = job();
    one.process_instance_id = name_;
    return one;
}

Job TrialStage::insert(JobPlace place, Job job) {
    return store_.enqueuer()
        .insert({{.place = place, .job = std::move(job)}}, IdOrigin::made)
        .front()
        .job;
}

std::vector<Job> TrialStage::insert_and_take(std::vector<Job> jobs) {
    const std::size_t count = jobs.size();
    std::vector<schema::PlacedJob> placed;
    for (Job& job : jobs) {
        placed.push_back({.place = JobPlace::executable, .job = std::move(job)});
    }
    store_.enqueuer().insert(std::move(placed), IdOrigin::made);
    return all_of(count, store_.executor().acquire(claim(), served(), count));
}

std::vector<Job> TrialStage::all_of(std::size_t count, std::vector<Job> found) {
    if (found.size() != count) {
        throw DbError(
            DbErrorKind::other,
            fmt::format("{} jobs were stored, and {} of them were found", count, found.size())
        );
    }
    return found;
}

void TrialStage::apply(const std::vector<std::pair<Job, schema::Transition>>& outcomes) {
    std::vector<Outcome> all;
    for (const auto& [job, transition] : outcomes) {
        all.push_back({
            .job = std::make_shared<const Job>(job),
            .transition = transition,
            .duration = schema::Duration(1),
            .ended = now(),
        });
    }
    for (const OutcomeAnswer answer : store_.executor().apply(name_, all)) {
        if (answer != OutcomeAnswer::done) {
            throw DbError(DbErrorKind::other, "the lock of a job that was just taken is lost");
        }
    }
}

namespace {

/// What the database says about a statement, and not about the state in which it is, about its
/// user, or about rows of others that are odd.
bool is_refusal(const DbError& error) {
    return !error.is_transient() && !error.is_outage() &&
           error.kind() != DbErrorKind::access_denied && error.kind() != DbErrorKind::unreadable;
}

/// One that meets others, such as nodes that start as well, is begun anew.
constexpr int kTries = 3;

/// nullopt: nothing of it is refused, as far as others have let it come.
std::optional<DbError> refusal_of(
    const Trial& trial,
    Connection& connection,
    const schema::SeriesSchedule& schedule,
    const TriedSettings& settings
) {
    for (int tries = 1;; ++tries) {
        Transaction transaction(connection);
        SessionPool pool(
            [&transaction](SessionPool::Access) {
                return std::make_unique<RolledBackConnection>(transaction);
            },
            {.writers = 1, .readers = 0},
            std::chrono::seconds(1)
        );
        // What a failed one has in memory is no concern of the next.
        TrialStage stage({pool, schedule, settings});
        try {
            trial.run(stage);
            return std::nullopt;
        } catch (const DbError& error) {
            if (is_refusal(error)) {
                return error;
            }
            if (error.is_outage() || error.kind() == DbErrorKind::access_denied) {
                throw;
            }
            if (error.kind() != DbErrorKind::conflict || tries == kTries) {
                return std::nullopt;
            }
        }
    }
}

}  // namespace

std::vector<RefusedActivity> refused_activities(
    Connection& connection,
    const schema::SeriesSchedule& schedule,
    const TriedSettings& settings
) {
    std::vector<RefusedActivity> refused;
    for (const Trial& trial : trials()) {
        if (const auto error = refusal_of(trial, connection, schedule, settings)) {
            refused.push_back({.activity = trial.activity, .reason = error->what()});
        }
    }
    return refused;
}

void require_statements(
    Connection& connection,
    const schema::SeriesSchedule& schedule,
    const TriedSettings& settings
) {
    const auto refused = refused_activities(connection, schedule, settings);
    if (refused.empty()) {
        return;
    }
    std::string all;
    for (const RefusedActivity& one : refused) {
        all += fmt::format("{} to {}: {}", all.empty() ? "" : ";", one.activity, one.reason);
    }
    throw DbError(
        DbErrorKind::other,
        fmt::format("this database refuses statements without which no job can be run here:{}", all)
    );
}

}  // namespace jobstrand::persistence
