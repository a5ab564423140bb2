#include "persistence/sql/transaction_runner.hpp"

#include <algorithm>
#include <optional>
#include <random>
#include <string>
#include <thread>

namespace jobstrand::persistence {

namespace {

using Access = SessionPool::Access;

/// Counts the tries of one piece of work and waits between them.
class Tries final {
public:
    explicit Tries(const RetryLimits& limits)
        : limits_(limits),
          wait_(limits.wait),
          end_(std::chrono::steady_clock::now() + limits.give_up_after) {}

    /// How many have failed so far.
    [[nodiscard]] int failed() const { return failed_; }

    /// Notes that a try has failed. Returns whether there may be another.
    [[nodiscard]] bool another() {
        ++failed_;
        return failed_ < limits_.attempts && std::chrono::steady_clock::now() < end_;
    }

    /// The same while a commit is in doubt.
    [[nodiscard]] bool another_in_doubt() {
        ++failed_;
        const auto now = std::chrono::steady_clock::now();
        doubt_end_ = doubt_end_.value_or(now + limits_.doubt_max);
        return now < *doubt_end_;
    }

    void wait() {
        std::this_thread::sleep_for(with_jitter(wait_));
        wait_ = std::min(wait_ * 2, limits_.wait_max);
    }

private:
    /// Half of the wait is fixed, half is chance.
    static schema::Duration with_jitter(schema::Duration wait) {
        thread_local std::minstd_rand random{std::random_device{}()};
        std::uniform_int_distribution<schema::Duration::rep> chance(0, wait.count() / 2);
        return wait - schema::Duration(chance(random));
    }

    const RetryLimits& limits_;
    schema::Duration wait_;
    const schema::SteadyPoint end_;
    std::optional<schema::SteadyPoint> doubt_end_;
    int failed_ = 0;
};

}  // namespace

TransactionRunner::TransactionRunner(SessionPool& pool, schema::Log& log, RetryLimits limits)
    : pool_(pool), log_(log), limits_(limits), outage_(log) {}

void TransactionRunner::run(const Work& work, const WasCommitted& was_committed) {
    std::optional<DbError> doubt;
    for (Tries tries(limits_);; tries.wait()) {
        const auto began = std::chrono::steady_clock::now();
        try {
            if (!doubt || !was_done(was_committed)) {
                doubt.reset();
                run_once(work);
            }
            outage_.succeeded(OutageWatch::Access::write, began);
            counts_.writes.add(std::chrono::steady_clock::now() - began);
            return;
        } catch (const DbError& error) {
            count_failure(error);
            if (error.kind() == DbErrorKind::in_doubt && was_committed) {
                doubt = error;
            }
            // While in doubt, even a database that is away is asked again: giving up leaves the
            // caller with an unknown outcome.
            if (doubt ? tries.another_in_doubt() : error.is_transient() && tries.another()) {
                log_retry(error, tries.failed());
            } else if (doubt) {
                throw *doubt;
            } else {
                throw;
            }
        }
    }
}

void TransactionRunner::run_once(const Work& work) {
    const SessionPool::Lease connection = pool_.lease(Access::write);
    Transaction transaction(*connection);
    work(transaction);
    transaction.commit();
}

bool TransactionRunner::was_done(const WasCommitted& was_committed) {
    const SessionPool::Lease connection = pool_.lease(Access::write);
    Transaction transaction(*connection);
    return was_committed(transaction);
}

void TransactionRunner::read(const std::function<void(Connection&)>& work) {
    run_plain(Access::read, work);
}

void TransactionRunner::change(const std::function<void(Connection&)>& work) {
    run_plain(Access::write, work);
}

void TransactionRunner::run_plain(Access access, const std::function<void(Connection&)>& work) {
    const bool is_read = access == Access::read;
    for (Tries tries(limits_);; tries.wait()) {
        const auto began = std::chrono::steady_clock::now();
        try {
            const SessionPool::Lease connection = pool_.lease(access);
            work(*connection);
            outage_.succeeded(
                is_read ? OutageWatch::Access::read : OutageWatch::Access::write, began
            );
            (is_read ? counts_.reads : counts_.writes)
                .add(std::chrono::steady_clock::now() - began);
            return;
        } catch (const DbError& error) {
            count_failure(error);
            if (!error.is_transient() || !tries.another()) {
                throw;
            }
            log_retry(error, tries.failed());
        }
    }
}

void TransactionRunner::count_failure(const DbError& error) {
    counts_.add_failure(error.kind());
    outage_.failed(error);
}

void TransactionRunner::log_retry(const DbError& error, int tries) noexcept {
    log_.write(
        schema::LogLevel::debug,
        "a database transaction is tried again",
        {{"reason", std::string(name_of(error.kind()))}, {"tries", tries}, {"error", error.what()}}
    );
}

}  // namespace jobstrand::persistence
