#include "executor/async_runs.hpp"

#include "executor/job_runner.hpp"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <span>
#include <utility>

namespace jobstrand::executor {

class AsyncRuns::Register {
public:
    explicit Register(Ended ended) : ended_(std::move(ended)) {}

    void wait_for_place(std::size_t most, std::stop_token stop) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, std::move(stop), [&] { return under_way_ < most; });
    }

    void began() {
        const std::lock_guard lock(mutex_);
        ++under_way_;
    }

    void ended(const HeldJobPtr& held, HandlerResult result) {
        {
            const std::lock_guard lock(mutex_);
            if (is_closed_) {
                return;
            }
            ++being_told_;
        }
        ended_(held, std::move(result));
        const std::lock_guard lock(mutex_);
        --being_told_;
        --under_way_;
        changed_.notify_all();
    }

    [[nodiscard]] std::size_t under_way() const {
        const std::lock_guard lock(mutex_);
        return under_way_;
    }

    [[nodiscard]] bool wait_until_done(schema::Duration limit) {
        std::unique_lock lock(mutex_);
        return changed_.wait_for(lock, limit, [this] { return under_way_ == 0; });
    }

    void close() {
        std::unique_lock lock(mutex_);
        is_closed_ = true;
        changed_.wait(lock, [this] { return being_told_ == 0; });
    }

private:
    const Ended ended_;

    // Guarded by mutex_.
    mutable std::mutex mutex_;
    std::condition_variable_any changed_;
    std::size_t under_way_ = 0;
    std::size_t being_told_ = 0;  ///< Of them, those whose end is being told.
    bool is_closed_ = false;
};

AsyncRuns::AsyncRuns(std::size_t most, Ended ended)
    : most_(most), runs_(std::make_shared<Register>(std::move(ended))) {}

AsyncRuns::~AsyncRuns() {
    close();
}

void AsyncRuns::wait_for_place(std::stop_token stop) {
    runs_->wait_for_place(most_, std::move(stop));
}

void AsyncRuns::begin(const AsyncJobHandler& handler, const HeldJobPtr& held, JobContext context) {
    runs_->began();
    const auto run =
        std::make_shared<AsyncRun>(std::move(context), [runs = runs_, held](HandlerResult result) {
            runs->ended(held, std::move(result));
        });
    // Defended catch: what user code throws is how its job ends.
    try {
        handler(run);
    } catch (...) {
        run->end(result_of_exception());
    }
}

std::size_t AsyncRuns::under_way() const {
    return runs_->under_way();
}

bool AsyncRuns::wait_until_done(schema::Duration limit) {
    return runs_->wait_until_done(limit);
}

void AsyncRuns::close() {
    runs_->close();
}

ToldAnswer OutcomeReceiver::tell(
    std::string_view id,
    std::int64_t fencing_token,
    const HandlerResult& result
) {
    auto found = use_.jobs.find(id);
    if (!found) {
        return ToldAnswer::not_found;
    }
    if (found->place != schema::JobPlace::executable || found->job.lock_owner.empty()) {
        return ToldAnswer::not_running;
    }
    if (found->job.revision != fencing_token) {
        return ToldAnswer::stale_token;
    }
    const auto job = std::make_shared<const schema::Job>(std::move(found->job));
    const persistence::Outcome outcome{
        .job = job,
        .transition = transition_after(*job, storable(result), policy_, use_.clock.now())};
    // The row may have changed since it was read.
    const auto answer = use_.store.apply(job->lock_owner, std::span(&outcome, 1)).front();
    if (answer != persistence::OutcomeAnswer::done) {
        return ToldAnswer::stale_token;
    }
    use_.tell(outcome);
    return ToldAnswer::taken;
}

}  // namespace jobstrand::executor
