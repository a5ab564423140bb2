#include "deadletter/bulk_change.hpp"
#include "deadletter/definition_admin.hpp"
#include "persistence/operator_store.hpp"
#include "tools/engine/conversions.hpp"
#include "tools/engine/engine_parts.hpp"

#include <fmt/format.h>
#include <jobstrand/engine.hpp>

#include <memory>
#include <mutex>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

namespace jobstrand {

using persistence::JobAnswer;

namespace {

constexpr const char* kUseTransaction = "enqueue with that transaction, as its first argument";

void require_ours(persistence::OperatorStore& store, std::string_view instance) {
    if (store.is_of_engine(persistence::SuspensionScope::instance, instance)) {
        throw std::invalid_argument(
            "the instance " + std::string(instance) +
            " is one of Flowable's: suspend and activate it with its RuntimeService"
        );
    }
}

/// As an executor takes them.
std::vector<executor::UniqueJob> jobs_of(engine::Wiring& wiring, std::vector<NewJob> jobs) {
    engine::resolve_due_texts(jobs, wiring);
    return engine::jobs_of(std::move(jobs));
}

schema::Job turn_of(engine::Wiring& wiring, NewSeries& series) {
    engine::resolve_due_texts(std::span(&series.turn, 1), wiring);
    return engine::job_of(std::move(series.turn));
}

std::vector<std::string> taken_ids(std::vector<Enqueued> enqueued) {
    std::vector<std::string> ids;
    ids.reserve(enqueued.size());
    for (Enqueued& one : enqueued) {
        ids.push_back(std::move(one.id));
    }
    return ids;
}

std::vector<StoredJob> stored_jobs_of(std::vector<schema::Job> jobs, JobPlace place) {
    std::vector<StoredJob> stored;
    for (schema::Job& job : jobs) {
        stored.push_back(engine::stored_job_of(std::move(job), place));
    }
    return stored;
}

RunReport report_of(const executor::ManualRunResult& result) {
    RunReport report{.answer = result.answer};
    if (result.answer == RunAnswer::done && result.transition) {
        report.place = result.transition->to;
        report.message = result.transition->failure ? result.transition->failure->message : "";
    }
    return report;
}

/// A run of ours as the app sees it.
class ShownRun final : public AsyncRun {
public:
    explicit ShownRun(std::shared_ptr<executor::AsyncRun> run)
        : run_(std::move(run)), context_(engine::context_of(run_->context())) {}

