#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace jobstrand::bench {

/// Calls `work(0)` to `work(count - 1)` on a thread each and waits for all. Throws what the first
/// of them threw.
inline void run_threads(std::size_t count, const std::function<void(std::size_t)>& work) {
    std::exception_ptr first;
    std::mutex mutex;
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < count; ++i) {
        // Defended catch: an exception must not end the thread, and with it the program.
        threads.emplace_back([&, i] {
            try {
                work(i);
            } catch (...) {
                const std::lock_guard lock(mutex);
                first = first ? first : std::current_exception();
            }
        });
    }
    threads.clear();
    if (first) {
        std::rethrow_exception(first);
    }
}

}  // namespace jobstrand::bench
