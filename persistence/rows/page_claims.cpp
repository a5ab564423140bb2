#include "persistence/rows/page_claims.hpp"

#include "persistence/rows/job_rows.hpp"
#include "persistence/sql/db_error.hpp"
#include "persistence/sql/dialect.hpp"
#include "persistence/sql/many_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace jobstrand::persistence {

using schema::Job;
using schema::JobPlace;

namespace {

// Each id is told by how many characters it shares with the one before, how many follow, and these.
// The two counts are one character each, from `0` on; ids have 64 characters at most. Where the
// revision is another one than before, it stands in front, between `#` and `;`.
constexpr char kZero = '0';
constexpr std::size_t kMostInOne = 'z' - kZero;
constexpr char kRevision = '#';
constexpr char kEndOfRevision = ';';

[[noreturn]] void refuse_text() {
    throw DbError(DbErrorKind::unreadable, "a row of JS_CLAIM does not name jobs");
}

char told(std::size_t count) {
    return static_cast<char>(kZero + static_cast<char>(count));
}

std::string_view take(std::string_view& text, std::size_t length) {
    if (length > text.size()) {
        refuse_text();
    }
    const std::string_view taken = text.substr(0, length);
    text.remove_prefix(length);
    return taken;
}

std::size_t take_count(std::string_view& text) {
    const char told_as = take(text, 1).front();
    if (told_as < kZero) {
        refuse_text();
    }
    return static_cast<std::size_t>(told_as - kZero);
}

int take_revision(std::string_view& text) {
    const std::size_t end = text.find(kEndOfRevision);
    const std::string_view digits = take(text, std::min(end, text.size()));
    int revision = 0;
    const auto error = std::from_chars(digits.data(), digits.data() + digits.size(), revision).ec;
    if (error != std::errc{}) {
        refuse_text();
    }
    (void)take(text, 1);
    return revision;
}

std::size_t count_shared(std::string_view before, std::string_view id) {
    const auto [end, other] = std::ranges::mismatch(before, id);
    return std::min(static_cast<std::size_t>(end - before.begin()), kMostInOne);
}

}  // namespace

bool is_named(const ClaimedJobs& jobs, std::string_view id, std::int64_t revision) {
    const auto [first, last] = jobs.equal_range(id);
    return std::any_of(first, last, [&](const auto& job) { return job.second == revision; });
}

std::string claim_text_of(std::span<const schema::Job> jobs) {
    constexpr std::size_t kUsualEntry = 32;
    std::string text;
    text.reserve(jobs.size() * kUsualEntry);
    std::string_view before;
    int revision = 1;
    for (const schema::Job& job : jobs) {
        if (job.revision != revision) {
            revision = job.revision;
            text.append(1, kRevision).append(std::to_string(revision)).append(1, kEndOfRevision);
        }
        const std::string_view id = job.id;
        const std::size_t shared = count_shared(before, id);
        text.append(1, told(shared)).append(1, told(id.size() - shared)).append(id.substr(shared));
        before = id;
    }
    return text;
}

void read_claim_text(std::string_view text, ClaimedJobs& jobs) {
    std::string id;
    int revision = 1;
    while (!text.empty()) {
        if (text.front() == kRevision) {
            text.remove_prefix(1);
            revision = take_revision(text);
        }
        const std::size_t shared = take_count(text);
        const std::size_t length = take_count(text);
        if (shared > id.size()) {
            refuse_text();
        }
        id.resize(shared);
        id += take(text, length);
        jobs.emplace_hint(jobs.end(), id, revision);
    }
}

namespace {

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
    return has_row(transaction, sql);
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
    return has_row(transaction, kIsThere, {claim, owner});
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
    SELECT ID_, OWNER_
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
    return one_row(transaction, {.sql = sql, .columns = 2}, {claim}, [&](const Row& row) {
        ExpiredClaim expired{.owner = std::string(row.text(1)), .jobs = {}};
        read_claim_text(dialect.text_of_bytes(row.text(0)), expired.jobs);
        return expired;
    });
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

std::vector<std::int64_t> expired_claims(
    const StoreContext& context,
    schema::TimePoint now,
    std::span<const std::string> owners
) {
    return context.runner.read([&](Connection& connection) {
        std::vector<std::int64_t> claims;
        const Value bound{now};
        connection.query({.sql = kExpired, .columns = 2}, {&bound, 1}, [&](const Row& row) {
            if (owners.empty() || std::ranges::find(owners, row.text(1)) != owners.end()) {
                claims.push_back(row.integer(0));
            }
        });
        return claims;
    });
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
    std::span<const std::string> owners,
    const BeforeReset& before
) {
    std::int64_t all = 0;
    for (const std::int64_t claim : expired_claims(context, now, owners)) {
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

namespace {

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
    return all_rows(session, {.sql = sql, .columns = 4}, {first, last}, [&](const Row& row) {
        Claim claim;
        claim.id = row.integer(0);
        claim.owner = row.text(1);
        claim.until = row.time(2);
        read_claim_text(dialect.text_of_bytes(row.text(3)), claim.jobs);
        return claim;
    });
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
    return has_row(transaction, kAny);
}

void drop_claimed(Transaction& transaction, std::vector<Job>& jobs) {
    mark(transaction, jobs);
    std::erase_if(jobs, [](const Job& job) { return job.claim != 0; });
}

}  // namespace jobstrand::persistence
