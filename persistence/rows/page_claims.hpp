#pragma once

#include "persistence/claim_request.hpp"
#include "persistence/rows/store_context.hpp"
#include "persistence/sql/sql_transaction.hpp"
#include "schema/job.hpp"
#include "schema/time.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::persistence {

/// Jobs that claims name, each with the revision that its row had. A row with another one is not
/// held any more: it was freed, or has gone its way. Then a second claim may name it, with that
/// one.
using ClaimedJobs = std::multimap<std::string, int, std::less<>>;

/// Whether a claim names the job under this revision.
[[nodiscard]] bool is_named(const ClaimedJobs& jobs, std::string_view id, std::int64_t revision);

/// What stands in JS_CLAIM.BYTES_: the ids with their revisions, each as it differs from the one
/// before. Ids of one time begin alike.
[[nodiscard]] std::string claim_text_of(std::span<const schema::Job> jobs);

/// Adds the jobs of such a text. Throws DbError `unreadable` when it is none.
void read_claim_text(std::string_view text, ClaimedJobs& jobs);

// Claims of pages: one row of JS_CLAIM holds many jobs, whose own rows are only read, and deleted
// when they are done.
//
// - A job is held if a claim names it, its row still has the revision that stands there, and no
//   lock owner. So a job that goes elsewhere, or is freed, needs no change of its claim: its
//   revision is raised.
// - The fence is the revision: whoever takes a held job away raises it (see FenceKind).
// - Rows of such jobs look free. Whoever means to take or change free jobs closes the gate first,
//   which all claims of pages do, and then asks which jobs are held.
// - A claim lasts for one lock time and is not renewed. A job that takes longer gets a lock in its
//   own row, under the same revision, at the first renewal of its lock.

/// Waits until no other transaction has closed the gate, and keeps it closed until this one ends.
/// Nothing on SQLite, where the writing transaction is alone anyway. To be done before any row is
/// locked.
void close_gate(Transaction& transaction);

/// Writes a claim of these jobs, which are in id order, free, and not held; the gate is closed. In
/// memory they get its number and its owner.
void claim_page(Transaction& transaction, const LockClaim& claim, std::vector<schema::Job>& jobs);

/// Whether a claim is there: the question after one whose commit went unanswered.
[[nodiscard]] bool is_claimed(Transaction& transaction, std::string_view owner, std::int64_t claim);

/// The last id that a claim names behind this one; nullopt: there is none.
[[nodiscard]] std::optional<std::string>
last_claimed_behind(Transaction& transaction, std::string_view after);

/// All jobs that claims name.
[[nodiscard]] ClaimedJobs all_claimed(Connection& connection);
[[nodiscard]] ClaimedJobs all_claimed(Transaction& transaction);

/// How many jobs of which claim.
using CountByClaim = std::map<std::int64_t, std::int64_t>;

/// Subtracts jobs of the owner's claims that have ended or were freed, and deletes a claim that has
/// none left. Call before their rows are touched, in the order in which a reset locks.
void count_ended(Transaction& transaction, std::string_view owner, const CountByClaim& ended);

/// The claims of a node end at `over`, and await the reset.
void end_claims_of(Transaction& transaction, std::string_view owner, schema::TimePoint over);

/// A callback that gets a claim before its jobs are freed, in the transaction that frees them.
using BeforeReset =
    std::function<void(Transaction&, const std::string& owner, const ClaimedJobs& jobs)>;

/// Lets the jobs of claims go that ended before `now`, with a lost start: of these owners, or of
/// all if there are none. Returns how many.
[[nodiscard]] std::int64_t reset_expired_claims(
    const StoreContext& context,
    schema::TimePoint now,
    std::span<const std::string> owners,
    const BeforeReset& before
);

// How those who do not claim pages regard the claims of others.

/// Gives jobs that a claim holds what its row says: owner, expiry and number. `jobs` are executable
/// and in id order. One cheap statement while there are no claims.
void mark_claimed(Connection& connection, std::span<schema::Job> jobs);
void mark_claimed(Transaction& transaction, std::span<schema::Job> jobs);

/// Like rows_for_update, for whoever means to change jobs that are free: of executable ones none
/// becomes held until the transaction ends, and those that are come marked.
[[nodiscard]] std::vector<schema::Job> rows_to_change(
    Transaction& transaction,
    schema::JobPlace place,
    std::span<const std::string_view> ids
);

/// Whether any job is held by a claim; none becomes so until the transaction ends.
[[nodiscard]] bool is_any_claimed(Transaction& transaction);

/// Takes the jobs that a claim holds out of the list, which is in id order and of executable jobs
/// whose gate is closed.
void drop_claimed(Transaction& transaction, std::vector<schema::Job>& jobs);

}  // namespace jobstrand::persistence
