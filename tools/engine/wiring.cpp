#include "tools/engine/wiring.hpp"

#include "executor/async_executor.hpp"
#include "executor/clock_comparison.hpp"
#include "executor/enqueue/job_producer.hpp"
#include "executor/loop/wake_ups.hpp"
#include "persistence/drivers/database.hpp"
#include "persistence/drivers/parse_database_url.hpp"
#include "persistence/drivers/registry.hpp"
#include "persistence/migration/optional_index.hpp"
#include "persistence/migration/schema_migration.hpp"
#include "persistence/migration/write_rights.hpp"
#include "persistence/store/sql_store.hpp"
#include "persistence/url/database_url.hpp"
#include "schema/database_clock.hpp"
#include "schema/tables.hpp"
#include "timers/series/series_planner.hpp"
#include "timers/timer_mover.hpp"

#include <functional>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <utility>

namespace jobstrand::engine {

namespace {

persistence::DatabaseUrl parsed(const std::string& text) {
    const auto url = persistence::parse_database_url(text);
    if (!url) {
        throw std::invalid_argument(url.error().message);
    }
    return url.value();
}

std::unique_ptr<persistence::SessionPool>
open(const persistence::DatabaseUrl& url, const WiringOptions& options, schema::Log& log) {
    auto pool = persistence::open_database(
        url,
        {.create_if_missing = options.update_schema && options.create_database,
         .decorate = options.decorate_connection}
    );
    const auto session = pool->lease(persistence::SessionPool::Access::write);
    if (!options.update_schema) {
        persistence::require_current_schema(*session);
        return pool;
    }
    const auto upgrade = persistence::upgrade_schema(*session);
    if (upgrade.from != upgrade.to) {
        log.write(
            schema::LogLevel::info,
            upgrade.from == 0 ? "tables created" : "tables upgraded",
            {{"version", upgrade.to}}
        );
    }
    return pool;
}

void require_rights_on(persistence::SessionPool& pool) {
    const auto session = pool.lease(persistence::SessionPool::Access::write);
    persistence::require_write_rights(*session);
}

void require_index_of(const schema::AcquisitionOrder& order, persistence::SessionPool& pool) {
    const auto session = pool.lease(persistence::SessionPool::Access::read);
    persistence::require_index(
        *session, schema::index_of(order), "the order in which jobs are acquired"
    );
}

std::unique_ptr<executor::SharedThreads::Share> share_of(
    const std::shared_ptr<executor::SharedThreads>& threads
) {
    return threads == nullptr ? nullptr
                              : std::make_unique<executor::SharedThreads::Share>(*threads);
}

}  // namespace

/// The objects of one engine, oldest dependency first.
class Wiring::Parts {
public:
    Parts(WiringOptions options, const schema::Clock& machine_clock, schema::Log& the_log)
        : url(parsed(options.database_url)),
          settings(std::move(options.executor)),
          log(the_log),
          pool(open(url, options, log)),
          schedule(settings.misfire_threshold),
          store(*pool, log, schedule, {}, executor::exclusive_over(settings)),
          clock(machine_clock),
          clock_comparison(store, clock, log),
          clock_interval(clock_comparison.run_once()),
          dead_letters(store, clock),
          all_threads(std::move(options.threads)),
          threads(share_of(all_threads)),
          executor(
              {store,
               store,
               store,
               handlers,
               clock,
               log,
               wake_ups,
               threads.get(),
               std::move(options.on_run)},
              settings
          ),
          producer({store, executor, clock, wake_ups}, settings.retry),
          workers({store, clock, wake_ups}, settings.retry),
          outcomes(
              {store,
               store,
               clock,
               [this](persistence::Outcome outcome) {
                   executor.outcome_was_written(std::move(outcome));
               }},
              settings.retry
          ) {
        if (clock_interval != executor::kUntilWoken) {
            executor.add_activity(clock_comparison);
        }
        if (settings.acquire_timers) {
            add_mover();
        }
        wake_ups.sleepers.external_workers = [this] {
            const std::scoped_lock lock(hearing);
            if (hear_of_external_jobs) {
                hear_of_external_jobs();
            }
        };
        if (auto open_listener = persistence::listener_of(url)) {
            executor.listen(std::move(open_listener));
        }
    }

