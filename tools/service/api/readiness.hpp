#pragma once

#include "tools/service/api/api_parts.hpp"
#include "tools/service/http/message.hpp"

#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>

namespace jobstrand::service {

/// Whether the service should be sent work: its database answers with tables that fit and takes
/// what becomes of jobs, and, if it runs jobs, this node holds its lease, gets on, and does not
/// stop. Anybody may ask, so the database is
/// asked once a second at most, by one caller at a time.
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

}  // namespace jobstrand::service
