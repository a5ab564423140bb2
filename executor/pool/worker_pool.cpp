#include "executor/pool/worker_pool.hpp"

#include "schema/ensure.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

namespace jobstrand::executor {

namespace {

/// The part that the last run has in the mean: after a change of work, a few dozen runs tell.
constexpr int kPartOfLast = 16;

}  // namespace

void RunForecast::ended(std::chrono::nanoseconds run) {
    mean_ = mean_ ? *mean_ + (run - *mean_) / kPartOfLast : run;
}

void RunForecast::takes_at_least(std::chrono::nanoseconds run) {
    mean_ = std::max(mean_.value_or(run), run);
}

std::size_t RunForecast::starts(std::size_t workers) const {
    if (!mean_) {
        return 0;
    }
    const std::chrono::nanoseconds run = std::max(*mean_, std::chrono::nanoseconds(1));
    return workers * static_cast<std::size_t>(std::chrono::nanoseconds(ahead_) / run);
}

namespace {

HeldJobPtr take_first(std::deque<HeldJobPtr>& jobs) {
    HeldJobPtr job = std::move(jobs.front());
    jobs.pop_front();
    return job;
}

}  // namespace

void RunQueue::push(HeldJobPtr job) {
    if (job->job.lost_starts > 0) {
        (starts_alone(*job) ? alone_ : suspected_).push_back(std::move(job));
        return;
    }
    ++size_;
    if (rules_.goes_first && rules_.goes_first(job->job)) {
        first_.push_back(std::move(job));
        return;
    }
    waiting_[schema::order_key(rules_.order, job->job)].push_back(std::move(job));
}

// Suspected jobs go first: they have waited since their node died.
HeldJobPtr RunQueue::pop() {
    if (may_start_alone()) {
        is_one_alone_ = true;
        return take_first(alone_);
    }
    if (may_start_suspected()) {
        ++suspected_running_;
        return take_first(suspected_);
    }
    return pop_waiting();
}

HeldJobPtr RunQueue::pop_waiting() {
    if (!first_.empty()) {
        --size_;
        return take_first(first_);
    }
    const auto first = waiting_.begin();
    HeldJobPtr job = take_first(first->second);
    if (first->second.empty()) {
        waiting_.erase(first);
    }
    --size_;
    return job;
}

void RunQueue::ended(const HeldJob& job) {
    if (starts_alone(job)) {
        is_one_alone_ = false;
    } else if (job.job.lost_starts > 0) {
        --suspected_running_;
    }
}

std::vector<HeldJobPtr> RunQueue::take_last(std::size_t count) {
    std::vector<HeldJobPtr> jobs;
    while (jobs.size() < count && !waiting_.empty()) {
        const auto last = std::prev(waiting_.end());
        jobs.push_back(std::move(last->second.back()));
        last->second.pop_back();
        if (last->second.empty()) {
            waiting_.erase(last);
        }
        --size_;
    }
    while (jobs.size() < count && !first_.empty()) {
        jobs.push_back(std::move(first_.back()));
        first_.pop_back();
        --size_;
    }
    return jobs;
}

std::vector<HeldJobPtr> RunQueue::take_all() {
    std::vector<HeldJobPtr> jobs;
    jobs.reserve(size());
    for (std::deque<HeldJobPtr>* const queue : {&alone_, &suspected_}) {
        std::ranges::move(*queue, std::back_inserter(jobs));
        queue->clear();
    }
    while (size_ > 0) {
        jobs.push_back(pop_waiting());
    }
    return jobs;
}

WorkerPool::WorkerPool(Size size, Run run, const WakeUps& wake_ups)
    : size_(size),
      run_(std::move(run)),
      wake_ups_(wake_ups),
      queue_(size.order),
      forecast_(size.ahead) {}

WorkerPool::~WorkerPool() {
    JOBSTRAND_ENSURE(threads_.empty());
}

std::vector<HeldJobPtr> WorkerPool::submit(std::vector<HeldJobPtr> jobs) {
    const std::lock_guard lock(mutex_);
    if (closed_) {
        return jobs;
    }
    const std::size_t capacity = size_.max + size_.queue;
    const std::size_t taken = std::min(capacity, running_ + queue_.size());
    if (taken == 0) {
        last_end_ = std::chrono::steady_clock::now();
    }
    const auto accepted = static_cast<std::ptrdiff_t>(std::min(capacity - taken, jobs.size()));
    const auto first_rejected = jobs.begin() + accepted;
    std::for_each(jobs.begin(), first_rejected, [this](HeldJobPtr& job) {
        queue_.push(std::move(job));
    });
    jobs.erase(jobs.begin(), first_rejected);
    start_threads();
    if (accepted == 1) {
        work_available_.notify_one();
    } else if (accepted > 1) {
        work_available_.notify_all();
    }
    return jobs;
}

void WorkerPool::start_threads() {
    join_ended();
    const std::size_t jobs = running_ + queue_.size();
    const std::size_t full = forecast_.is_known() ? soon() : size_.queue;
    const std::size_t beyond_queue = jobs - std::min(jobs, full);
    const std::size_t wanted =
        std::min(size_.max, std::max(beyond_queue, std::min(jobs, size_.core)));
    while (threads_.size() < wanted) {
        threads_.emplace_back([this] { work(); });
    }
}

void WorkerPool::join_ended() {
    for (const std::thread::id id : ended_) {
        const auto thread = std::find_if(threads_.begin(), threads_.end(), [id](const auto& each) {
            return each.get_id() == id;
        });
        // It has left the mutex for good when its id stands here, so this join waits for no lock.
        thread->join();
        threads_.erase(thread);
    }
    ended_.clear();
}

// Jobs that may wait in the queue.
std::size_t WorkerPool::soon() const {
    return std::min(size_.queue, forecast_.starts(size_.max));
}

std::size_t WorkerPool::free_places() const {
    const std::size_t places = size_.max + soon();
    const std::size_t may_start = running_ + queue_.size();
    const bool is_enough = may_start >= 2 * size_.max;
    const std::size_t held = may_start + (is_enough ? size_.behind() : 0);
    return closed_ ? 0 : places - std::min(places, held);
}

// Half of what may wait: less would make many small claims, and more would let the queue run dry.
bool WorkerPool::is_worth_a_claim() const {
    return free_places() >= std::max<std::size_t>(1, std::min(claim_page_, soon() / 2));
}

std::size_t WorkerPool::room() const {
    const std::lock_guard lock(mutex_);
    return free_places();
}

std::size_t WorkerPool::room_to_claim(std::size_t page) {
    const std::lock_guard lock(mutex_);
    const std::size_t others = std::exchange(claim_page_, page);
    const std::size_t room = is_worth_a_claim() ? free_places() : 0;
    if (room > 0) {
        claim_page_ = others;
    } else if (others > 0) {
        claim_page_ = std::min(others, page);
    }
    return room;
}

std::vector<HeldJobPtr> WorkerPool::take_surplus(schema::SteadyPoint now) {
    const std::lock_guard lock(mutex_);
    const bool is_any_idle = running_ < threads_.size() - ended_.size();
    if (is_any_idle || queue_.size() == 0 || now - last_end_ < size_.ahead) {
        return {};
    }
    forecast_.takes_at_least(now - last_end_);
    return queue_.take_last(queue_.size() - std::min(queue_.size(), soon()));
}

WorkerPool::Load WorkerPool::load() const {
    const std::lock_guard lock(mutex_);
    return {
        .queued = queue_.size(), .running = running_, .threads = threads_.size() - ended_.size()};
}

std::vector<HeldJobPtr> WorkerPool::close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    return queue_.take_all();
}