    [[nodiscard]] const JobContext& context() const override { return context_; }
    void end(HandlerResult result) override { run_->end(engine::result_of(std::move(result))); }

private:
    const std::shared_ptr<executor::AsyncRun> run_;
    const JobContext context_;
};

}  // namespace

Engine::Engine(EngineOptions options) : parts_(std::make_unique<Parts>(options)) {}

Engine::Engine(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

// Its runs may use each part of it until they end.
Engine::~Engine() {
    (void)stop(StopMode::drain);
}

void Engine::add_handler(std::string handler_type, Handler handler) {
    parts_->add(handler_type, handler != nullptr, [&] {
        parts_->wiring_.handlers().add(
            handler_type,
            [parts = parts_.get(),
             handler = std::move(handler)](const executor::JobContext& context) {
                return engine::with_own_errors([&] {
                    const JobContext shown = engine::context_of(context);
                    parts->before_run(shown);
                    return engine::result_of(handler(shown));
                });
            }
        );
    });
}

bool Engine::remove_handler(const std::string& handler_type) {
    const std::lock_guard lock(parts_->mutex_);
    const bool was_there = parts_->wiring_.handlers().remove(handler_type);
    parts_->wiring_.serve_anew();
    return was_there;
}

void Engine::limit_to(ServedScope scope) {
    parts_->wiring().limit_to(std::move(scope));
}

ServedScope Engine::scope() const {
    return parts_->wiring().served()->scope;
}

void Engine::add_transactional_handler(std::string handler_type, TransactionalHandler handler) {
    parts_->add(handler_type, handler != nullptr, [&] {
        parts_->wiring_.handlers().add_transactional(
            handler_type,
            [parts = parts_.get(), handler = std::move(handler)](
                const executor::JobContext& context, persistence::Transaction& transaction
            ) {
                return parts->show(transaction, [&](Transaction& face) {
                    const JobContext shown = engine::context_of(context);
                    parts->before_run(shown);
                    return engine::result_of(handler(shown, face));
                });
            }
        );
    });
}

void Engine::add_async_handler(std::string handler_type, AsyncHandler handler) {
    parts_->add(handler_type, handler != nullptr, [&] {
        parts_->wiring_.handlers().add_async(
            handler_type,
            [parts = parts_.get(),
             handler = std::move(handler)](std::shared_ptr<executor::AsyncRun> run) {
                engine::with_own_errors([&] {
                    auto shown = std::make_shared<ShownRun>(std::move(run));
                    parts->before_run(shown->context());
                    handler(std::move(shown));
                });
            }
        );
    });
}

void Engine::start() {
    const std::lock_guard lock(parts_->mutex_);
    if (parts_->phase_ == Parts::Phase::running) {
        throw std::logic_error("this engine runs already: call start() once");
    }
    if (parts_->phase_ != Parts::Phase::fresh) {
        throw std::logic_error("this engine was stopped: make a new one to run jobs again");
    }
    if (parts_->has_threads_) {
        parts_->wiring_.start();
    }
    parts_->phase_ = Parts::Phase::running;
}

bool Engine::stop(StopMode mode) {
    bool is_first = false;
    {
        const std::lock_guard lock(parts_->mutex_);
        if (parts_->phase_ == Parts::Phase::stopped) {
            return parts_->has_ended_well_;
        }
        is_first = parts_->phase_ != Parts::Phase::stopping;
        parts_->phase_ = Parts::Phase::stopping;
    }
    const bool has_ended_well = !parts_->has_threads_ || parts_->wiring_.stop(mode);
    if (is_first) {
        const std::lock_guard lock(parts_->mutex_);
        parts_->phase_ = Parts::Phase::stopped;
        parts_->has_ended_well_ = has_ended_well;
    }
    return has_ended_well;
}

bool Engine::is_running() const {
    const std::lock_guard lock(parts_->mutex_);
    return parts_->phase_ == Parts::Phase::running;
}

void Engine::wake() {
    parts_->wiring().wake();
}

void Engine::on_external_jobs(std::function<void()> hear) {
    parts_->wiring().on_external_jobs(std::move(hear));
}

std::string Engine::enqueue(NewJob job) {
    return enqueue_all(engine::one(std::move(job))).front();
}

std::string Engine::enqueue(Transaction& transaction, NewJob job) {
    return enqueue_all(transaction, engine::one(std::move(job))).front();
}

std::string Engine::enqueue(const AppConnection& connection, NewJob job) {
    return enqueue_all(connection, engine::one(std::move(job))).front();
}

std::vector<std::string> Engine::enqueue_all(std::vector<NewJob> jobs) {
    engine::Wiring& wiring = parts_->outside_transaction(kUseTransaction);
    parts_->before_enqueue(jobs);
    return taken_ids(wiring.enqueue_unique(jobs_of(wiring, std::move(jobs))));
}

std::vector<std::string> Engine::enqueue_all(Transaction& transaction, std::vector<NewJob> jobs) {
    engine::Wiring& wiring = parts_->wiring();
    persistence::Transaction& ours = transaction.open().ours_of(wiring);
    parts_->before_enqueue(jobs);
    return taken_ids(wiring.enqueue_unique(ours, jobs_of(wiring, std::move(jobs))));
}

Enqueued Engine::enqueue_unique(NewJob job) {
    engine::Wiring& wiring = parts_->outside_transaction(kUseTransaction);
    parts_->before_enqueue({&job, 1});
    return wiring.enqueue_unique(jobs_of(wiring, engine::one(std::move(job)))).front();
}

Enqueued Engine::enqueue_unique(Transaction& transaction, NewJob job) {
    engine::Wiring& wiring = parts_->wiring();
    persistence::Transaction& ours = transaction.open().ours_of(wiring);
    parts_->before_enqueue({&job, 1});
    return wiring.enqueue_unique(ours, jobs_of(wiring, engine::one(std::move(job)))).front();
}

std::vector<std::string>
Engine::enqueue_all(const AppConnection& connection, std::vector<NewJob> jobs) {
    parts_->before_enqueue(jobs);
    return parts_->plain().enqueue(connection, std::move(jobs));
}

std::string Engine::start_series(NewSeries series) {
    engine::Wiring& wiring =
        parts_->outside_transaction("start the series with that transaction, as its first argument"
        );
    parts_->before_enqueue({&series.turn, 1});
    schema::Job turn = turn_of(wiring, series);
    return wiring.start_series(engine::series_of(std::move(series)), std::move(turn));
}

std::string Engine::start_series(Transaction& transaction, NewSeries series) {
    engine::Wiring& wiring = parts_->wiring();
    persistence::Transaction& ours = transaction.open().ours_of(wiring);
    parts_->before_enqueue({&series.turn, 1});
    schema::Job turn = turn_of(wiring, series);
    return wiring.start_series(ours, engine::series_of(std::move(series)), std::move(turn));
}

void Engine::in_transaction(const std::function<void(Transaction&)>& work) {
    parts_->outside_transaction("go on in that one")
        .in_transaction([&](persistence::Transaction& ours) { parts_->show(ours, work); });
}

std::optional<StoredJob> Engine::find(std::string_view id) {
    auto found = parts_->wiring().store().find(id);
    return found ? std::optional(engine::stored_job_of(std::move(found->job), found->place))
                 : std::nullopt;
}

std::int64_t Engine::count(JobPlace place) {
    return parts_->wiring().store().count(place, {});
}

std::vector<StoredJob> Engine::list(JobPlace place, std::string_view after, std::size_t limit) {
    return stored_jobs_of(parts_->wiring().store().list(place, {}, after, limit), place);
}

std::vector<StoredJob> Engine::list(const JobQuery& query) {
    return stored_jobs_of(
        parts_->wiring().store().list_in_order(
            query.place, engine::filter_of(query), engine::part_of(query)
        ),
        query.place
    );
}

std::int64_t Engine::count(const JobQuery& query) {
    return parts_->wiring().store().count(query.place, engine::filter_of(query));
}

RunReport Engine::run_job(const std::string& id) {
    return report_of(parts_->outside_transaction().run_job(id));
}

bool Engine::requeue(std::string_view id, int retries) {
    const std::string text(id);
    const auto answers =
        parts_->outside_transaction().store().requeue(std::span(&text, 1), retries, {}, now());
    wake();
    return answers.front() == JobAnswer::done;
}

bool Engine::remove(std::string_view id) {
    persistence::OperatorStore& store = parts_->outside_transaction().store();
    const auto found = store.find(id);
    const std::string text(id);
    return found &&
           store.remove(found->place, std::span(&text, 1), now()).front() == JobAnswer::done;
}

std::int64_t Engine::suspend_instance(std::string_view process_instance_id) {
    persistence::OperatorStore& store = parts_->outside_transaction().store();
    require_ours(store, process_instance_id);
    return store.suspend(persistence::SuspensionScope::instance, process_instance_id, now());
}

std::int64_t Engine::activate_instance(std::string_view process_instance_id) {
    persistence::OperatorStore& store = parts_->outside_transaction().store();
    require_ours(store, process_instance_id);
    const std::int64_t activated =
        store.activate(persistence::SuspensionScope::instance, process_instance_id, now());
    wake();
    return activated;
}

TimePoint Engine::now() const {
    return parts_->wiring().clock().now();
}

// What the engine does with job definitions.

namespace {

constexpr const char* kOutside = "change definitions before or after it";

[[nodiscard]] deadletter::DefinitionAdmin admin_of(engine::Wiring& wiring) {
    return {wiring.definition_store(), wiring.store(), wiring.clock()};
}

}  // namespace

void Engine::set_definition(const JobDefinition& definition) {
    engine::Wiring& wiring = parts_->outside_transaction(kOutside);
    admin_of(wiring).set(
        schema::job_definition_named(definition.name),
        {.priority = definition.priority,
         .retry_cycle = definition.retry_cycle,
         .category = definition.category,
         .exclusive = definition.exclusive,
         .override_priority = definition.override_priority}
    );
}

std::optional<JobDefinition> Engine::find_definition(std::string_view name) {
    const auto found = admin_of(parts_->wiring()).find(schema::job_definition_named(name));
    return found ? std::optional(engine::to_public(*found)) : std::nullopt;
}

std::vector<JobDefinition> Engine::definitions(std::string_view after, std::size_t limit) {
    const auto page =
        admin_of(parts_->wiring()).list({.after = std::string(after), .limit = limit});
    std::vector<JobDefinition> definitions;
    for (const schema::JobDefinition& definition : page.items) {
        definitions.push_back(engine::to_public(definition));
    }
    return definitions;
}

bool Engine::remove_definition(std::string_view name) {
    engine::Wiring& wiring = parts_->outside_transaction(kOutside);
    const auto result = engine::item_of([&](const deadletter::BulkWatch& watch) {
        admin_of(wiring).remove({std::string(name)}, watch);
    });
    return result.answer == ChangeAnswer::done;
}

std::int64_t Engine::cascade_override(std::string_view name) {
    engine::Wiring& wiring = parts_->outside_transaction(kOutside);
    deadletter::DefinitionAdmin admin = admin_of(wiring);
    const auto found = admin.find(schema::job_definition_named(name));
    deadletter::BulkRest rest(wiring.clock(), schema::sleep_for);
    const auto on_page = [&rest](const deadletter::BulkCounts& /*counts*/) {
        rest.take();
        return true;
    };
    return found ? admin.cascade(*found, {.on_page = on_page}).done : 0;
}

}  // namespace jobstrand
