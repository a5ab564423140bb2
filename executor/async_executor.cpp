#include "executor/async_executor.hpp"

#include "executor/executor_machinery.hpp"

#include <utility>

namespace jobstrand::executor {

AsyncExecutor::AsyncExecutor(Dependencies dependencies, ExecutorSettings settings)
    : machinery_(std::make_unique<ExecutorMachinery>(*this, dependencies, std::move(settings))) {}

AsyncExecutor::~AsyncExecutor() {
    if (!machinery_->was_stopped()) {
        (void)stop(StopMode::drain);
    }
}

std::function<void()> AsyncExecutor::add_activity(Activity& activity) {
    PollingLoop& loop = machinery_->add_intake_loop(activity);
    return [&loop] { loop.wake(); };
}

void AsyncExecutor::listen(persistence::OpenListener open, std::function<void()> wake_up) {
    machinery_->listen(std::move(open), std::move(wake_up));
}

void AsyncExecutor::on_timer_stored(std::function<void(schema::TimePoint)> tell) {
    machinery_->on_timer_stored(std::move(tell));
}

void AsyncExecutor::start() {
    machinery_->start();
}

bool AsyncExecutor::stop(StopMode mode) {
    return machinery_->stop(mode);
}

bool AsyncExecutor::is_running() const {
    return machinery_->is_accepting();
}

bool AsyncExecutor::serves(const std::string& handler_type) const {
    return machinery_->is_accepting() && machinery_->knows(handler_type);
}

WorkerPool::Load AsyncExecutor::load() const {
    return machinery_->pool().load();
}

std::size_t AsyncExecutor::room() const {
    return machinery_->is_accepting() ? machinery_->pool().room() : 0;
}

std::size_t AsyncExecutor::room_for_handoffs() const {
    const ExecutorSettings& settings = machinery_->settings();
    return settings.acquire_by_priority && settings.acquire_async_jobs ? 0 : room();
}

void AsyncExecutor::wake() {
    machinery_->wake_acquirer();
}

const std::string& AsyncExecutor::lock_owner() const {
    return machinery_->settings().lock_owner;
}

schema::Duration AsyncExecutor::lock_time() const {
    return machinery_->settings().lock_time;
}

void AsyncExecutor::accept(std::vector<schema::Job> jobs, schema::SteadyPoint locked_at) {
    machinery_->accept(std::move(jobs), locked_at);
}

}  // namespace jobstrand::executor
