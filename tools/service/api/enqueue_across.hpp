#pragma once

#include "schema/time.hpp"
#include "tools/service/api/api_parts.hpp"
#include "tools/service/api/job_paths.hpp"
#include "tools/service/api/job_requests.hpp"
#include "tools/service/http/router.hpp"
#include "tools/service/http/work_pool.hpp"

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace jobstrand::service {

/// An open engine of a set, with the threads that wait for its database.
///
/// Thread safety: safe. What the parts refer to must live until stop().
class SetMember final {
public:
    /// `patience`: see is_silent().
    SetMember(const ApiParts& parts, schema::Duration patience);

    SetMember(const SetMember&) = delete;
    SetMember& operator=(const SetMember&) = delete;

    [[nodiscard]] const ApiParts& parts() const { return parts_; }
    [[nodiscard]] const std::string& name() const { return parts_.engine_name; }

    /// See enqueue_jobs() and show_job().
    void enqueue(Request request, Answer answer) {
        enqueue_(std::move(request), std::move(answer));
    }
    void show(Request request, Answer answer) { show_(std::move(request), std::move(answer)); }

    /// Runs it on a thread of this engine; it must not throw. false: too many wait.
    [[nodiscard]] bool post(std::function<void()> act);

    /// Something has waited for the database longer than the patience, and nothing was answered
    /// meanwhile: whoever has others to answer should not wait too.
    [[nodiscard]] bool is_silent() const;

    /// The same, or the last answer was that it is away, and that was within the last second:
    /// whoever may go elsewhere should.
    [[nodiscard]] bool seems_away() const;

    /// Whether a request of so many bytes may wait for it: while it is silent only few may, short
    /// ones most likely, because those that wait hold connections and memory of an address that the
    /// others need too.
    [[nodiscard]] bool has_room_for(std::size_t bytes) const;

    /// Between these two somebody waits for the database. `has_answered`: it was not away.
    void begin_waiting();
    void end_waiting(bool has_answered);

    /// Ends what has begun, and forgets what waits.
    void stop();

private:
    const ApiParts parts_;
    WorkPool pool_;
    EnqueueGroup singles_;
    const Handler enqueue_;
    const Handler show_;
    std::atomic<std::size_t> posted_{0};

    /// Precondition: mutex_ is locked.
    [[nodiscard]] bool is_silent_now() const;

    const schema::Duration patience_;
    mutable std::mutex mutex_;
    std::size_t waiting_ = 0;             ///< Guarded by mutex_.
    schema::SteadyPoint silent_since_{};  ///< Likewise; of no meaning where nobody waits.
    schema::SteadyPoint away_until_{};    ///< Likewise.
};

/// What an engine of a set has answered instead of doing it, so that it is known which: its name
/// stands in front, where it is about the database and not about the request.
[[nodiscard]] Response naming(const std::string& engine, Response response);

/// The jobs of a request that belong to one engine.
struct PartOfRequest {
    std::string engine;
    SetMember* member = nullptr;  ///< nullptr: it is not open.
    std::vector<JobText> jobs = {};
};

/// Enqueues the jobs of a request, an array or lines, that belong to several engines: those of each
/// in a transaction of its own, all of them or none.
///
/// First all are read; with a mistake in any, or one that its token may not enqueue, nothing is
/// stored anywhere. Then each engine stores its part, and remembers the request's Idempotency-Key
/// with it, if there is one. The answer is as for one engine, if all have stored theirs. Else it is
/// a problem, whose `parts` say of each engine which jobs of the request are its own, and under
/// which ids they are stored, or why they are not: 503 if coming again may help, which with the
/// same key, or the same ids, adds only what is missing.
///
/// Answers later, from a thread of one of the engines. The texts of the parts are of the
/// request, and the members must outlive it.
void enqueue_across(
    std::shared_ptr<const Request> request,
    std::vector<PartOfRequest> parts,
    Answer answer
);

}  // namespace jobstrand::service
