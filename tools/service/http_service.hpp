#pragma once

#include "tools/service/api/api_parts.hpp"
#include "tools/service/http/message.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

namespace jobstrand::service {

/// Whether the service should be sent work: its database answers with tables that fit and takes
/// what becomes of jobs, and, if it runs jobs, this node holds its lease, gets on, and does not
/// stop. Anybody may ask, so the database is asked once a second at most, by one caller at a time.
///
/// Thread safety: safe.
class Readiness final {
public:
    /// `runs_jobs`: the executor is on. `parts` must outlive it.
    Readiness(const ApiParts& parts, bool runs_jobs) : parts_(parts), runs_jobs_(runs_jobs) {}

    /// 200, or 503 with the reason.
    [[nodiscard]] Response answer();

    /// From now on it is not ready.
    void stop() { is_stopping_ = true; }

private:
    [[nodiscard]] Response ask();

    const ApiParts& parts_;
    const bool runs_jobs_;
    std::atomic<bool> is_stopping_{false};

    // Guarded by mutex_.
    std::mutex mutex_;
    std::chrono::steady_clock::time_point asked_at_;
    std::optional<Response> last_;
    bool is_asking_ = false;
};

/// The HTTP service beside an engine, as the settings want it.
///
/// Thread safety: none; what it runs has threads of its own.
class HttpService final {
public:
    /// Listens, but serves nobody yet. Throws std::runtime_error or TokenFileError, with what to
    /// do, when the settings cannot be followed: above all for an address that other machines reach
    /// without tokens. `runs_jobs`: the engine was or will be started. `parts` must outlive it.
    HttpService(const ApiParts& parts, bool runs_jobs);
    ~HttpService();

    void start();

    /// Reads certificate and key again, for the clients that come from now on. A mistake is told in
    /// the log, and what counted before still counts. Without TLS there is nothing to read.
    void read_certificate_again();

    /// Still answers, but says that it is not ready, so that callers go elsewhere.
    void say_stopping();

    /// Ends what is being answered and all its threads.
    void stop();

    [[nodiscard]] std::uint16_t port() const;

private:
    class Objects;
    std::unique_ptr<Objects> objects_;
};

}  // namespace jobstrand::service
