#pragma once

#include "persistence/sql/sql_transaction.hpp"
#include "schema/job.hpp"
#include "schema/time.hpp"
#include "schema/unique_key.hpp"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// The rows of JS_UNIQUE: who has which unique key. A job with a key writes its row before its own,
/// and frees it where it ends. Jobs without a key cost nothing here: nothing is asked for them.
namespace jobstrand::persistence {

/// A job that wants, or has, a key. The texts are borrowed.
struct KeyClaim {
    std::string_view key;
    std::string_view job;
    std::optional<schema::TimePoint> until = {};  ///< nullopt: while the job is open.
};

/// A key that somebody else had already.
struct TakenKey {
    std::string key;
    std::string job;
    std::optional<schema::TimePoint> until;
};

/// UNTIL_ of a row. What is no time, because SQL wrote something else there, holds the key while
/// the job is open.
[[nodiscard]] std::optional<schema::TimePoint> until_of(const Row& row, std::size_t column);

/// Inserts the keys, of which each is there once, in ascending order. Returns those that were there
/// before, with what they had: from now on nobody else changes any of them until the transaction
/// ends. Two transactions with one key wait for each other here, and nowhere else.
[[nodiscard]] std::vector<TakenKey>
claim_keys(Transaction& transaction, std::span<const KeyClaim> claims);

/// Inserts the keys with INSERTs alone, for connections on which nothing can be asked: one that
/// somebody has fails as any key that is there. Those whose period is over make room.
void insert_keys_plainly(
    Transaction& transaction,
    std::span<const KeyClaim> claims,
    schema::TimePoint now
);

/// Gives keys to other jobs. This transaction has claimed them.
void pass_keys(Transaction& transaction, std::span<const KeyClaim> claims);

/// Deletes the rows with these keys and jobs, whatever they are held for.
void withdraw_keys(Transaction& transaction, std::span<const KeyClaim> claims);

/// Frees the keys of jobs that are not open any more, but for those that are held for a period.
/// Asks and writes nothing for jobs without a key. A key that another job has by now stays.
void free_keys_of(Transaction& transaction, std::span<const schema::Job* const> jobs);

/// Those who had keys before this transaction claimed them, by key, and what they are doing. A job
/// that is open but was not looked at closely is `busy`.
using KeyHolders = std::map<std::string, schema::KeyHolder, std::less<>>;

[[nodiscard]] KeyHolders holders_of(Transaction& transaction, const std::vector<TakenKey>& taken);

/// Looks at those of the jobs more closely that are open: who waits is `waiting` from now on, and
/// its row read for update is returned. Rows that somebody else has in hand are left out and not
/// waited for, so that nobody waits for a key and a job in a circle.
[[nodiscard]] std::vector<schema::PlacedJob> waiting_for_update(
    Transaction& transaction,
    std::span<schema::KeyHolder* const> holders,
    schema::TimePoint now
);

/// Gives dead letters that are about to be requeued their keys back, which they hold while they are
/// open, or for what is left of their period. Returns the ids of those whose key another job has by
/// now; they must stay where they are. The rows were read for update.
[[nodiscard]] std::vector<std::string> take_back_keys(
    Transaction& transaction,
    std::span<const schema::Job> dead_letters,
    schema::TimePoint now
);

}  // namespace jobstrand::persistence