    void start() {
        require_rights_on(*pool);
        if (settings.order.is_any() && settings.acquire_async_jobs) {
            require_index_of(settings.order, *pool);
        }
        executor.start();
    }

    void add_mover() {
        mover.emplace(
            timers::TimerMover::Dependencies{store, executor, clock, wake_ups},
            timers::TimerMover::Settings{
                .page = settings.timer_page,
                .wait = settings.timer_wait,
                .fire_ahead = settings.fire_ahead}
        );
        executor::PollingLoop& loop = executor.add_activity(*mover);
        wake_ups.sleepers.timer_mover = [this, &loop](schema::TimePoint due) {
            if (due != schema::kEarliestInstant) {  // Else nobody knows, and it finds it later.
                mover->timer_was_stored(due);
            }
            // It looks every timer_wait by itself.
            if (due < clock.now() + settings.timer_wait) {
                loop.wake();
            }
        };
        wake_ups.sleepers.timers_without_room = [this, &loop] {
            if (mover->awaits_room()) {
                loop.wake();
            }
        };
    }

    const persistence::DatabaseUrl url;
    const executor::ExecutorSettings settings;
    schema::Log& log;
    std::unique_ptr<persistence::SessionPool> pool;
    const timers::SeriesPlanner schedule;
    persistence::SqlStore store;
    schema::DatabaseClock clock;
    executor::ClockComparison clock_comparison;
    const schema::Duration clock_interval;
    deadletter::DeadLetters dead_letters;
    executor::HandlerRegistry handlers;
    executor::WakeUps wake_ups;
    std::mutex hearing;
    std::function<void()> hear_of_external_jobs;  ///< Guarded by hearing.
    std::optional<timers::TimerMover> mover;      ///< Outlives the executor, whose loop runs it.
    const std::shared_ptr<executor::SharedThreads> all_threads;
    const std::unique_ptr<executor::SharedThreads::Share> threads;
    executor::AsyncExecutor executor;
    executor::JobProducer producer;
    executor::WorkerDesk workers;
    executor::OutcomeDesk outcomes;
};

Wiring::Wiring(WiringOptions options, const schema::Clock& clock, schema::Log& log)
    : parts_(std::make_unique<Parts>(std::move(options), clock, log)) {}

Wiring::~Wiring() = default;

executor::HandlerRegistry& Wiring::handlers() {
    return parts_->handlers;
}

void Wiring::serve_anew() {
    parts_->executor.serve_anew();
}

void Wiring::limit_to(schema::ServedScope scope) {
    parts_->executor.limit_to(std::move(scope));
}

std::shared_ptr<const persistence::ServedJobs> Wiring::served() const {
    return parts_->executor.served();
}

void Wiring::start() {
    parts_->start();
}

void Wiring::require_rights() {
    require_rights_on(*parts_->pool);
}

bool Wiring::stop(executor::StopMode mode) {
    return parts_->executor.stop(mode);
}

bool Wiring::is_running() const {
    return parts_->executor.is_running();
}

void Wiring::wake() {
    parts_->wake_ups.others_enqueued();
}

std::string Wiring::start_series(schema::Series series, schema::Job turn) {
    return parts_->producer.start_series(std::move(series), std::move(turn));
}

std::string Wiring::start_series(
    persistence::Transaction& transaction,
    schema::Series series,
    schema::Job turn
) {
    return parts_->producer.start_series(transaction, std::move(series), std::move(turn));
}

std::string Wiring::enqueue(schema::Job job) {
    std::vector<schema::Job> jobs;
    jobs.push_back(std::move(job));
    return enqueue_all(std::move(jobs)).front();
}

std::vector<std::string> Wiring::enqueue_all(std::vector<schema::Job> jobs) {
    return parts_->producer.enqueue(std::move(jobs));
}

std::vector<schema::Enqueued> Wiring::enqueue_unique(std::vector<executor::UniqueJob> jobs) {
    return parts_->producer.enqueue_unique(std::move(jobs));
}

std::vector<schema::Enqueued> Wiring::enqueue_unique(
    persistence::Transaction& transaction,
    std::vector<executor::UniqueJob> jobs
) {
    return parts_->producer.enqueue_unique(transaction, std::move(jobs));
}

std::string Wiring::enqueue(persistence::Transaction& transaction, schema::Job job) {
    std::vector<schema::Job> jobs;
    jobs.push_back(std::move(job));
    return enqueue_all(transaction, std::move(jobs)).front();
}

std::vector<std::string>
Wiring::enqueue_all(persistence::Transaction& transaction, std::vector<schema::Job> jobs) {
    return parts_->producer.enqueue(transaction, std::move(jobs));
}

void Wiring::in_transaction(
    const std::function<void(persistence::Transaction&)>& work,
    const std::function<bool(persistence::Transaction&)>& was_committed
) {
    parts_->store.in_transaction(work, was_committed);
}

executor::ManualRunResult Wiring::run_job(const std::string& id) {
    return executor::run_by_hand(
        {parts_->store, parts_->handlers, parts_->clock, parts_->log},
        parts_->settings.retry,
        id,
        parts_->settings.lock_time,
        executor::exclusive_over(parts_->settings)
    );
}

executor::BulkEnqueue Wiring::enqueueing() {
    return {{parts_->store, parts_->store}, parts_->producer, parts_->clock};
}

executor::WorkerDesk& Wiring::workers() {
    return parts_->workers;
}

executor::OutcomeDesk& Wiring::outcomes() {
    return parts_->outcomes;
}

void Wiring::on_external_jobs(std::function<void()> hear) {
    const std::scoped_lock lock(parts_->hearing);
    parts_->hear_of_external_jobs = std::move(hear);
}

persistence::ExecutorStore& Wiring::executor_store() {
    return parts_->store;
}

persistence::TimerStore& Wiring::timer_store() {
    return parts_->store;
}

persistence::OperatorStore& Wiring::store() {
    return parts_->store;
}

persistence::SeriesStore& Wiring::series_store() {
    return parts_->store;
}

persistence::LimitStore& Wiring::limit_store() {
    return parts_->store;
}

persistence::NodeStore& Wiring::node_store() {
    return parts_->store;
}

persistence::AuditStore& Wiring::audit_store() {
    return parts_->store;
}

persistence::RequestStore& Wiring::request_store() {
    return parts_->store;
}

persistence::ServedStore& Wiring::served_store() {
    return parts_->store;
}

schema::CalendarTexts Wiring::calendar_texts() {
    schema::CalendarTexts texts;
    for (auto& [name, text] : series_store().calendars()) {
        texts.emplace(std::move(name), std::move(text));
    }
    return texts;
}

deadletter::DeadLetters& Wiring::dead_letters() {
    return parts_->dead_letters;
}

const schema::Clock& Wiring::clock() const {
    return parts_->clock;
}

bool Wiring::has_one_writer() const {
    return persistence::driver_of(parts_->url).has_one_writer;
}

schema::Duration Wiring::clock_skew() const {
    return parts_->clock.skew();
}

const std::string& Wiring::lock_owner() const {
    return parts_->executor.lock_owner();
}

persistence::NodeLoad Wiring::load() const {
    return parts_->executor.load();
}

const executor::OutcomeCounts& Wiring::outcome_counts() const {
    return parts_->executor.outcome_counts();
}

const executor::RunTimes& Wiring::run_times() const {
    return parts_->executor.run_times();
}

executor::ActivityCounts Wiring::activity_counts() const {
    return parts_->executor.activity_counts();
}

schema::Duration Wiring::lease_left() const {
    return parts_->executor.lease_left();
}

}  // namespace jobstrand::engine
