#include "persistence/claims/page_claims.hpp"

#include "persistence/sql/dialect.hpp"

#include <fmt/format.h>

#include <limits>
#include <random>

namespace jobstrand::persistence {

namespace {

using schema::Job;

constexpr std::string_view kGate = R"sql(
    SELECT ID_
    FROM JS_CLAIM
    WHERE ID_ = 0
    {for_update})sql";

constexpr std::string_view kWriteGate = R"sql(
    UPDATE JS_CLAIM
    SET LEFT_ = 1 - LEFT_
    WHERE ID_ = 0)sql";

constexpr std::string_view kMakeGate = R"sql(
    {insert_if_absent} INTO JS_CLAIM (ID_, OWNER_)
    VALUES (0, '') {if_absent})sql";

constexpr std::string_view kInsert = R"sql(
    INSERT INTO JS_CLAIM (ID_, OWNER_, LOCK_EXP_TIME_, FIRST_, LAST_, LEFT_, BYTES_)
    VALUES (?, ?, ?, ?, ?, ?, {bytes}))sql";

constexpr std::string_view kIsThere = R"sql(
    SELECT ID_
    FROM JS_CLAIM
    WHERE ID_ = ? AND OWNER_ = ?)sql";

constexpr std::string_view kLast = R"sql(
    SELECT MAX(LAST_)
    FROM JS_CLAIM
    WHERE ID_ > 0 AND LAST_ > ?)sql";

constexpr std::string_view kAll = R"sql(
    SELECT {bytes_as_text}
    FROM JS_CLAIM
    WHERE ID_ > 0)sql";

/// Whether it is there, and ours now.
bool is_gate_closed(Transaction& transaction) {
    const Dialect& dialect = transaction.dialect();
    if (dialect.locks_by_writing) {
        return transaction.execute(kWriteGate) > 0;
    }
    const std::string sql = fmt::format(kGate, fmt::arg("for_update", dialect.for_update));
    bool is_there = false;
    transaction.query({.sql = sql, .columns = 1}, {}, [&](const Row&) { is_there = true; });
    return is_there;
}

/// Never used before: a claim that is gone must not come again under another meaning.
std::int64_t fresh_claim_id() {
    thread_local std::mt19937_64 random{std::random_device{}()};
    return std::uniform_int_distribution<std::int64_t>(
        1, std::numeric_limits<std::int64_t>::max()
    )(random);
}

template <typename Session>
ClaimedJobs read_all(Session& session) {
    const Dialect& dialect = session.dialect();
    const std::string sql = fmt::format(kAll, fmt::arg("bytes_as_text", dialect.bytes_as_text));
    ClaimedJobs claimed;
    session.query({.sql = sql, .columns = 1}, {}, [&](const Row& row) {
        read_claim_text(dialect.text_of_bytes(row.text(0)), claimed);
    });
    return claimed;
}

}  // namespace

void close_gate(Transaction& transaction) {
    const Dialect& dialect = transaction.dialect();
    if (dialect.for_update.empty() || is_gate_closed(transaction)) {
        return;
    }
    transaction.execute(fmt::format(
        kMakeGate,
        fmt::arg("insert_if_absent", dialect.insert_if_absent),
        fmt::arg("if_absent", dialect.if_absent)
    ));
    (void)is_gate_closed(transaction);
}

void claim_page(Transaction& transaction, const LockClaim& claim, std::vector<Job>& jobs) {
    const std::int64_t id = fresh_claim_id();
    const std::string text = claim_text_of(jobs);
    transaction.execute(
        fmt::format(kInsert, fmt::arg("bytes", transaction.dialect().bytes_parameter)),
        {id,
         claim.owner,
         claim.until,
         std::string_view(jobs.front().id),
         std::string_view(jobs.back().id),
         static_cast<std::int64_t>(jobs.size()),
         std::string_view(text)}
    );
    for (Job& job : jobs) {
        job.claim = id;
        job.lock_owner = claim.owner;
        job.lock_expiration = claim.until;
    }
}

bool is_claimed(Transaction& transaction, std::string_view owner, std::int64_t claim) {
    bool is_there = false;
    transaction.query({.sql = kIsThere, .columns = 1}, {claim, owner}, [&](const Row&) {
        is_there = true;
    });
    return is_there;
}

std::optional<std::string> last_claimed_behind(Transaction& transaction, std::string_view after) {
    std::optional<std::string> last;
    transaction.query({.sql = kLast, .columns = 1}, {after}, [&](const Row& row) {
        if (!row.is_null(0)) {
            last = row.text(0);
        }
    });
    return last;
}

ClaimedJobs all_claimed(Connection& connection) {
    return read_all(connection);
}

ClaimedJobs all_claimed(Transaction& transaction) {
    return read_all(transaction);
}

}  // namespace jobstrand::persistence
