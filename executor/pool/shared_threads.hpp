#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <stop_token>

namespace jobstrand::executor {

/// How many handlers run at once in all executors of a process that share it (R095). Each has its
/// own threads, which cost little while they wait here. An executor that runs nothing has a place
/// kept for it, so that none waits because another's database or handlers are slow.
///
/// Thread safety: safe.
class SharedThreads final {
public:
    /// `most`: at least one for each executor.
    explicit SharedThreads(std::size_t most) : free_(most) {}

    SharedThreads(const SharedThreads&) = delete;
    SharedThreads& operator=(const SharedThreads&) = delete;

    /// The share of one executor.
    class Share final {
    public:
        explicit Share(SharedThreads& all);
        ~Share();

        Share(const Share&) = delete;
        Share& operator=(const Share&) = delete;

        /// Waits for a place to run. false: that was no use any more, and there is none.
        [[nodiscard]] bool take(const std::stop_token& stop);
        void give_back();

    private:
        SharedThreads& all_;
        std::size_t running_ = 0;  ///< Guarded by all_.mutex_.
    };

private:
    std::mutex mutex_;
    std::condition_variable_any changed_;
    std::size_t free_;      ///< Guarded by mutex_.
    std::size_t idle_ = 0;  ///< Shares that run nothing; likewise.
};

}  // namespace jobstrand::executor
