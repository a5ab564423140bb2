#pragma once

#include "executor/job_handler.hpp"
#include "executor/pool/held_jobs.hpp"
#include "schema/time.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <stop_token>

namespace jobstrand::executor {

/// The runs of asynchronous handlers that are under way here. How many there may be has a bound
/// (I8): beyond it the workers wait, their queue fills, and no more jobs are taken in.
///
/// Thread safety: safe.
class AsyncRuns final {
public:
    /// Told of each run that ends, by whatever thread ends it, before it stops counting. It must
    /// not throw.
    using Ended = std::function<void(const HeldJobPtr&, HandlerResult)>;

    AsyncRuns(std::size_t most, Ended ended);

    /// Closes it: see close().
    ~AsyncRuns();

    AsyncRuns(const AsyncRuns&) = delete;
    AsyncRuns& operator=(const AsyncRuns&) = delete;

    /// Waits until fewer than `most` are under way, or `stop` is requested. Each thread that calls
    /// it may begin one run afterwards.
    void wait_for_place(std::stop_token stop);

    /// Calls the handler. The run may have ended when this returns.
    void begin(const AsyncJobHandler& handler, const HeldJobPtr& held, JobContext context);

    [[nodiscard]] std::size_t under_way() const;

    /// false: the time is over, and some still are.
    [[nodiscard]] bool wait_until_done(schema::Duration limit);

    /// Disables the callback, and waits for the calls that are running.
    void close();

private:
    /// Handlers may end runs when the executor is long gone.
    class Register;
    const std::size_t most_;
    const std::shared_ptr<Register> runs_;
};

}  // namespace jobstrand::executor
