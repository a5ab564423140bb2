#include "deadletter/bulk_change.hpp"
#include "deadletter/definition_admin.hpp"
#include "persistence/operator_store.hpp"
#include "tools/engine/conversions.hpp"
#include "tools/engine/engine_parts.hpp"
#include "tools/engine/public_transaction.hpp"

#include <jobstrand/engine.hpp>

#include <span>
#include <stdexcept>
#include <string>
#include <utility>

namespace jobstrand {

using engine::with_public_errors;
using executor::ManualRunAnswer;
using persistence::JobAnswer;

namespace {

constexpr const char* kUseTransaction = "enqueue with that transaction, as its first argument";
constexpr const char* kAfterTransaction = "do this before or after it";

void require_ours(persistence::OperatorStore& store, std::string_view instance) {
    if (store.is_of_engine(persistence::SuspensionScope::instance, instance)) {
        throw std::invalid_argument(
            "the instance " + std::string(instance) +
            " is one of Flowable's: suspend and activate it with its RuntimeService"
        );
    }
}

std::vector<NewJob> one(NewJob job) {
    std::vector<NewJob> jobs;
    jobs.push_back(std::move(job));
    return jobs;
}

void resolve_due_texts(engine::Wiring& wiring, std::span<NewJob> jobs) {
    engine::resolve_due_texts(jobs, wiring.clock().now(), [&wiring] {
        return wiring.calendar_texts();
    });
}

std::vector<std::string> taken_ids(std::vector<schema::Enqueued> enqueued) {
    std::vector<std::string> ids;
    ids.reserve(enqueued.size());
    for (schema::Enqueued& one : enqueued) {
        ids.push_back(std::move(one.id));
    }
    return ids;
}

RunAnswer answer_of(ManualRunAnswer answer) {
    switch (answer) {
        case ManualRunAnswer::done:
            return RunAnswer::done;
        case ManualRunAnswer::lost_lock:
            return RunAnswer::lost_lock;
        case ManualRunAnswer::not_found:
            return RunAnswer::not_found;
        case ManualRunAnswer::locked:
            return RunAnswer::locked;
    }
    return RunAnswer::not_found;
}

RunReport report_of(const executor::ManualRunResult& result) {
    RunReport report{.answer = answer_of(result.answer)};
    if (result.answer == ManualRunAnswer::done && result.transition) {
        const schema::Transition& transition = *result.transition;
        report.place =
            transition.to ? std::optional(engine::to_public(*transition.to)) : std::nullopt;
        report.message = transition.failure ? transition.failure->message : "";
    }
    return report;
}

}  // namespace

Engine::Engine(EngineOptions options)
    : parts_(with_public_errors([&] { return std::make_unique<Parts>(options); })) {}

Engine::Engine(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

Engine::~Engine() = default;

void Engine::add_handler(std::string handler_type, Handler handler) {
    parts_->add_handler(handler_type, std::move(handler));
}

bool Engine::remove_handler(const std::string& handler_type) {
    return parts_->remove_handler(handler_type);
}

void Engine::limit_to(ServedScope scope) {
    parts_->wiring().limit_to(engine::scope_of(std::move(scope)));
}

ServedScope Engine::scope() const {
    return engine::to_public(parts_->wiring().served()->scope);
}

void Engine::add_transactional_handler(std::string handler_type, TransactionalHandler handler) {
    parts_->add_transactional_handler(handler_type, std::move(handler));
}

void Engine::add_async_handler(std::string handler_type, AsyncHandler handler) {
    parts_->add_async_handler(handler_type, std::move(handler));
}

void Engine::start() {
    with_public_errors([&] { parts_->start(); });
}

bool Engine::stop(StopMode mode) {
    return with_public_errors([&] { return parts_->stop(mode); });
}

bool Engine::is_running() const {
    return parts_->is_running();
}

void Engine::wake() {
    parts_->wiring().wake();
}

void Engine::on_external_jobs(std::function<void()> hear) {
    parts_->wiring().on_external_jobs(std::move(hear));
}

std::string Engine::enqueue(NewJob job) {
    return enqueue_all(one(std::move(job))).front();
}

std::string Engine::enqueue(Transaction& transaction, NewJob job) {
    return enqueue_all(transaction, one(std::move(job))).front();
}

std::string Engine::enqueue(const AppConnection& connection, NewJob job) {
    return enqueue_all(connection, one(std::move(job))).front();
}

std::vector<std::string> Engine::enqueue_all(std::vector<NewJob> jobs) {
    parts_->require_no_transaction(kUseTransaction);
    parts_->before_enqueue(jobs);
    return with_public_errors([&] {
        resolve_due_texts(parts_->wiring(), jobs);
        return taken_ids(parts_->wiring().enqueue_unique(engine::jobs_of(std::move(jobs))));
    });
}

std::vector<std::string> Engine::enqueue_all(Transaction& transaction, std::vector<NewJob> jobs) {
    persistence::Transaction& ours = transaction.open().ours_of(parts_->wiring());
    parts_->before_enqueue(jobs);
    return with_public_errors([&] {
        resolve_due_texts(parts_->wiring(), jobs);
        return taken_ids(parts_->wiring().enqueue_unique(ours, engine::jobs_of(std::move(jobs))));
    });
}

Enqueued Engine::enqueue_unique(NewJob job) {
    parts_->require_no_transaction(kUseTransaction);
    parts_->before_enqueue({&job, 1});
    return with_public_errors([&] {
        std::vector<NewJob> jobs = one(std::move(job));
        resolve_due_texts(parts_->wiring(), jobs);
        return engine::to_public(
            parts_->wiring().enqueue_unique(engine::jobs_of(std::move(jobs))).front()
        );
    });
}

Enqueued Engine::enqueue_unique(Transaction& transaction, NewJob job) {
    persistence::Transaction& ours = transaction.open().ours_of(parts_->wiring());
    parts_->before_enqueue({&job, 1});
    return with_public_errors([&] {
        std::vector<NewJob> jobs = one(std::move(job));
        resolve_due_texts(parts_->wiring(), jobs);
        return engine::to_public(
            parts_->wiring().enqueue_unique(ours, engine::jobs_of(std::move(jobs))).front()
        );
    });
}

std::vector<std::string>
Engine::enqueue_all(const AppConnection& connection, std::vector<NewJob> jobs) {
    parts_->before_enqueue(jobs);
    return parts_->plain().enqueue(connection, std::move(jobs));
}

std::string Engine::start_series(NewSeries series) {
    parts_->require_no_transaction("start the series with that transaction, as its first argument");
    parts_->before_enqueue({&series.turn, 1});
    return with_public_errors([&] {
        resolve_due_texts(parts_->wiring(), std::span(&series.turn, 1));
        schema::Job turn = engine::job_of(std::move(series.turn));
        return parts_->wiring().start_series(engine::series_of(std::move(series)), std::move(turn));
    });
}

std::string Engine::start_series(Transaction& transaction, NewSeries series) {
    persistence::Transaction& ours = transaction.open().ours_of(parts_->wiring());
    parts_->before_enqueue({&series.turn, 1});
    return with_public_errors([&] {
        resolve_due_texts(parts_->wiring(), std::span(&series.turn, 1));
        schema::Job turn = engine::job_of(std::move(series.turn));
        return parts_->wiring().start_series(
            ours, engine::series_of(std::move(series)), std::move(turn)
        );
    });
}

void Engine::in_transaction(const std::function<void(Transaction&)>& work) {
    parts_->require_no_transaction("go on in that one");
    with_public_errors([&] { parts_->in_transaction(work); });
}

std::optional<StoredJob> Engine::find(std::string_view id) {
    return with_public_errors([&]() -> std::optional<StoredJob> {
        auto found = parts_->wiring().store().find(id);
        if (!found) {
            return std::nullopt;
        }
        return engine::stored_job_of(std::move(found->job), found->place);
    });
}

std::int64_t Engine::count(JobPlace place) {
    return with_public_errors([&] {
        return parts_->wiring().store().count(engine::place_of(place), {});
    });
}

std::vector<StoredJob> Engine::list(JobPlace place, std::string_view after, std::size_t limit) {
    return with_public_errors([&] {
        const schema::JobPlace ours = engine::place_of(place);
        std::vector<StoredJob> jobs;
        for (schema::Job& job : parts_->wiring().store().list(ours, {}, after, limit)) {
            jobs.push_back(engine::stored_job_of(std::move(job), ours));
        }
        return jobs;
    });
}

std::vector<StoredJob> Engine::list(const JobQuery& query) {
    return with_public_errors([&] {
        const schema::JobPlace ours = engine::place_of(query.place);
        std::vector<StoredJob> jobs;
        for (schema::Job& job : parts_->wiring().store().list_in_order(
                 ours, engine::filter_of(query), engine::part_of(query)
             )) {
            jobs.push_back(engine::stored_job_of(std::move(job), ours));
        }
        return jobs;
    });
}

std::int64_t Engine::count(const JobQuery& query) {
    return with_public_errors([&] {
        return parts_->wiring().store().count(
            engine::place_of(query.place), engine::filter_of(query)
        );
    });
}

RunReport Engine::run_job(const std::string& id) {
    parts_->require_no_transaction(kAfterTransaction);
    return with_public_errors([&] { return report_of(parts_->wiring().run_job(id)); });
}

bool Engine::requeue(std::string_view id, int retries) {
    parts_->require_no_transaction(kAfterTransaction);
    return with_public_errors([&] {
        const std::string text(id);
        const auto answers =
            parts_->wiring().store().requeue(std::span(&text, 1), retries, {}, now());
        wake();
        return answers.front() == JobAnswer::done;
    });
}

bool Engine::remove(std::string_view id) {
    parts_->require_no_transaction(kAfterTransaction);
    return with_public_errors([&] {
        auto& store = parts_->wiring().store();
        const auto found = store.find(id);
        const std::string text(id);
        return found &&
               store.remove(found->place, std::span(&text, 1), now()).front() == JobAnswer::done;
    });
}

std::int64_t Engine::suspend_instance(std::string_view process_instance_id) {
    parts_->require_no_transaction(kAfterTransaction);
    return with_public_errors([&] {
        persistence::OperatorStore& store = parts_->wiring().store();
        require_ours(store, process_instance_id);
        return store.suspend(persistence::SuspensionScope::instance, process_instance_id, now());
    });
}

std::int64_t Engine::activate_instance(std::string_view process_instance_id) {
    parts_->require_no_transaction(kAfterTransaction);
    return with_public_errors([&] {
        persistence::OperatorStore& store = parts_->wiring().store();
        require_ours(store, process_instance_id);
        const std::int64_t activated =
            store.activate(persistence::SuspensionScope::instance, process_instance_id, now());
        wake();
        return activated;
    });
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
    parts_->require_no_transaction(kOutside);
    const schema::JobDefinition ours = engine::definition_of(definition);
    with_public_errors([&] {
        admin_of(parts_->wiring())
            .set(
                ours.name,
                {.priority = ours.priority,
                 .retry_cycle = ours.retry_cycle,
                 .category = ours.category,
                 .exclusive = ours.exclusive,
                 .override_priority = ours.override_priority}
            );
    });
}

std::optional<JobDefinition> Engine::find_definition(std::string_view name) {
    const schema::JobDefinitionName ours = schema::job_definition_named(name);
    return with_public_errors([&]() -> std::optional<JobDefinition> {
        const auto found = admin_of(parts_->wiring()).find(ours);
        return found ? std::optional(engine::to_public(*found)) : std::nullopt;
    });
}

std::vector<JobDefinition> Engine::definitions(std::string_view after, std::size_t limit) {
    return with_public_errors([&] {
        const auto page =
            admin_of(parts_->wiring()).list({.after = std::string(after), .limit = limit});
        std::vector<JobDefinition> definitions;
        for (const schema::JobDefinition& definition : page.items) {
            definitions.push_back(engine::to_public(definition));
        }
        return definitions;
    });
}

bool Engine::remove_definition(std::string_view name) {
    parts_->require_no_transaction(kOutside);
    bool was_there = false;
    with_public_errors([&] {
        admin_of(parts_->wiring())
            .remove({std::string(name)}, {.on_item = [&](const deadletter::ItemResult& item) {
                        was_there = item.answer == deadletter::ItemAnswer::done;
                    }});
    });
    return was_there;
}

std::int64_t Engine::cascade_override(std::string_view name) {
    parts_->require_no_transaction(kOutside);
    const schema::JobDefinitionName ours = schema::job_definition_named(name);
    return with_public_errors([&]() -> std::int64_t {
        deadletter::DefinitionAdmin admin = admin_of(parts_->wiring());
        const auto found = admin.find(ours);
        deadletter::BulkRest rest(parts_->wiring().clock(), schema::sleep_for);
        const auto on_page = [&rest](const deadletter::BulkCounts& /*counts*/) {
            rest.take();
            return true;
        };
        return found ? admin.cascade(*found, {.on_page = on_page}).done : 0;
    });
}

}  // namespace jobstrand
