#pragma once

#include "persistence/drivers/database.hpp"

#include <mutex>
#include <thread>

namespace jobstrand::test_kit {

/// Lets the commits of a private SQLite database wait until somebody looks at it: what a turn of a
/// series writes at its end, and what the next one begins with, are one transaction then, unless a
/// handler asks the engine for something. Between two runs nobody but their node does.
///
/// Thread safety: safe, but for Period, which belongs to the thread of the test: the threads of an
/// app see nothing that is not committed. Everything that it decorates must be gone before it.
class DeferredCommits final {
public:
    DeferredCommits() = default;
    DeferredCommits(const DeferredCommits&) = delete;
    DeferredCommits& operator=(const DeferredCommits&) = delete;

    /// For all connections of one engine to the database.
    [[nodiscard]] persistence::DecorateConnection decoration();

    /// From now on no commit waits: others than the engine look at the database. Throws DbError.
    void forbid();

    /// While it lives commits wait, or those that have waited do only until the engine is asked.
    class Period final {
    public:
        Period(DeferredCommits& commits, bool defers);
        ~Period();

        Period(const Period&) = delete;
        Period& operator=(const Period&) = delete;

        /// Its end, where an error can be told. Throws DbError.
        void end();

    private:
        DeferredCommits& commits_;
        const bool deferred_before_;
        bool is_over_ = false;
    };

private:
    class Decorated;
    using Lock = std::unique_lock<std::recursive_mutex>;

    bool set(bool defers);
    void commit();

    /// Whether this thread's commits wait. Precondition: mutex_ is locked.
    [[nodiscard]] bool does_wait() const;

    /// A connection is asked for something: commits what waits, unless commits still do.
    [[nodiscard]] Lock lock_for_use();

    std::recursive_mutex mutex_;  ///< A transaction whose commit waits holds it to its end.
    // Guarded by mutex_.
    bool is_allowed_ = true;
    bool defers_ = false;
    std::thread::id test_;       ///< Who runs while commits wait.
    Decorated* open_ = nullptr;  ///< Its transaction is to be committed.
};

}  // namespace jobstrand::test_kit
