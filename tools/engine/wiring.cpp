#include "tools/engine/wiring.hpp"

#include "deadletter/policy_activities.hpp"
#include "executor/loop/polling_loop.hpp"
#include "persistence/migration/schema_check.hpp"
#include "persistence/migration/schema_migration.hpp"
#include "persistence/migration/table_changes.hpp"
#include "schema/tables.hpp"
#include "tools/engine/conversions.hpp"

#include <memory>
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

Wiring::Wiring(WiringOptions options, const schema::Clock& machine_clock, schema::Log& the_log)
    : url_(persistence::required_database_url(options.database_url)),
      settings_(std::move(options.executor)),
      log_(the_log),
      pool_(open(url_, options, log_)),
      schedule_(settings_.misfire_threshold),
      clock_(machine_clock),
      store_(
          *pool_,
          log_,
          schedule_,
          {},
          executor::exclusive_over(settings_),
          settings_.history,
          std::move(options.on_incident),
          clock_,
          std::move(options.ids)
      ),
      clock_comparison_(store_, clock_, log_),
      clock_interval_(
          options.follows_database_clock ? clock_comparison_.run_once() : executor::kUntilWoken
      ),
      dead_letters_(store_.jobs(), clock_),
      audit_(store_.audit(), clock_, &action_counts_),
      retry_rule_(std::move(options.retry_rule)),
      all_threads_(std::move(options.threads)),
      threads_(share_of(all_threads_)),
      deadlines_(executor::ExternalLimits(settings_.external_time_limits)),
      executor_(
          {store_.executor(),
           store_.nodes(),
           store_.served(),
           handlers_,
           clock_,
           log_,
           wake_ups_,
           threads_.get(),
           std::move(options.on_run),
           &retry_rule_,
           driver().has_one_writer,
           &store_.throughput(),
           &store_.runs(),
           &store_.run_news()},
          settings_
      ),
      producer_(
          {store_.enqueuer(), executor_, clock_, wake_ups_, store_.ids()},
          rules_for_new_jobs(settings_)
      ),
      outcomes_(
          {store_.jobs(),
           store_.executor(),
           clock_,
           [this](persistence::Outcome outcome) {
               executor_.outcome_was_written(std::move(outcome));
           }},
          settings_.retry
      ) {
    store_.add_definitions(std::move(options.definitions));
    if (options.create_indexes) {
        create_indexes(settings_, *pool_, log_);
    }
    if (clock_interval_ != executor::kUntilWoken) {
        executor_.add_activity(clock_comparison_);
    }
    if (settings_.acquire_timers) {
        add_mover();
    }
    add_workers();
    add_housekeeping(std::move(options.policies));
    wake_ups_.sleepers.external_workers = [this] {
        const std::scoped_lock lock(hearing_);
        if (hear_of_external_jobs_) {
            hear_of_external_jobs_();
        }
    };
    if (auto open_listener = persistence::listener_of(url_)) {
        executor_.listen(std::move(open_listener));
    }
}

// Its runs may use each part of it until they end, those too that the executor does not know.
Wiring::~Wiring() {
    if (executor_.is_running()) {
        (void)executor_.stop(executor::StopMode::drain);
    }
}

void Wiring::start() {
    require_rights();
    if (settings_.lock_granularity == schema::LockGranularity::page) {
        persistence::require_claimable(*pool_->lease(persistence::SessionPool::Access::read));
    }
    require_indexes(settings_, *pool_);
    require_statements();
    executor_.start();
}

// The servers themselves take them: the conformance suite has run all of them there.
void Wiring::require_statements() {
    const auto session = pool_->lease(persistence::SessionPool::Access::write);
    const persistence::Diagnostics& diagnostics = driver().diagnostics;
    std::string version;
    session->query({.sql = diagnostics.version_sql, .columns = 1}, {}, [&](const auto& row) {
        version = row.text(0);
    });
    if (!diagnostics.is_the_servers_own(version)) {
        persistence::require_statements(*session, schedule_, tried_by(settings_));
    }
}

std::vector<persistence::RefusedActivity> Wiring::refused_activities() {
    return persistence::refused_activities(
        *pool_->lease(persistence::SessionPool::Access::write), schedule_, tried_by(settings_)
    );
}

void Wiring::require_rights() {
    const auto session = pool_->lease(persistence::SessionPool::Access::write);
    persistence::require_write_rights(*session);
}

executor::PollingLoop& Wiring::add_chore(executor::Activity& activity) {
    chores_.push_back(&activity);
    return executor_.add_activity(activity);
}

