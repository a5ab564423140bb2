#pragma once

#include <mutex>
#include <set>
#include <thread>

namespace jobstrand::engine {

/// The threads that are inside a transaction of an engine.
///
/// Thread safety: safe.
class TransactionThreads final {
public:
    /// This thread is inside for as long as it lives.
    class Stay final {
    public:
        explicit Stay(TransactionThreads& threads) : threads_(threads) {
            const std::lock_guard lock(threads_.mutex_);
            place_ = threads_.inside_.insert(std::this_thread::get_id());
        }
        ~Stay() {
            const std::lock_guard lock(threads_.mutex_);
            threads_.inside_.erase(place_);
        }

        Stay(const Stay&) = delete;
        Stay& operator=(const Stay&) = delete;

    private:
        TransactionThreads& threads_;
        std::multiset<std::thread::id>::iterator place_;
    };

    [[nodiscard]] bool has_this_one() const {
        const std::lock_guard lock(mutex_);
        return inside_.contains(std::this_thread::get_id());
    }

private:
    mutable std::mutex mutex_;
    std::multiset<std::thread::id> inside_;  ///< Guarded by mutex_.
};

}  // namespace jobstrand::engine
