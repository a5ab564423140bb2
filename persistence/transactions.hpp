#pragma once

#include <functional>

namespace jobstrand::persistence {

class Transaction;

/// Work in transactions of the job database.
///
/// The store shows itself to its callers as roles, in the headers of this folder, and each caller
/// takes those that it needs. A role is a class whose members stand beside their SQL; it is
/// abstract only where tests or tokens put something else in its place. They are written once, over
/// Connection, for every database. The conformance suite in test/conformance says what each
/// operation promises. For all of them:
///
/// - An operation without a Transaction parameter is one or more transactions of its own. They are
///   tried again on transient errors (see TransactionRunner). It throws DbError when the database
///   does not let it.
/// - A move is one short transaction. It touches the tables in the order of JobPlace and the rows
///   in primary-key order, clears the lock and raises REV_.
/// - `now` is always the database's time (I6).
/// - A plain INSERT can take an id that stands in another place already: a duplicate. A due timer
///   or a suspended job that meets its duplicate becomes a dead letter and says so. For what an
///   operator moves, the answer is DbError duplicate_key.
/// - Thread safety: safe.
class Transactions {
public:
    virtual ~Transactions() = default;

    /// Runs `work` in a transaction and commits it: an app's own rows and its jobs together.
    /// Conflicts run the whole work again, so it must be repeatable. Throws what `work` throws
    /// (after a rollback), or DbError; kind in_doubt when the commit went unanswered and
    /// `was_committed` is empty, else that decides.
    virtual void in_transaction(
        const std::function<void(Transaction&)>& work,
        const std::function<bool(Transaction&)>& was_committed
    ) = 0;
};

/// What came of asking for one job by its id. Only `done` changed something.
enum class JobAnswer {
    done,
    not_found,  ///< No such job, or not in the place where it was looked for.
    locked,     ///< A node holds a live lock on it.
    key_held,   ///< Another job has its unique key.
};

}  // namespace jobstrand::persistence
