#include "persistence/claims/claimed_jobs.hpp"

#include "persistence/claims/page_claims.hpp"
#include "persistence/rows/job_table.hpp"
#include "persistence/sql/dialect.hpp"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <string>
#include <utility>

namespace jobstrand::persistence {

namespace {

using schema::Job;
using schema::JobPlace;

constexpr std::string_view kBetween = R"sql(
    SELECT ID_, OWNER_, LOCK_EXP_TIME_, {bytes_as_text}
    FROM JS_CLAIM
    WHERE ID_ > 0 AND LAST_ >= ? AND FIRST_ <= ?)sql";

constexpr std::string_view kAny = R"sql(
    SELECT ID_
    FROM JS_CLAIM
    WHERE ID_ > 0
    LIMIT 1)sql";

struct Claim {
    std::int64_t id = 0;
    std::string owner;
    std::optional<schema::TimePoint> until;
    ClaimedJobs jobs;

    [[nodiscard]] bool holds(const Job& job) const {
        return job.lock_owner.empty() && is_named(jobs, job.id, job.revision);
    }
};

template <typename Session>
std::vector<Claim> claims_between(Session& session, std::string_view first, std::string_view last) {
    const Dialect& dialect = session.dialect();
    const std::string sql = fmt::format(kBetween, fmt::arg("bytes_as_text", dialect.bytes_as_text));
    const std::array<Value, 2> bounds{first, last};
    std::vector<Claim> claims;
    session.query({.sql = sql, .columns = 4}, bounds, [&](const Row& row) {
        Claim& claim = claims.emplace_back();
        claim.id = row.integer(0);
        claim.owner = row.text(1);
        claim.until = row.time(2);
        read_claim_text(dialect.text_of_bytes(row.text(3)), claim.jobs);
    });
    return claims;
}

template <typename Session>
void mark(Session& session, std::span<Job> jobs) {
    if (jobs.empty()) {
        return;
    }
    for (const Claim& claim : claims_between(session, jobs.front().id, jobs.back().id)) {
        for (Job& job : jobs) {
            if (claim.holds(job)) {
                job.claim = claim.id;
                job.lock_owner = claim.owner;
                job.lock_expiration = claim.until;
            }
        }
    }
}

}  // namespace

void mark_claimed(Connection& connection, std::span<Job> jobs) {
    mark(connection, jobs);
}

void mark_claimed(Transaction& transaction, std::span<Job> jobs) {
    mark(transaction, jobs);
}

std::vector<Job>
rows_to_change(Transaction& transaction, JobPlace place, std::span<const std::string_view> ids) {
    if (place != JobPlace::executable) {
        return rows_for_update(transaction, place, ids);
    }
    close_gate(transaction);
    std::vector<Job> rows = rows_for_update(transaction, place, ids);
    mark(transaction, rows);
    return rows;
}

bool is_any_claimed(Transaction& transaction) {
    close_gate(transaction);
    bool is_any = false;
    transaction.query({.sql = kAny, .columns = 1}, {}, [&](const Row&) { is_any = true; });
    return is_any;
}

void drop_claimed(Transaction& transaction, std::vector<Job>& jobs) {
    mark(transaction, jobs);
    std::erase_if(jobs, [](const Job& job) { return job.claim != 0; });
}

}  // namespace jobstrand::persistence
