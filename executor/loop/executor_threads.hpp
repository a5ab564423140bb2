#pragma once

#include "executor/loop/polling_loop.hpp"
#include "schema/log.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include <chrono>
#include <memory>
#include <string_view>
#include <thread>
#include <vector>

namespace jobstrand::executor {

/// The control pool: one thread per loop, so that a slow SQL statement of one strand never delays
/// another.
///
/// Life: add_loop() as often as needed, start(), stop(). stop() also works without start() and may
/// be called twice. Thread safety: none; the owner calls.
class ExecutorThreads final {
public:
    explicit ExecutorThreads(schema::Log& log) : log_(log) {}
    ~ExecutorThreads() { stop(); }

    ExecutorThreads(const ExecutorThreads&) = delete;
    ExecutorThreads& operator=(const ExecutorThreads&) = delete;

    /// What the threads run; it becomes empty when everything has stopped.
    [[nodiscard]] boost::asio::io_context& context() { return context_; }

    /// The activity must outlive this object; the loop lives as long as it does.
    PollingLoop& add_loop(Activity& activity) {
        loops_.push_back(std::make_unique<PollingLoop>(context_, activity, log_));
        return *loops_.back();
    }

    /// The activity whose pass has been under way for longer than this; empty: none. From any
    /// thread, once all loops are there.
    [[nodiscard]] std::string_view stuck_for(std::chrono::steady_clock::duration limit) const {
        for (const auto& loop : loops_) {
            if (loop->pass_under_way() > limit) {
                return loop->name();
            }
        }
        return {};
    }

    void start() {
        for (std::size_t i = 0; i < loops_.size(); ++i) {
            threads_.emplace_back([this] { context_.run(); });
        }
        for (const auto& loop : loops_) {
            loop->start();
        }
    }

    /// Stops every loop that still runs, then ends the threads.
    void stop() {
        for (const auto& loop : loops_) {
            loop->stop();
        }
        work_.reset();
        for (std::thread& thread : threads_) {
            thread.join();
        }
        threads_.clear();
    }

private:
    schema::Log& log_;
    boost::asio::io_context context_;
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_ =
        boost::asio::make_work_guard(context_);
    std::vector<std::unique_ptr<PollingLoop>> loops_;
    std::vector<std::thread> threads_;
};

}  // namespace jobstrand::executor
