#pragma once

#include "persistence/sql/db_error.hpp"
#include "persistence/sql/session_pool.hpp"
#include "persistence/sql/sql_transaction.hpp"
#include "schema/histogram.hpp"
#include "schema/log.hpp"
#include "schema/time.hpp"

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <type_traits>
#include <utility>

namespace jobstrand::persistence {

/// How the database has answered since this store began, for whoever watches it.
///
/// Thread safety: safe.
class AccessCounts final {
public:
    /// Transactions that were committed, and reads that were answered: from when a connection was
    /// asked for. Tries that failed before are not in it.
    schema::DurationHistogram writes;
    schema::DurationHistogram reads;

    /// A try has failed, whether or not there is another.
    void add_failure(DbErrorKind kind) {
        failures_.at(static_cast<std::size_t>(kind)).fetch_add(1, std::memory_order_relaxed);
    }

    [[nodiscard]] std::uint64_t failures(DbErrorKind kind) const {
        return failures_.at(static_cast<std::size_t>(kind)).load(std::memory_order_relaxed);
    }

private:
    std::array<std::atomic<std::uint64_t>, static_cast<std::size_t>(DbErrorKind::unreadable) + 1>
        failures_{};
};

/// Knows whether the database takes nothing, as the accesses of this process show. Says once that
/// it is so, and once that it works again, however many threads meet the one and the other
/// meanwhile.
///
/// Thread safety: safe. The log must outlive it.
class OutageWatch final {
public:
    explicit OutageWatch(schema::Log& log) : log_(log) {}

    /// An access has failed. Only what DbError::is_outage() counts. One that began before the end
    /// of an outage is no news: it may have waited for the server that was away.
    void failed(const DbError& error, schema::SteadyPoint began);

    /// What has shown that the database works.
    enum class Access {
        read,   ///< Proves nothing about a database that cannot be written to.
        write,  ///< A transaction that was committed.
    };

    /// An access has succeeded. One that began before the outage is no news.
    void succeeded(Access access, schema::SteadyPoint began);

    /// Waits for the end of an outage; until `until`, or a stop, at most.
    void wait_until_over(const std::stop_token& stop, schema::SteadyPoint until);

    /// When the last outage ended; SteadyPoint::max(): it goes on; nullopt: there was none.
    [[nodiscard]] std::optional<schema::SteadyPoint> last_end() const;

private:
    struct Outage {
        schema::SteadyPoint since;
        DbErrorKind kind;
    };

    schema::Log& log_;

    std::atomic<bool> is_away_{false};  ///< Whether there is an outage_.
    mutable std::mutex mutex_;
    std::condition_variable_any is_over_;
    std::optional<Outage> outage_;                 ///< Guarded by mutex_.
    std::optional<schema::SteadyPoint> last_end_;  ///< Likewise.
};

/// How often a transaction is tried again, and how long the first wait is. Waits double, with
/// jitter, up to `wait_max`, so that two nodes that collided do not collide again. No try begins
/// later than `give_up_after` the first: a try can itself wait long for a lock.
struct RetryLimits {
    int attempts = 8;
    schema::Duration wait{std::chrono::milliseconds(5)};
    schema::Duration wait_max{std::chrono::milliseconds(500)};
    schema::Duration give_up_after{std::chrono::seconds(30)};

    /// How long a commit in doubt is asked about, however many tries that takes: most often it is a
    /// restart of the server that has caused it, and that takes seconds.
    schema::Duration doubt_max{std::chrono::seconds(10)};
};

/// Runs a piece of work in a transaction, and runs the whole of it again when the database says
/// that this may help. The only place that retries; never nested. An outage of the database is
/// logged once when it begins and once when it ends.
///
/// Thread safety: safe. The pool and the log must outlive it.
class TransactionRunner final {
public:
    TransactionRunner(SessionPool& pool, schema::Log& log, RetryLimits limits = {});

    /// Called again from the start for every try: everything it leaves outside must be overwritten
    /// by then.
    using Work = std::function<void(Transaction&)>;

    /// Reads, in a new transaction, whether the work whose COMMIT went unanswered has been done.
    using WasCommitted = std::function<bool(Transaction&)>;

    /// Runs `work` and commits. When a commit is in doubt, `was_committed` decides: true returns,
    /// false runs the work again. Throws DbError when it is not transient or the tries are used up;
    /// kind in_doubt when `was_committed` is empty or could not be asked within the time.
    ///
    /// With `shared`, the first try may be committed together with what others run.
    void run(const Work& work, const WasCommitted& was_committed, Commit commit = Commit::shared);

    /// Runs `work` on a reading connection without a transaction of its own; tried again in the
    /// same way. Returns what the work returns at last.
    template <typename Work>
    auto read(const Work& work) {
        using Result = std::invoke_result_t<const Work&, Connection&>;
        if constexpr (std::is_void_v<Result>) {
            run_plain(SessionPool::Access::read, work);
        } else {
            std::optional<Result> result;
            run_plain(SessionPool::Access::read, [&](Connection& connection) {
                result.emplace(work(connection));
            });
            return *std::move(result);
        }
    }

    /// The same on a writing connection, for a change that is one statement and does no harm when
    /// it runs twice: it spares two round trips.
    void change(const std::function<void(Connection&)>& work);

    /// What its accesses show.
    [[nodiscard]] OutageWatch& outage() { return outage_; }

    [[nodiscard]] const AccessCounts& counts() const { return counts_; }

private:
    void run_once(const Work& work, Commit commit);
    void run_plain(SessionPool::Access access, const std::function<void(Connection&)>& work);
    [[nodiscard]] bool was_done(const WasCommitted& was_committed);
    void count_failure(const DbError& error, schema::SteadyPoint began);
    void log_retry(const DbError& error, int tries) noexcept;

    SessionPool& pool_;
    schema::Log& log_;
    const RetryLimits limits_;
    OutageWatch outage_;
    AccessCounts counts_;
};

/// The WasCommitted of work that does no harm when it runs twice.
[[nodiscard]] inline bool run_again(Transaction& /*transaction*/) {
    return false;
}

}  // namespace jobstrand::persistence
