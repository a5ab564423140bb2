#pragma once

#include "persistence/sql/db_error.hpp"
#include "schema/time.hpp"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>

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

}  // namespace jobstrand::persistence
