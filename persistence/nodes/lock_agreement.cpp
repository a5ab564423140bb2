#include "persistence/nodes/lock_agreement.hpp"

#include "persistence/claims/page_claims.hpp"
#include "persistence/sql/db_error.hpp"

#include <fmt/format.h>

#include <string>

namespace jobstrand::persistence {

namespace {

constexpr std::string_view kOther = R"sql(
    SELECT NODE_
    FROM JS_NODE
    WHERE LOCKS_ <> ? AND NODE_ <> ? AND LEASE_EXP_TIME_ >= ?
    ORDER BY NODE_
    LIMIT 1)sql";

constexpr std::string_view kClaim = R"sql(
    SELECT OWNER_
    FROM JS_CLAIM
    WHERE ID_ > 0 AND OWNER_ <> ? AND LOCK_EXP_TIME_ >= ?
    ORDER BY OWNER_
    LIMIT 1)sql";

DbError disagreement(std::string_view node, std::string_view ours) {
    return {
        DbErrorKind::other,
        fmt::format(
            "node {} locks jobs otherwise than this one, whose lockGranularity is {}: give all "
            "nodes of the database the same one, and stop that node or wait until its locks are "
            "over",
            node,
            ours
        )};
}

}  // namespace

void require_same_locks(
    Transaction& transaction,
    const NodeIdentity& identity,
    schema::TimePoint now
) {
    close_gate(transaction);
    const std::string_view ours = name_of(identity.locks);
    const std::string_view node = identity.node;
    std::string other;
    const RowReader read = [&](const Row& row) { other = row.text(0); };
    transaction.query({.sql = kOther, .columns = 1}, {ours, node, now}, read);
    if (other.empty() && identity.locks == schema::LockGranularity::row) {
        transaction.query({.sql = kClaim, .columns = 1}, {node, now}, read);
    }
    if (!other.empty()) {
        throw disagreement(other, ours);
    }
}

}  // namespace jobstrand::persistence
