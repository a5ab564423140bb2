#pragma once

#include "tools/service/api/api_parts.hpp"
#include "tools/service/api/enqueue_across.hpp"
#include "tools/service/http/router.hpp"
#include "tools/service/http/work_pool.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::service {

/// Engines whose databases are as one for whoever enqueues or asks for a job (`spreadOver`): each
/// job is stored where engine_of() says, whichever of their addresses a request has come to. Jobs
/// that have nothing that says where they belong stay together, in an engine that is not away: the
/// ids that it makes are its own ones.
///
/// Every engine works on threads of its own, so that one whose database is away keeps nobody
/// waiting for another.
///
/// Thread safety: safe. It outlives the HTTP services that it answers for.
class EngineSet final {
public:
    /// The log must outlive it. `patience`: so long a request with jobs of several engines may wait
    /// for one of them before those that come after it are told at once that this one is silent.
    EngineSet(
        std::vector<std::string> names,
        schema::Log& log,
        schema::Duration patience = std::chrono::seconds(5)
    );
    ~EngineSet();

    EngineSet(const EngineSet&) = delete;
    EngineSet& operator=(const EngineSet&) = delete;

    [[nodiscard]] bool has(std::string_view name) const;

    /// From now on the engine stores its jobs; before, it counts as away. What the parts refer to
    /// must live until stop().
    void join(const ApiParts& parts);

    /// As enqueue_jobs() of the engine that the jobs belong to, whose name is in the answer. A
    /// request whose jobs belong to several: see enqueue_across().
    void enqueue(Request request, const Answer& answer);

    /// As show_job(), of the first engine that has such a job. 503 if none has it, but one of them
    /// does not answer.
    void show(const Request& request, const Answer& answer);

    /// Ends what has begun in any engine, and forgets what waits: its answers are never given, and
    /// nothing of their connections is kept.
    void stop();

private:
    class Search;

    void route(Request request, const Answer& answer);
    void pass_on(const std::string& engine, Request request, const Answer& answer);
    [[nodiscard]] std::vector<PartOfRequest>
    parts_of(const Request& request, const std::vector<JobText>& jobs);
    [[nodiscard]] std::string engine_without_key(const Request& request);
    [[nodiscard]] std::vector<std::string> entered_by(const Scope& scope) const;
    [[nodiscard]] SetMember* member(std::string_view name);

    const std::vector<std::string> names_;
    const schema::Duration patience_;
    std::atomic<std::size_t> turn_{0};

    std::mutex mutex_;
    std::vector<std::unique_ptr<SetMember>> members_;  ///< Guarded by mutex_; they only come.
    bool is_stopping_ = false;                         ///< Likewise.

    WorkPool reading_;  ///< Finds out where the jobs of long requests belong.
    const Handler route_;
};

}  // namespace jobstrand::service
