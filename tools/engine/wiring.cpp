#include "tools/engine/wiring.hpp"

#include "persistence/drivers/driver.hpp"
#include "tools/engine/wiring_parts.hpp"

#include <functional>
#include <utility>

namespace jobstrand::engine {

Wiring::Wiring(WiringOptions options, const schema::Clock& clock, schema::Log& log)
    : parts_(std::make_unique<Parts>(std::move(options), clock, log)) {}

Wiring::~Wiring() = default;

const persistence::DatabaseUrl& Wiring::database() const {
    return parts_->url;
}

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
    parts_->require_rights();
}

std::vector<persistence::RefusedActivity> Wiring::refused_activities() {
    return parts_->refused_activities();
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
    parts_->store.enqueuer().in_transaction(work, was_committed);
}

executor::ManualRunResult Wiring::run_job(const std::string& id) {
    return executor::run_by_hand(
        {parts_->store.executor(), parts_->handlers, parts_->clock, parts_->log},
        {.retry = parts_->settings.retry, .retry_rule = &parts_->retry_rule},
        id,
        parts_->settings.lock_time,
        executor::exclusive_over(parts_->settings)
    );
}

executor::BulkEnqueue Wiring::enqueueing() {
    return {
        {parts_->store.enqueuer(), parts_->store.series()}, parts_->producer, *parts_->store.ids()};
}

const executor::RetryRule& Wiring::retry_rule() const {
    return parts_->retry_rule;
}

const executor::ExecutorSettings& Wiring::settings() const {
    return parts_->settings;
}

std::vector<executor::Activity*> Wiring::chores() {
    return parts_->chores;
}

executor::LastRuns& Wiring::last_runs() {
    return parts_->executor.last_runs();
}

executor::WorkerBroker& Wiring::workers() {
    return *parts_->workers;
}

executor::OutcomeReceiver& Wiring::outcomes() {
    return parts_->outcomes;
}

void Wiring::on_external_jobs(std::function<void()> hear) {
    const std::scoped_lock lock(parts_->hearing);
    parts_->hear_of_external_jobs = std::move(hear);
}

persistence::ExecutorStore& Wiring::executor_store() {
    return parts_->store.executor();
}

persistence::TimerStore& Wiring::timer_store() {
    return parts_->store.timers();
}

persistence::OperatorStore& Wiring::store() {
    return parts_->store.jobs();
}

persistence::SeriesStore& Wiring::series_store() {
    return parts_->store.series();
}

persistence::DefinitionStore& Wiring::definition_store() {
    return parts_->store.definitions();
}

persistence::EngineStore& Wiring::engine_store() {
    return parts_->store.engine();
}

persistence::LimitStore& Wiring::limit_store() {
    return parts_->store.limits();
}

void Wiring::follow_database_clock() {
    if (parts_->clock_interval != executor::kUntilWoken) {
        executor::follow_database(parts_->clock, parts_->store);
    }
}

persistence::NamedLockStore& Wiring::named_lock_store() {
    return parts_->store.named_locks();
}

persistence::NodeStore& Wiring::node_store() {
    return parts_->store.nodes();
}

persistence::BatchStore& Wiring::batch_store() {
    return parts_->store.batches();
}

persistence::AuditStore& Wiring::audit_store() {
    return parts_->store.audit();
}

persistence::RequestStore& Wiring::request_store() {
    return parts_->store.requests();
}

persistence::HistoryStore& Wiring::history_store() {
    return parts_->store.history();
}

persistence::RunStore& Wiring::run_store() {
    return parts_->store.runs();
}

persistence::ServedStore& Wiring::served_store() {
    return parts_->store.served();
}

persistence::WatchStore& Wiring::watch_store() {
    return parts_->store.watch();
}

persistence::ThroughputStore& Wiring::throughput_store() {
    return parts_->store.throughput();
}

persistence::RunNewsStore& Wiring::run_news_store() {
    return parts_->store.run_news();
}

std::vector<persistence::ToldSymptom> Wiring::symptoms() {
    const auto session = parts_->pool->lease(persistence::SessionPool::Access::read);
    return persistence::ask_about_all(
        *session, persistence::driver_of(parts_->url), parts_->url.path
    );
}

const schema::SeriesSchedule& Wiring::schedule() const {
    return parts_->schedule;
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

const std::shared_ptr<schema::FreshIds>& Wiring::ids() const {
    return parts_->store.ids();
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

const schema::FailureClasses& Wiring::failure_classes() const {
    return parts_->executor.failure_classes();
}

const executor::RunTimes& Wiring::run_times() const {
    return parts_->executor.run_times();
}

executor::ActivityCounts Wiring::activity_counts() const {
    return parts_->executor.activity_counts();
}

executor::ActivityTimes Wiring::activity_times() const {
    return parts_->executor.activity_times();
}

std::uint64_t Wiring::timers_moved() const {
    return parts_->mover ? parts_->mover->moved() : 0;
}

const persistence::AccessCounts& Wiring::access_counts() const {
    return parts_->store.access_counts();
}

std::string Wiring::standstill() const {
    return parts_->executor.standstill();
}

executor::RefusedNow Wiring::refused() const {
    return parts_->executor.refused();
}

schema::Duration Wiring::lease_left() const {
    return parts_->executor.lease_left();
}

deadletter::ActionCounts& Wiring::action_counts() {
    return parts_->action_counts;
}

}  // namespace jobstrand::engine
