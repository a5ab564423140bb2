#include "tools/engine/wiring_parts.hpp"

#include "deadletter/policy_activities.hpp"
#include "executor/loop/activity.hpp"
#include "executor/loop/polling_loop.hpp"
#include "persistence/drivers/database.hpp"
#include "persistence/drivers/database_url.hpp"
#include "persistence/drivers/driver.hpp"
#include "persistence/migration/schema_check.hpp"
#include "persistence/migration/schema_migration.hpp"
#include "persistence/migration/table_changes.hpp"
#include "persistence/store/statement_trial.hpp"
#include "schema/tables.hpp"

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace jobstrand::engine {

namespace {

/// What is done with dead letters by itself, as an executor repeats it: deadletter/ knows no loops.
template <typename Policy>
class PolicyActivity final : public executor::Activity {
public:
    /// The name has to stay.
    template <typename... Arguments>
    explicit PolicyActivity(std::string_view name, Arguments&&... arguments)
        : name_(name), policy_(std::forward<Arguments>(arguments)...) {}

    [[nodiscard]] std::string_view name() const noexcept override { return name_; }
    [[nodiscard]] schema::Duration run_once() override { return policy_.run_once(); }

private:
    const std::string_view name_;
    Policy policy_;
};

using CleaningActivity = PolicyActivity<deadletter::DeadLetterCleaning>;
using RequeueActivity = PolicyActivity<deadletter::AutomaticRequeue>;

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
    if (!options.update_schema) {
        persistence::require_current_schema(*pool->lease(persistence::SessionPool::Access::read));
        return pool;
    }
    const auto session = pool->lease(persistence::SessionPool::Access::write);
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

struct NeededIndex {
    const schema::OptionalIndex& index;
    std::string_view purpose;
};

std::vector<NeededIndex> indexes_for(const executor::ExecutorSettings& settings) {
    std::vector<NeededIndex> needed;
    if (settings.acquire_async_jobs && settings.order.is_any()) {
        needed.push_back({schema::index_of(settings.order), "the order in which jobs are acquired"}
        );
    }
    if (settings.acquire_async_jobs && settings.instances_together) {
        needed.push_back({schema::kInstanceIndex, "taking jobs of an instance along"});
    }
    return needed;
}

void require_indexes(const executor::ExecutorSettings& settings, persistence::SessionPool& pool) {
    for (const auto& [index, purpose] : indexes_for(settings)) {
        const auto session = pool.lease(persistence::SessionPool::Access::read);
        persistence::require_index(*session, index, purpose);
    }
}

void create_indexes(
    const executor::ExecutorSettings& settings,
    persistence::SessionPool& pool,
    schema::Log& log
) {
    for (const NeededIndex& needed : indexes_for(settings)) {
        const auto session = pool.lease(persistence::SessionPool::Access::write);
        if (persistence::create_index(*session, needed.index)) {
            log.write(
                schema::LogLevel::info, "index created", {{"index", std::string(needed.index.name)}}
            );
        }
    }
}

persistence::TriedSettings tried_by(const executor::ExecutorSettings& settings) {
    return {
        .locks = settings.lock_granularity,
        .order = settings.acquire_async_jobs ? settings.order : schema::AcquisitionOrder{},
        .instances_together = settings.acquire_async_jobs && settings.instances_together,
    };
}

std::unique_ptr<executor::SharedThreads::Share> share_of(
    const std::shared_ptr<executor::SharedThreads>& threads
) {
    return threads == nullptr ? nullptr
                              : std::make_unique<executor::SharedThreads::Share>(*threads);
}

/// What new jobs get.
executor::JobProducer::Rules rules_for_new_jobs(const executor::ExecutorSettings& settings) {
    return {
        .retries = settings.retry,
        .is_prioritized = settings.prioritized_jobs,
        .on_failed_expression = settings.tolerates_failed_expressions
                                    ? schema::FailedExpression::says_nothing
                                    : schema::FailedExpression::refuses_job,
        .records_definitions = settings.records_definitions,
    };
}

}  // namespace

Wiring::Parts::Parts(
    WiringOptions options,
    const schema::Clock& machine_clock,
    schema::Log& the_log
)
    : url(parsed(options.database_url)),
      settings(std::move(options.executor)),
      log(the_log),
      pool(open(url, options, log)),
      schedule(settings.misfire_threshold),
      clock(machine_clock),
      store(
          *pool,
          log,
          schedule,
          {},
          executor::exclusive_over(settings),
          settings.history,
          std::move(options.on_incident),
          clock,
          std::move(options.ids)
      ),
      clock_comparison(store, clock, log),
      clock_interval(
          options.follows_database_clock ? clock_comparison.run_once() : executor::kUntilWoken
      ),
      dead_letters(store.jobs(), clock),
      audit(store.audit(), clock, &action_counts),
      retry_rule(std::move(options.retry_rule)),
      all_threads(std::move(options.threads)),
      threads(share_of(all_threads)),
      deadlines(executor::ExternalLimits(settings.external_time_limits)),
      executor(
          {store.executor(),
           store.nodes(),
           store.served(),
           handlers,
           clock,
           log,
           wake_ups,
           threads.get(),
           std::move(options.on_run),
           &retry_rule,
           persistence::driver_of(url).has_one_writer,
           &store.throughput(),
           &store.runs(),
           &store.run_news()},
          settings
      ),
      producer(
          {store.enqueuer(), executor, clock, wake_ups, store.ids()},
          rules_for_new_jobs(settings)
      ),
      outcomes(
          {store.jobs(),
           store.executor(),
           clock,
           [this](persistence::Outcome outcome) {
               executor.outcome_was_written(std::move(outcome));
           }},
          settings.retry
      ) {
    store.add_definitions(std::move(options.definitions));
    if (options.create_indexes) {
        create_indexes(settings, *pool, log);
    }
    if (clock_interval != executor::kUntilWoken) {
        executor.add_activity(clock_comparison);
    }
    if (settings.acquire_timers) {
        add_mover();
    }
    add_workers();
    add_housekeeping(std::move(options.policies));
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

void Wiring::Parts::start() {
    require_rights();
    if (settings.lock_granularity == schema::LockGranularity::page) {
        persistence::require_claimable(*pool->lease(persistence::SessionPool::Access::read));
    }
    require_indexes(settings, *pool);
    require_statements();
    executor.start();
}

// The servers themselves take them: the conformance suite has run all of them there.
void Wiring::Parts::require_statements() {
    const auto session = pool->lease(persistence::SessionPool::Access::write);
    const persistence::Diagnostics& diagnostics = persistence::driver_of(url).diagnostics;
    std::string version;
    session->query({.sql = diagnostics.version_sql, .columns = 1}, {}, [&](const auto& row) {
        version = row.text(0);
    });
    if (!diagnostics.is_the_servers_own(version)) {
        persistence::require_statements(*session, schedule, tried_by(settings));
    }
}

std::vector<persistence::RefusedActivity> Wiring::Parts::refused_activities() {
    return persistence::refused_activities(
        *pool->lease(persistence::SessionPool::Access::write), schedule, tried_by(settings)
    );
}

void Wiring::Parts::require_rights() {
    const auto session = pool->lease(persistence::SessionPool::Access::write);
    persistence::require_write_rights(*session);
}

executor::PollingLoop& Wiring::Parts::add_chore(executor::Activity& activity) {
    chores.push_back(&activity);
    return executor.add_activity(activity);
}

void Wiring::Parts::add_workers() {
    executor::WorkerBroker& broker = workers.emplace(
        executor::WorkerBroker::Dependencies{
            .store = store.workers(),
            .clock = clock,
            .wake_ups = wake_ups,
            .run_counts = &executor.run_counts(),
            .asked = &executor.asked_topics(),
            .throughput = &executor.throughput(),
            .last_runs = &executor.last_runs(),
            .news = &executor.news(),
            .deadlines = &deadlines,
            .by_priority = settings.order.by_priority},
        settings.retry
    );
    if (deadlines.limits().are_any()) {
        executor::PollingLoop& loop =
            add_chore(external_time_limits.emplace(executor::ExternalTimeLimits::Dependencies{
                .store = store.jobs(), .broker = broker, .deadlines = deadlines, .clock = clock}));
        deadlines.when_earlier([&loop] { loop.wake(); });
    }
}

void Wiring::Parts::add_housekeeping(deadletter::DeadLetterPolicies of_dead_letters) {
    const std::string& node = executor.lock_owner();
    const schema::HistoryRetention& history = settings.history_retention;
    const bool is_cleaning = executor::is_to_clean(history, settings.scope);
    if (is_cleaning) {
        add_chore(cleaning.emplace(store.history(), clock, history));
        add_chore(run_cleaning.emplace(store.runs(), clock, history));
    }
    if (is_cleaning && of_dead_letters.retention.is_any()) {
        policies.push_back(std::make_unique<CleaningActivity>(
            "dead letter cleaning",
            deadletter::DeadLetterCleaning::Dependencies{store.jobs(), audit, clock, node},
            of_dead_letters.retention,
            schema::DayWindow::of(history.window_start, history.window_end).value()
        ));
    }
    for (deadletter::RequeueRule& rule : of_dead_letters.requeues) {
        policies.push_back(std::make_unique<RequeueActivity>(
            "automatic requeue",
            deadletter::AutomaticRequeue::Dependencies{store.jobs(), audit, clock, node},
            std::move(rule)
        ));
    }
    for (const auto& policy : policies) {
        add_chore(*policy);
    }
}

void Wiring::Parts::add_mover() {
    mover.emplace(
        timers::TimerMover::Dependencies{
            store.timers(), executor, clock, wake_ups, &executor.last_view()},
        timers::TimerMover::Settings{
            .page = settings.timer_page,
            .wait = settings.timer_wait,
            .fire_ahead = settings.fire_ahead}
    );
    mover->search_first();
    executor::PollingLoop& loop = executor.add_activity(*mover);
    wake_ups.sleepers.timer_mover = [this, &loop](schema::TimePoint due) {
        if (due == schema::kEarliestInstant) {  // Nobody knows, and it finds it later.
            mover->look_again();
        } else {
            mover->timer_was_stored(due);
        }
        // It looks every timer_wait by itself.
        if (due < clock.now() + settings.timer_wait) {
            loop.wake();
        }
    };
    wake_ups.sleepers.timers_of_others = [this, &loop] {
        mover->others_may_have_stored();
        loop.wake();
    };
    wake_ups.sleepers.timers_without_room = [this, &loop] {
        if (mover->awaits_room()) {
            loop.wake();
        }
    };
    if (!persistence::driver_of(url).has_one_writer) {
        executor::PollingLoop& beside = executor.add_activity(mover->beside());
        wake_ups.sleepers.timers_beside = [&beside] { beside.wake(); };
    }
}

}  // namespace jobstrand::engine
