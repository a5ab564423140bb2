#include "persistence/claims/page_claims.hpp"
#include "persistence/sql/dialect.hpp"
#include "persistence/sql/id_lists.hpp"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace jobstrand::persistence {

namespace {

// Counted down first: that waits for another transaction which ends jobs of the same claim, and
// what is deleted goes by the number that both have left.
constexpr std::string_view kCountDown = R"sql(
    UPDATE JS_CLAIM
    SET LEFT_ = LEFT_ - ?
    WHERE ID_ = ? AND OWNER_ = ?)sql";

constexpr std::string_view kDeleteEmpty = R"sql(
    DELETE FROM JS_CLAIM
    WHERE ID_ = ? AND OWNER_ = ? AND LEFT_ <= 0)sql";

constexpr std::string_view kEndAll = R"sql(
    UPDATE JS_CLAIM
    SET LOCK_EXP_TIME_ = ?
    WHERE OWNER_ = ? AND ID_ > 0 AND LOCK_EXP_TIME_ > ?)sql";

constexpr std::string_view kExpired = R"sql(
    SELECT ID_
    FROM JS_CLAIM
    WHERE ID_ > 0 AND LOCK_EXP_TIME_ < ?
    ORDER BY ID_)sql";

constexpr std::string_view kLockClaim = R"sql(
    SELECT {bytes_as_text}, OWNER_
    FROM JS_CLAIM
    WHERE ID_ = ?
    {for_update})sql";

constexpr std::string_view kDeleteClaim = R"sql(
    DELETE FROM JS_CLAIM
    WHERE ID_ = ?)sql";

// A job with a lock owner has got a lock of its own since, and goes on under that. Later starts
// than the lost one are counted when they begin.
constexpr std::string_view kLetGo = R"sql(
    UPDATE ACT_RU_JOB {by_id}
    SET REV_ = COALESCE(REV_, 1) + 1,
        LOST_STARTS_ = CASE WHEN LOST_STARTS_ = 0 THEN 1 ELSE LOST_STARTS_ END
    WHERE ID_ IN (...) AND COALESCE(REV_, 1) = ? AND LOCK_OWNER_ IS NULL)sql";

struct ExpiredClaim {
    std::string owner;
    ClaimedJobs jobs;
};

/// nullopt: it has ended by itself.
std::optional<ExpiredClaim> claimed_for_update(Transaction& transaction, std::int64_t claim) {
    const Dialect& dialect = transaction.dialect();
    const std::string sql = fmt::format(
        kLockClaim,
        fmt::arg("bytes_as_text", dialect.bytes_as_text),
        fmt::arg("for_update", dialect.for_update)
    );
    std::optional<ExpiredClaim> expired;
    transaction.query({.sql = sql, .columns = 2}, {claim}, [&](const Row& row) {
        expired.emplace().owner = row.text(1);
        read_claim_text(dialect.text_of_bytes(row.text(0)), expired->jobs);
    });
    return expired;
}

std::int64_t let_go(Transaction& transaction, const ClaimedJobs& jobs) {
    std::map<int, std::vector<std::string_view>> by_revision;
    for (const auto& [id, revision] : jobs) {
        by_revision[revision].emplace_back(id);
    }
    const std::string sql = fmt::format(kLetGo, fmt::arg("by_id", transaction.dialect().by_id));
    std::int64_t freed = 0;
    for (const auto& [revision, ids] : by_revision) {
        const IdListParameters list{.ids = ids, .after = {std::int64_t{revision}}};
        freed += execute_for_ids(transaction, sql, list);
    }
    return freed;
}

std::vector<std::int64_t> expired_claims(const StoreContext& context, schema::TimePoint now) {
    std::vector<std::int64_t> claims;
    context.runner.read([&](Connection& connection) {
        claims.clear();
        const Value bound{now};
        connection.query({.sql = kExpired, .columns = 1}, {&bound, 1}, [&](const Row& row) {
            claims.push_back(row.integer(0));
        });
    });
    return claims;
}

}  // namespace

void count_ended(Transaction& transaction, std::string_view owner, const CountByClaim& ended) {
    for (const auto& [claim, count] : ended) {
        transaction.execute(kCountDown, {count, claim, owner});
        transaction.execute(kDeleteEmpty, {claim, owner});
    }
}

void end_claims_of(Transaction& transaction, std::string_view owner, schema::TimePoint over) {
    transaction.execute(kEndAll, {over, owner, over});
}

std::int64_t reset_expired_claims(
    const StoreContext& context,
    schema::TimePoint now,
    const BeforeReset& before
) {
    std::int64_t all = 0;
    for (const std::int64_t claim : expired_claims(context, now)) {
        std::int64_t freed = 0;
        context.runner.run(
            [&](Transaction& transaction) {
                freed = 0;
                if (const auto expired = claimed_for_update(transaction, claim)) {
                    before(transaction, expired->owner, expired->jobs);
                    freed = let_go(transaction, expired->jobs);
                    transaction.execute(kDeleteClaim, {claim});
                }
            },
            // Once more does no harm: the revisions are others by then.
            run_again
        );
        all += freed;
    }
    return all;
}

}  // namespace jobstrand::persistence