void Wiring::add_workers() {
    executor::WorkerBroker& broker = workers_.emplace(
        executor::WorkerBroker::Dependencies{
            .store = store_.workers(),
            .clock = clock_,
            .wake_ups = wake_ups_,
            .run_counts = &executor_.run_counts(),
            .asked = &executor_.asked_topics(),
            .throughput = &executor_.throughput(),
            .last_runs = &executor_.last_runs(),
            .news = &executor_.news(),
            .deadlines = &deadlines_,
            .by_priority = settings_.order.by_priority},
        settings_.retry
    );
    if (deadlines_.limits().are_any()) {
        executor::PollingLoop& loop =
            add_chore(external_time_limits_.emplace(executor::ExternalTimeLimits::Dependencies{
                .store = store_.jobs(), .broker = broker, .deadlines = deadlines_, .clock = clock_})
            );
        deadlines_.when_earlier([&loop] { loop.wake(); });
    }
}

void Wiring::add_housekeeping(deadletter::DeadLetterPolicies of_dead_letters) {
    const std::string& node = executor_.lock_owner();
    const schema::HistoryRetention& history = settings_.history_retention;
    const bool is_cleaning = executor::is_to_clean(history, settings_.scope);
    if (is_cleaning) {
        add_chore(cleaning_.emplace(store_.history(), clock_, history));
        add_chore(run_cleaning_.emplace(store_.runs(), clock_, history));
    }
    if (is_cleaning && of_dead_letters.retention.is_any()) {
        policies_.push_back(std::make_unique<CleaningActivity>(
            "dead letter cleaning",
            deadletter::PolicyParts{store_.jobs(), audit_, clock_, node},
            of_dead_letters.retention,
            schema::DayWindow::of(history.window_start, history.window_end).value()
        ));
    }
    for (deadletter::RequeueRule& rule : of_dead_letters.requeues) {
        policies_.push_back(std::make_unique<RequeueActivity>(
            "automatic requeue",
            deadletter::PolicyParts{store_.jobs(), audit_, clock_, node},
            std::move(rule)
        ));
    }
    for (const auto& policy : policies_) {
        add_chore(*policy);
    }
}

void Wiring::add_mover() {
    mover_.emplace(
        timers::TimerMover::Dependencies{
            store_.timers(), executor_, clock_, wake_ups_, &executor_.last_view()},
        timers::TimerMover::Settings{
            .page = settings_.timer_page,
            .wait = settings_.timer_wait,
            .fire_ahead = settings_.fire_ahead}
    );
    mover_->search_first();
    executor::PollingLoop& loop = executor_.add_activity(*mover_);
    wake_ups_.sleepers.timer_mover = [this, &loop](schema::TimePoint due) {
        if (due == schema::kEarliestInstant) {  // Nobody knows, and it finds it later.
            mover_->look_again();
        } else {
            mover_->timer_was_stored(due);
        }
        // It looks every timer_wait by itself.
        if (due < clock_.now() + settings_.timer_wait) {
            loop.wake();
        }
    };
    wake_ups_.sleepers.timers_of_others = [this, &loop] {
        mover_->others_may_have_stored();
        loop.wake();
    };
    wake_ups_.sleepers.timers_without_room = [this, &loop] {
        if (mover_->awaits_room()) {
            loop.wake();
        }
    };
    if (!driver().has_one_writer) {
        executor::PollingLoop& beside = executor_.add_activity(mover_->beside());
        wake_ups_.sleepers.timers_beside = [&beside] { beside.wake(); };
    }
}

std::string Wiring::enqueue(schema::Job job) {
    return enqueue_all(one(std::move(job))).front();
}

std::string Wiring::enqueue(persistence::Transaction& transaction, schema::Job job) {
    return enqueue_all(transaction, one(std::move(job))).front();
}

executor::BulkEnqueue Wiring::enqueueing() {
    return {{store_.enqueuer(), store_.series()}, producer_, *store_.ids()};
}

executor::ManualRunResult Wiring::run_job(const std::string& id) {
    return executor::run_by_hand(
        {store_.executor(), handlers_, clock_, log_},
        {.retry = settings_.retry, .retry_rule = &retry_rule_},
        id,
        settings_.lock_time,
        executor::exclusive_over(settings_)
    );
}

void Wiring::on_external_jobs(std::function<void()> hear) {
    const std::scoped_lock lock(hearing_);
    hear_of_external_jobs_ = std::move(hear);
}

void Wiring::follow_database_clock() {
    if (clock_interval_ != executor::kUntilWoken) {
        executor::follow_database(clock_, store_);
    }
}

std::vector<persistence::ToldSymptom> Wiring::symptoms() {
    const auto session = pool_->lease(persistence::SessionPool::Access::read);
    return persistence::ask_about_all(*session, driver(), url_.path);
}

schema::CalendarTexts Wiring::calendar_texts() {
    schema::CalendarTexts texts;
    for (auto& [name, text] : series_store().calendars()) {
        texts.emplace(std::move(name), std::move(text));
    }
    return texts;
}

}  // namespace jobstrand::engine
