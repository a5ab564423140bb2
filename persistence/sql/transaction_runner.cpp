#include "persistence/sql/transaction_runner.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <utility>

namespace jobstrand::persistence {

namespace {

bool takes_no_writes(DbErrorKind kind) {
    return kind == DbErrorKind::read_only || kind == DbErrorKind::storage_full;
}

schema::SteadyPoint now() {
    return std::chrono::time_point_cast<schema::Duration>(std::chrono::steady_clock::now());
}

}  // namespace

void OutageWatch::failed(const DbError& error, schema::SteadyPoint began) {
    if (!error.is_outage()) {
        return;
    }
    {
        const std::scoped_lock lock(mutex_);
        if (outage_ || (last_end_ && began < *last_end_)) {
            return;
        }
        outage_ = {.since = now(), .kind = error.kind()};
        is_away_ = true;
    }
    log_.write(
        schema::LogLevel::warn,
        "the database is away; what needs it is tried again until it is back",
        {{"reason", std::string(name_of(error.kind()))}, {"error", error.what()}}
    );
}

void OutageWatch::succeeded(Access access, schema::SteadyPoint began) {
    schema::Duration lasted{};
    {
        const std::scoped_lock lock(mutex_);
        if (!outage_ || began < outage_->since ||
            (access == Access::read && takes_no_writes(outage_->kind))) {
            return;
        }
        last_end_ = now();
        lasted = std::chrono::floor<schema::Duration>(*last_end_ - outage_->since);
        outage_.reset();
        is_away_ = false;
    }
    is_over_.notify_all();
    log_.write(schema::LogLevel::info, "the database is back", {{"away_ms", lasted.count()}});
}

void OutageWatch::wait_until_over(const std::stop_token& stop, schema::SteadyPoint until) {
    if (is_away_.load(std::memory_order_relaxed)) {  // Asked for every job.
        std::unique_lock lock(mutex_);
        (void)is_over_.wait_until(lock, stop, until, [this] { return !outage_; });
    }
}

std::optional<schema::SteadyPoint> OutageWatch::last_end() const {
    const std::scoped_lock lock(mutex_);
    return outage_ ? schema::SteadyPoint::max() : last_end_;
}

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

/// What a piece of work owes to those whose transaction it goes on with, if there are any: an end.
class GroupPart final {
public:
    explicit GroupPart(std::shared_ptr<CommitGroup> group) : group_(std::move(group)) {}

    /// After the work has failed, and everything was rolled back.
    ~GroupPart() {
        if (is_in_group()) {
            failed(DbError(
                DbErrorKind::conflict, "it was rolled back with other work of the same transaction"
            ));
        }
    }

    GroupPart(const GroupPart&) = delete;
    GroupPart& operator=(const GroupPart&) = delete;

    [[nodiscard]] bool is_in_group() const { return group_ != nullptr; }

    void committed() {
        if (const auto group = std::exchange(group_, nullptr)) {
            group->committed();
        }
    }

    void failed(const DbError& error) {
        if (const auto group = std::exchange(group_, nullptr)) {
            group->failed(error);
        }
    }

    void left_to_another() { group_.reset(); }

private:
    std::shared_ptr<CommitGroup> group_;
};

}  // namespace

TransactionRunner::TransactionRunner(SessionPool& pool, schema::Log& log, RetryLimits limits)
    : pool_(pool), log_(log), limits_(limits), outage_(log) {}

void TransactionRunner::run(const Work& work, const WasCommitted& was_committed, Commit commit) {
    std::optional<DbError> doubt;
    for (Tries tries(limits_);; tries.wait()) {
        const auto began = std::chrono::steady_clock::now();
        try {
            if (!doubt || !was_done(was_committed)) {
                doubt.reset();
                run_once(work, tries.failed() == 0 ? commit : Commit::alone);
            }
            outage_.succeeded(OutageWatch::Access::write, began);
            counts_.writes.add(std::chrono::steady_clock::now() - began);
            return;
        } catch (const DbError& error) {
            count_failure(error, began);
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

void TransactionRunner::run_once(const Work& work, Commit commit) {
    SessionPool::Lease connection = pool_.lease(Access::write, commit);
    GroupPart part(connection.group());
    Transaction transaction(
        *connection,
        part.is_in_group() ? Transaction::Beginning::within : Transaction::Beginning::anew
    );
    if (part.is_in_group()) {
        // The first callback: the others need not wait for those of this work.
        transaction.on_commit([&part] { part.committed(); });
    }
    work(transaction);
    transaction.prepare();
    if (const auto group = commit == Commit::shared ? connection.pass_on() : nullptr) {
        part.left_to_another();
        transaction.commit_elsewhere([&group] { group->wait(); });
        return;
    }
    // Defended catch: all whose work it was have to hear of it.
    try {
        transaction.commit();
    } catch (const DbError& error) {
        part.failed(error);
        throw;
    }
}

bool TransactionRunner::was_done(const WasCommitted& was_committed) {
    const SessionPool::Lease connection = pool_.lease(Access::write);
    Transaction transaction(*connection);
    return was_committed(transaction);
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
            count_failure(error, began);
            if (!error.is_transient() || !tries.another()) {
                throw;
            }
            log_retry(error, tries.failed());
        }
    }
}

void TransactionRunner::count_failure(const DbError& error, schema::SteadyPoint began) {
    counts_.add_failure(error.kind());
    outage_.failed(error, began);
}

void TransactionRunner::log_retry(const DbError& error, int tries) noexcept {
    log_.write(
        schema::LogLevel::debug,
        "a database transaction is tried again",
        {{"reason", std::string(name_of(error.kind()))}, {"tries", tries}, {"error", error.what()}}
    );
}

}  // namespace jobstrand::persistence
