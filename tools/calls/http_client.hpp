#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include <mutex>
#include <optional>
#include <thread>

namespace jobstrand::cli {

/// The thread that calls apps; one is enough for thousands of calls, which only wait.
///
/// Thread safety: safe.
class HttpClient final {
public:
    HttpClient() = default;

    /// Calls that are under way end without a word.
    ~HttpClient();

    HttpClient(const HttpClient&) = delete;
    HttpClient& operator=(const HttpClient&) = delete;

    /// Starts the thread, unless it runs.
    void start();

    [[nodiscard]] boost::asio::io_context& context() { return io_; }

private:
    void run();

    using Guard = boost::asio::executor_work_guard<boost::asio::io_context::executor_type>;

    boost::asio::io_context io_{1};
    std::once_flag started_;
    std::optional<Guard> stays_;
    std::thread thread_;
};

}  // namespace jobstrand::cli
