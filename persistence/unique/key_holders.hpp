#pragma once

#include "persistence/rows/key_rows.hpp"
#include "persistence/sql/sql_transaction.hpp"
#include "schema/job.hpp"
#include "schema/unique/unique_key.hpp"

#include <map>
#include <span>
#include <string>
#include <vector>

namespace jobstrand::persistence {

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
