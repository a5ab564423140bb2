#include "executor/async_executor.hpp"
#include "executor/job_wakeup.hpp"
#include "executor/loop/executor_threads.hpp"

#include <utility>

namespace jobstrand::executor {

void AsyncExecutor::add_own_activities() {
    use_.wake_ups.sleepers.groups = [this] { passing_loop_.wake(); };
    use_.wake_ups.sleepers.completion = [this] { completion_loop_.wake(); };
    if (settings_.acquire_async_jobs) {
        acquirer_.search_first();
        use_.wake_ups.sleepers.acquisition = [&loop = add_activity(acquirer_)] { loop.wake(); };
    }
    if (settings_.reset_expired_jobs) {
        add_activity(reset_);
    }
    add_activity(leftovers_);
    release_.when_left([&loop = add_activity(release_)] { loop.wake(); });
    doubtful_.when_added([&loop = add_activity(doubtful_)] { loop.wake(); });
    use_.wake_ups.sleepers.limits = [&loop = add_activity(limits_)] { loop.wake(); };
    use_.wake_ups.sleepers.dead_nodes = [&loop = add_activity(dead_)] { loop.wake(); };
    use_.wake_ups.sleepers.unserved = [&loop = add_activity(unserved_)] { loop.wake(); };
    if (use_.runs != nullptr && settings_.history_retention.runs > 0) {
        run_writing_.emplace(*use_.runs, last_runs_, use_.clock, use_.log);
        last_runs_.when_added([&loop = add_activity(*run_writing_)] { loop.wake(); });
    }
    if (use_.news != nullptr) {
        news_loop_ = &threads_->add_loop(news_writing_.emplace(*use_.news, *news_, use_.clock));
        news_->when_told([this] { news_loop_->wake(); });
    }
    if (!use_.has_one_writer) {
        add_second_loops();
    }
}

// Claims of pages wait for each other; other orders and instances that are taken along have a
// position of their own.
void AsyncExecutor::add_second_loops() {
    completion_beside_loop_ = &threads_->add_loop(completion_.beside());
    use_.wake_ups.sleepers.completion_beside = [this] { completion_beside_loop_->wake(); };
    const bool is_by_id = !settings_.order.is_any() && !settings_.instances_together;
    if (settings_.acquire_async_jobs && is_by_id &&
        settings_.lock_granularity == schema::LockGranularity::row) {
        PollingLoop& loop = add_activity(acquirer_.beside());
        use_.wake_ups.sleepers.acquisition_beside = [&loop] { loop.wake(); };
    }
}

PollingLoop& AsyncExecutor::add_activity(Activity& activity) {
    PollingLoop& loop = threads_->add_loop(activity);
    intake_loops_.push_back(&loop);
    return loop;
}

void AsyncExecutor::listen(persistence::OpenListener open) {
    wakeup_ = std::make_unique<JobWakeup>(threads_->context(), std::move(open), use_.wake_ups);
    use_.wake_ups.sleepers.listener = [&loop = add_activity(*wakeup_)] { loop.wake(); };
}

}  // namespace jobstrand::executor
