#pragma once

#include "persistence/sql/db_error.hpp"
#include "persistence/sql/health/access_counts.hpp"
#include "persistence/sql/health/outage_watch.hpp"
#include "persistence/sql/session_pool.hpp"
#include "persistence/sql/sql_transaction.hpp"
#include "schema/log.hpp"

#include <functional>

namespace jobstrand::persistence {

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
    /// same way.
    void read(const std::function<void(Connection&)>& work);

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
    void count_failure(const DbError& error);
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
