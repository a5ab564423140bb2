#pragma once

#include "persistence/sql/connection.hpp"
#include "persistence/sql/db_error.hpp"
#include "schema/clock.hpp"
#include "schema/time.hpp"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace jobstrand::persistence {

/// Whether a piece of work may be committed together with others.
enum class Commit {
    alone,
    shared,  ///< It is short, and waits for nobody: neither for an app's code nor for a lock.
};

/// Group commit: pieces of work whose transaction is one, because they wanted the only writing
/// connection at the same time, and whose threads wait for whoever commits it. On SQLite a commit
/// costs as much as hundreds of rows.
///
/// All of them are committed, or none: when one fails they are rolled back together, and each is
/// done again alone.
///
/// Thread safety: safe.
class CommitGroup final {
public:
    /// Whether another may join. Not when the first one has waited for long already.
    [[nodiscard]] bool may_grow() const;

    /// One of the two, once; those who wait go on.
    void committed();
    void failed(const DbError& error);

    /// Waits for that. Throws the error that was given to failed().
    void wait();

private:
    enum class End { none, committed, failed };

    const schema::SteadyPoint began_ = std::chrono::steady_clock::now();

    std::mutex mutex_;
    std::condition_variable ended_;
    End end_ = End::none;

    // Of the error. Each who waits throws one of its own: threads share no exception.
    DbErrorKind kind_ = DbErrorKind::other;
    std::string message_;
};

/// Lends connections, makes them when needed, and drops poisoned ones, together with all that were
/// made before: what ended one, such as a restart of the server, has most likely ended them as
/// well, and after a failover they lead to a server that only knows what was.
///
/// SQLite has one writer at a time: its pool has one writing connection, so that the threads of
/// this process queue here, fairly, instead of polling the file lock; readers have their own and
/// are never kept waiting by a writer (WAL). What they write may be committed together (see
/// CommitGroup). Servers have one kind of connection: with no readers in its size, a pool lends the
/// writers' connections for reading too.
///
/// Thread safety: safe. Every lease must be returned before the pool is destroyed.
class SessionPool final {
public:
    enum class Access { read, write };

    struct Size {
        std::size_t writers = 1;
        std::size_t readers = 4;

        /// A connection that has been idle for longer is replaced, not lent: servers and the
        /// machines on the way to them give up idle connections without a word.
        schema::Duration idle_limit{std::chrono::minutes(5)};

        /// Neither is one that is older than this: whoever only reads would not notice that its
        /// server is not the right one any more. nullopt: there is one server.
        std::optional<schema::Duration> age_limit = {};

        /// Of several idle ones, those that nobody has needed for longer are closed when another
        /// comes back: a server has few for all, and a node at rest uses one or two. It is longer
        /// than a minute, because jobs of many timers come each minute.
        schema::Duration spare_limit{std::chrono::seconds(90)};
    };

    /// Makes a connection or throws DbError.
    using Connect = std::function<std::unique_ptr<Connection>(Access)>;

    SessionPool(
        Connect connect,
        Size size,
        schema::Duration lease_timeout,
        const schema::Clock& clock = schema::machine_clock()
    );
    ~SessionPool();

    SessionPool(const SessionPool&) = delete;
    SessionPool& operator=(const SessionPool&) = delete;

    /// A connection, and those whose transaction is open on it; nullptr: there is none.
    struct Lent {
        std::unique_ptr<Connection> connection;
        std::uint64_t losses = 0;       ///< That there had been when the connection was asked for.
        schema::SteadyPoint made = {};  ///< About when it was.
        std::shared_ptr<CommitGroup> group = nullptr;
    };

    /// A borrowed connection; goes back to the pool by itself.
    class Lease final {
    public:
        Lease(SessionPool& pool, Access access, Lent lent);
        ~Lease();
        Lease(Lease&& other) noexcept;
        Lease(const Lease&) = delete;
        Lease& operator=(const Lease&) = delete;
        Lease& operator=(Lease&&) = delete;

        Connection& operator*() const noexcept { return *lent_.connection; }
        Connection* operator->() const noexcept { return lent_.connection.get(); }

        /// Those whose transaction is open on the connection: this lease goes on with it, and has
        /// to end it or to pass it on. nullptr: none is open.
        [[nodiscard]] const std::shared_ptr<CommitGroup>& group() const noexcept {
            return lent_.group;
        }

        /// Leaves the commit of the open transaction to the next in the queue, who has the
        /// connection then: this lease has ended. Returns the group to wait for; nullptr: nobody
        /// waits who may share it, and this lease has to commit.
        [[nodiscard]] std::shared_ptr<CommitGroup> pass_on();

    private:
        SessionPool* pool_;
        Access access_;
        Lent lent_;
    };

    /// Waits for a free connection; with `shared`, one may have an open transaction. Throws DbError
    /// busy after the lease timeout, or whatever making a new connection throws.
    [[nodiscard]] Lease lease(Access access, Commit commit = Commit::alone);

    /// How many threads wait for one at the moment.
    [[nodiscard]] std::size_t waiting(Access access);

private:
    /// A thread that waits for its turn.
    struct Waiter {
        explicit Waiter(Commit how) : commit(how) {}

        const Commit commit;
        std::condition_variable turn;
    };

    struct IdleConnection {
        Lent lent;
        schema::SteadyPoint since;
    };

    struct Side {
        explicit Side(std::size_t most) : limit(most) { idle.reserve(most); }

        /// Whether there is one connection, and the next who waits for it goes on with its
        /// transaction.
        [[nodiscard]] bool is_next_sharing() const {
            return limit == 1 && !queue.empty() && queue.front().commit == Commit::shared;
        }

        [[nodiscard]] std::vector<IdleConnection> take_all() {
            std::vector<IdleConnection> all;
            all.reserve(limit);
            all.swap(idle);
            return all;
        }

        std::vector<IdleConnection> idle;  ///< The last used at the end; that one is lent next.
        std::size_t lent = 0;
        std::uint64_t losses = 0;  ///< Connections that came back poisoned.
        const std::size_t limit;
        std::list<Waiter> queue;  ///< Who came first is served first.
    };

    [[nodiscard]] Side& side(Access access);
    void wait_for_place(Side& side, Commit commit, std::unique_lock<std::mutex>& lock);
    [[nodiscard]] Lent idle_or_new(Access access);
    [[nodiscard]] Lent take_idle(Side& side);
    [[nodiscard]] std::vector<IdleConnection> take_spare(Side& side) const;
    [[nodiscard]] bool is_outdated(const IdleConnection& idle, schema::Duration idle_limit) const;
    [[nodiscard]] std::uint64_t losses_of(Access access);
    void free_place(Side& side) noexcept;
    [[nodiscard]] std::shared_ptr<CommitGroup> pass_on(Access access, Lent& lent);
    void give_back(Access access, Lent lent) noexcept;

    // Constant after construction.
    const Connect connect_;
    const schema::Duration lease_timeout_;
    const schema::Duration idle_limit_;
    const schema::Duration spare_limit_;
    const std::optional<schema::Duration> age_limit_;
    const schema::Clock& clock_;

    // Guarded by mutex_.
    std::mutex mutex_;
    Side writers_;
    Side readers_;
};

}  // namespace jobstrand::persistence
