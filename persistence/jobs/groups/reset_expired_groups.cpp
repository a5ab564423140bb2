#include "persistence/exclusive/waiting_jobs.hpp"
#include "persistence/rows/sql_executor_store.hpp"
#include "persistence/sql/dialect.hpp"
#include "schema/limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::persistence {

namespace {

// There are as many rows as nodes hold groups, so no index is needed.
constexpr std::string_view kExpired = R"sql(
    SELECT ID_
    FROM JS_EXCLUSIVE
    WHERE LOCK_EXP_TIME_ < ?
    ORDER BY ID_)sql";

// Its holder may have renewed it since it was read.
constexpr std::string_view kStillExpired = R"sql(
    SELECT ID_
    FROM JS_EXCLUSIVE {by_id}
    WHERE ID_ = ? AND LOCK_EXP_TIME_ < ?
    {for_update})sql";

constexpr std::string_view kFree = R"sql(
    {delete_where} ID_ = ? AND LOCK_EXP_TIME_ < ?)sql";

std::vector<std::string> expired_groups(Connection& connection, schema::TimePoint now) {
    std::vector<std::string> groups;
    const Value before{now};
    connection.query({.sql = kExpired, .columns = 1}, {&before, 1}, [&](const Row& row) {
        groups.emplace_back(row.text(0));
    });
    return groups;
}

bool is_still_expired(Transaction& transaction, std::string_view group, schema::TimePoint now) {
    const Dialect& dialect = transaction.dialect();
    const std::string sql = fmt::format(
        kStillExpired, fmt::arg("by_id", dialect.by_id), fmt::arg("for_update", dialect.for_update)
    );
    bool is_expired = false;
    transaction.query({.sql = sql, .columns = 1}, {group, now}, [&](const Row&) {
        is_expired = true;
    });
    return is_expired;
}

struct FreedPage {
    std::int64_t jobs = 0;
    bool is_last = true;
};

/// The last page frees the group too; until then nobody can take it.
FreedPage free_page(Transaction& transaction, std::string_view group, schema::TimePoint now) {
    if (!is_still_expired(transaction, group, now)) {
        return {};
    }
    constexpr std::size_t kPage = schema::limits::kJobsPerTransaction;
    const std::vector<WaitingJob> waiting =
        waiting_in(transaction, kForExclusive, std::span(&group, 1), kPage);
    std::vector<std::string_view> ids;
    for (const WaitingJob& job : waiting) {
        ids.emplace_back(job.id);
    }
    FreedPage freed{
        .jobs = free_waiting(transaction, kForExclusive, ids), .is_last = waiting.size() < kPage};
    forget_waiting(transaction, kForExclusive, waiting);
    if (freed.is_last) {
        const std::string sql = fmt::format(
            kFree, fmt::arg("delete_where", delete_where(transaction.dialect(), "JS_EXCLUSIVE"))
        );
        transaction.execute(sql, {group, now});
    }
    return freed;
}

}  // namespace

std::int64_t SqlExecutorStore::reset_expired_groups(schema::TimePoint now) {
    std::vector<std::string> groups;
    // Read apart from the write: on SQLite nearly every pass then leaves the writer alone.
    context_.runner.read([&](Connection& connection) { groups = expired_groups(connection, now); });
    std::int64_t freed = 0;
    for (const std::string& group : groups) {
        FreedPage page;
        do {
            context_.runner.run(
                [&](Transaction& transaction) { page = free_page(transaction, group, now); },
                run_again
            );
            freed += page.jobs;
        } while (!page.is_last);
    }
    return freed;
}

}  // namespace jobstrand::persistence
