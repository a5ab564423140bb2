#include "executor/work/worker_pool.hpp"

#include "schema/ensure.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace jobstrand::executor {

WorkerPool::WorkerPool(Size size, Run run, const WakeUps& wake_ups)
    : size_(size), run_(std::move(run)), wake_ups_(wake_ups) {}

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
    const auto accepted = static_cast<std::ptrdiff_t>(std::min(capacity - taken, jobs.size()));
    const auto first_rejected = jobs.begin() + accepted;
    std::move(jobs.begin(), first_rejected, std::back_inserter(queue_));
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
    const std::size_t beyond_queue = jobs - std::min(jobs, size_.queue);
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

std::size_t WorkerPool::room() const {
    const std::lock_guard lock(mutex_);
    return closed_ ? 0 : size_.queue - std::min(size_.queue, queue_.size());
}

WorkerPool::Load WorkerPool::load() const {
    const std::lock_guard lock(mutex_);
    return {
        .queued = queue_.size(), .running = running_, .threads = threads_.size() - ended_.size()};
}

std::vector<HeldJobPtr> WorkerPool::close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    std::vector<HeldJobPtr> queued(
        std::make_move_iterator(queue_.begin()), std::make_move_iterator(queue_.end())
    );
    queue_.clear();
    return queued;
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
        const HeldJobPtr job = std::move(queue_.front());
        queue_.pop_front();
        ++running_;
        const bool is_half_empty = queue_.size() == size_.queue / 2;
        lock.unlock();
        if (is_half_empty) {
            wake_ups_.room_became_free();
        }
        run_(job);
        lock.lock();
        --running_;
        if (closed_ && running_ == 0) {
            job_done_.notify_all();
        }
    }
    ended_.push_back(std::this_thread::get_id());
}

// false: this thread shall end, because the pool stops or the thread is above core and idle for too
// long.
bool WorkerPool::wait_for_job(std::unique_lock<std::mutex>& lock) {
    const auto has_news = [this] { return stopping_ || !queue_.empty(); };
    while (!work_available_.wait_for(lock, size_.keep_alive, has_news)) {
        if (threads_.size() - ended_.size() > size_.core) {
            return false;
        }
        work_available_.wait(lock, has_news);
        break;
    }
    return !queue_.empty();
}

}  // namespace jobstrand::executor
