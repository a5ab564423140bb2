#include "persistence/byte_arrays.hpp"
#include "persistence/dialect.hpp"
#include "persistence/fences.hpp"
#include "persistence/id_lists.hpp"
#include "persistence/job_row.hpp"
#include "persistence/job_table.hpp"
#include "persistence/move_jobs.hpp"
#include "persistence/sql_job_store.hpp"
#include "persistence/suspended_scopes.hpp"
#include "schema/limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace jobstrand::persistence {

namespace {

using schema::Job;
using schema::JobPlace;
using schema::PlacedJob;

constexpr std::string_view kHasAcquirable = R"sql(
    SELECT 1
    FROM ACT_RU_JOB
    WHERE LOCK_EXP_TIME_ IS NULL AND HANDLER_TYPE_ IN (...)
    LIMIT 1)sql";

// In the order of the primary key, which is the cheap one. Rows that another node is claiming right
// now are passed over, so that two nodes do not wait for each other.
constexpr std::string_view kCandidates = R"sql(
    SELECT {columns}
    FROM ACT_RU_JOB {by_id}
    WHERE ID_ > ? AND LOCK_EXP_TIME_ IS NULL AND HANDLER_TYPE_ IN (...)
    ORDER BY ID_
    LIMIT ?
    {skip_locked})sql";

constexpr std::string_view kLock = R"sql(
    UPDATE ACT_RU_JOB {by_id}
    SET LOCK_OWNER_ = ?, LOCK_EXP_TIME_ = ?, REV_ = COALESCE(REV_, 1) + 1
    WHERE ID_ IN (...))sql";

/// A statement about a list of handler types, which is never cut: the page is one SELECT.
BoundStatement for_types(std::string_view sql, std::span<const std::string> handler_types) {
    const std::size_t size = padded_list_size(handler_types.size());
    std::vector<Value> values;
    for (std::size_t i = 0; i < size; ++i) {
        const std::string& type = handler_types[std::min(i, handler_types.size() - 1)];
        values.emplace_back(std::string_view(type));
    }
    return {.sql = with_list_size(sql, size), .parameters = std::move(values)};
}

std::vector<Job> select_candidates(
    Transaction& transaction,
    std::span<const std::string> handler_types,
    std::size_t limit,
    std::string_view after
) {
    const Dialect& dialect = dialect_of(transaction.kind());
    const std::string sql = fmt::format(
        kCandidates,
        fmt::arg("columns", columns_of(JobPlace::executable)),
        fmt::arg("by_id", dialect.by_id),
        fmt::arg("skip_locked", dialect.skip_locked)
    );
    BoundStatement page = for_types(sql, handler_types);
    page.parameters.insert(page.parameters.begin(), Value{after});
    page.parameters.emplace_back(static_cast<std::int64_t>(limit));
    std::vector<Job> candidates;
    candidates.reserve(std::min(limit, schema::limits::kJobsPerTransaction));
    transaction.query(
        {.sql = page.sql, .columns = fields_of(JobPlace::executable).size()},
        page.parameters,
        append_to(candidates, JobPlace::executable)
    );
    return candidates;
}

/// Moves the jobs of suspended instances and definitions out of the way, and drops them from the
/// list. They are here because they were running, or being inserted, when the suspension began.
void move_suspended(Transaction& transaction, std::vector<Job>& candidates, Twins& twins) {
    std::vector<const Job*> all;
    for (const Job& job : candidates) {
        all.push_back(&job);
    }
    const SuspendedScopes suspended = find_suspended(transaction, all);
    std::vector<PlacedJob> moves;
    std::erase_if(candidates, [&](const Job& job) {
        const bool is_suspended = suspended.contain(job);
        if (is_suspended) {
            moves.push_back(moved(job, schema::suspended(job, JobPlace::executable)));
        }
        return is_suspended;
    });
    bury_twins(transaction, moves, twins);
    move_rows(transaction, JobPlace::executable, moves);
}

void claim_rows(Transaction& transaction, const LockClaim& claim, std::span<Job> jobs) {
    std::vector<std::string_view> ids;
    for (Job& job : jobs) {
        job.lock_owner = claim.owner;
        job.lock_expiration = claim.until;
        ++job.revision;
        ids.emplace_back(job.id);
    }
    const std::string sql =
        fmt::format(kLock, fmt::arg("by_id", dialect_of(transaction.kind()).by_id));
    const auto statements = cut_id_list(sql, {.before = {claim.owner, claim.until}, .ids = ids});
    for (const auto& [text, parameters] : statements) {
        transaction.execute(text, parameters);
    }
}

bool is_any_held(Transaction& transaction, std::string_view owner, std::span<const Job> jobs) {
    return !lock_held(transaction, owner, fenced(jobs)).empty();
}

}  // namespace

bool SqlJobStore::has_acquirable(std::span<const std::string> handler_types) {
    bool found = false;
    if (handler_types.empty()) {
        return found;
    }
    const auto [sql, parameters] = for_types(kHasAcquirable, handler_types);
    runner_.read([&, &text = sql, &values = parameters](Connection& connection) {
        found = false;
        connection.query({.sql = text, .columns = 1}, values, [&](const Row&) { found = true; });
    });
    return found;
}

std::vector<Job> SqlJobStore::acquire(
    const LockClaim& claim,
    std::span<const std::string> handler_types,
    std::size_t limit,
    std::string_view after
) {
    std::vector<Job> jobs;
    std::size_t candidates = 0;
    Twins twins;
    const auto acquire_page = [&](Transaction& transaction) {
        jobs = select_candidates(transaction, handler_types, limit, after);
        candidates = jobs.size();
        move_suspended(transaction, jobs, twins);
        claim_rows(transaction, claim, jobs);
        load_payloads(transaction, jobs);
    };
    if (handler_types.empty() || limit == 0) {
        return jobs;
    }
    do {
        run_burying_twins(twins, acquire_page, [&](Transaction& transaction) {
            return is_any_held(transaction, claim.owner, jobs);
        });
        // A page of nothing but suspended jobs is not the end of the table.
    } while (jobs.empty() && candidates > 0);
    return jobs;
}

JobStore::AcquiredOne
SqlJobStore::acquire_one(std::string_view id, const LockClaim& claim, schema::TimePoint now) {
    std::vector<Job> jobs;
    Answer answer = Answer::not_found;
    Twins twins;
    const auto acquire_row = [&](Transaction& transaction) {
        jobs = lock_rows(transaction, JobPlace::executable, std::span(&id, 1));
        answer = Answer::not_found;
        if (!jobs.empty() && is_locked(jobs.front(), now)) {
            answer = Answer::locked;
            return;
        }
        move_suspended(transaction, jobs, twins);
        claim_rows(transaction, claim, jobs);
        load_payloads(transaction, jobs);
        if (!jobs.empty()) {
            answer = Answer::done;
        }
    };
    run_burying_twins(twins, acquire_row, [&](Transaction& transaction) {
        return is_any_held(transaction, claim.owner, jobs);
    });
    return answer == Answer::done ? AcquiredOne{answer, std::move(jobs.front())}
                                  : AcquiredOne{answer, {}};
}

}  // namespace jobstrand::persistence