bool WorkerPool::wait_until_done(schema::Duration limit) {
    std::unique_lock lock(mutex_);
    JOBSTRAND_ENSURE(closed_);
    return job_done_.wait_for(lock, limit, [this] { return running_ == 0; });
}

void WorkerPool::stop() {
    std::vector<std::thread> threads;
    {
        const std::lock_guard lock(mutex_);
        JOBSTRAND_ENSURE(closed_);
        stopping_ = true;
        threads.swap(threads_);
        ended_.clear();
    }
    work_available_.notify_all();
    for (std::thread& thread : threads) {
        thread.join();
    }
    const std::lock_guard lock(mutex_);
    ended_.clear();
}

void WorkerPool::work() {
    std::unique_lock lock(mutex_);
    while (wait_for_job(lock)) {
        run_next(lock);
    }
    ended_.push_back(std::this_thread::get_id());
}

void WorkerPool::run_next(std::unique_lock<std::mutex>& lock) {
    const HeldJobPtr job = queue_.pop();
    ++running_;
    const bool tells = claim_page_ > 0 && is_worth_a_claim();
    claim_page_ = tells ? 0 : claim_page_;
    lock.unlock();
    if (tells) {
        wake_ups_.room_became_free();
    }
    const auto began = std::chrono::steady_clock::now();
    const std::size_t runs = run_(job);
    const auto ended = std::chrono::steady_clock::now();
    lock.lock();
    --running_;
    last_end_ = ended;
    forecast_.ended((ended - began) / runs);
    queue_.ended(*job);
    if (job->job.lost_starts > 0) {
        work_available_.notify_all();  // Others may have waited for its end.
    }
    if (closed_ && running_ == 0) {
        job_done_.notify_all();
    }
}

// false: this thread shall end, because the pool stops or the thread is above core and idle for too
// long.
bool WorkerPool::wait_for_job(std::unique_lock<std::mutex>& lock) {
    const auto has_news = [this] { return stopping_ || queue_.has_next(); };
    if (!has_news() && claim_page_ > 0 && is_worth_a_claim()) {
        claim_page_ = 0;
        lock.unlock();
        wake_ups_.room_became_free();
        lock.lock();
    }
    // Asked first, because to wait is to look at the clock, which costs as much as a short run.
    while (!has_news() && !work_available_.wait_for(lock, size_.keep_alive, has_news)) {
        if (threads_.size() - ended_.size() > size_.core) {
            return false;
        }
        work_available_.wait(lock, has_news);
        break;
    }
    return queue_.has_next();
}

}  // namespace jobstrand::executor
