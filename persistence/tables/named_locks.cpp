#include "persistence/named_lock_store.hpp"
#include "persistence/rows/store_context.hpp"
#include "persistence/sql/db_error.hpp"
#include "persistence/sql/dialect.hpp"
#include "persistence/sql/sql_transaction.hpp"
#include "schema/limits.hpp"
#include "schema/text/column_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

namespace jobstrand::persistence {

namespace {

using schema::TimePoint;

constexpr std::string_view kLockForUpdate = R"sql(
    SELECT NAME_, OWNER_, SINCE_, LOCK_EXP_TIME_, TOKEN_
    FROM JS_LOCK {by_id}
    WHERE NAME_ = ?
    {for_update})sql";

constexpr std::string_view kLocksHeld = R"sql(
    SELECT NAME_, OWNER_, SINCE_, LOCK_EXP_TIME_, TOKEN_
    FROM JS_LOCK
    WHERE NAME_ > ? AND LOCK_EXP_TIME_ > ?
    ORDER BY NAME_
    LIMIT ?)sql";

constexpr std::size_t kLockColumnCount = 5;

constexpr std::string_view kInsertLock = R"sql(
    {insert_if_absent} INTO JS_LOCK (NAME_, OWNER_, SINCE_, LOCK_EXP_TIME_, TOKEN_)
    VALUES (?, ?, ?, ?, ?)
    {if_absent})sql";

constexpr std::string_view kUpdateLock = R"sql(
    UPDATE JS_LOCK
    SET OWNER_ = ?, SINCE_ = ?, LOCK_EXP_TIME_ = ?, TOKEN_ = ?, REV_ = REV_ + 1
    WHERE NAME_ = ?)sql";

constexpr std::string_view kDeleteOld = "DELETE FROM JS_LOCK WHERE LOCK_EXP_TIME_ < ?";

/// What nobody has held for so long is forgotten.
constexpr schema::Duration kForgotten = std::chrono::days(1);

std::int64_t microseconds_of(TimePoint time) {
    return std::chrono::duration_cast<std::chrono::microseconds>(time.time_since_epoch()).count();
}

NamedLock lock_in(const Row& row) {
    return {
        .name = std::string(row.text(0)),
        .owner = std::string(row.text(1)),
        .since = row.time(2).value_or(TimePoint{}),
        .until = row.time(3).value_or(TimePoint{}),
        .token = row.integer(4)};
}

std::optional<NamedLock> lock_for_update(Transaction& transaction, std::string_view name) {
    const std::string sql = fmt::format(
        kLockForUpdate,
        fmt::arg("by_id", transaction.dialect().by_id),
        fmt::arg("for_update", transaction.dialect().for_update)
    );
    return one_row(transaction, {.sql = sql, .columns = kLockColumnCount}, {name}, lock_in);
}

/// Throws DbError conflict when somebody else has inserted it meanwhile: then it is looked at
/// again.
void insert_lock(Transaction& transaction, const NamedLock& lock) {
    const std::string sql = fmt::format(
        kInsertLock,
        fmt::arg("insert_if_absent", transaction.dialect().insert_if_absent),
        fmt::arg("if_absent", transaction.dialect().if_absent)
    );
    const std::int64_t inserted = transaction.execute(
        sql,
        {std::string_view(lock.name),
         std::string_view(lock.owner),
         lock.since,
         lock.until,
         lock.token}
    );
    if (inserted == 0) {
        throw DbError(DbErrorKind::conflict, "another has taken the lock at the same time");
    }
}

void update_lock(Transaction& transaction, const NamedLock& lock) {
    transaction.execute(
        kUpdateLock,
        {std::string_view(lock.owner),
         lock.since,
         lock.until,
         lock.token,
         std::string_view(lock.name)}
    );
}

/// A time that goes on while a transaction waits for others.
class TimeSince final {
public:
    TimeSince(const schema::Clock& clock, TimePoint now)
        : clock_(clock), now_(now), began_(clock.steady_now()) {}

    [[nodiscard]] TimePoint operator()() const {
        return now_ + std::chrono::floor<schema::Duration>(clock_.steady_now() - began_);
    }

private:
    const schema::Clock& clock_;
    const TimePoint now_;
    const schema::SteadyPoint began_;
};

bool is_held_by(const NamedLock& lock, std::string_view owner, TimePoint now) {
    return lock.owner == owner && lock.until > now;
}

void refuse_mistakes(const NamedLockClaim& claim) {
    std::vector<std::string> problems;
    if (claim.name.empty() || claim.owner.empty()) {
        problems.emplace_back("a lock has a name and an owner");
    }
    schema::check_app_id("lock", claim.name, problems);
    schema::check_text("owner", claim.owner, schema::limits::kNameLength, problems);
    if (claim.time <= schema::Duration{0} || claim.time > kLongestNamedLock) {
        problems.emplace_back("a lock is held for more than 0 s and at most 30 days");
    }
    if (!problems.empty()) {
        throw std::invalid_argument(fmt::format("{}", fmt::join(problems, "; ")));
    }
}

/// The lock as the claim makes it. `before`: as it was; nullopt: nobody knows of it.
NamedLock
taken(const NamedLockClaim& claim, const std::optional<NamedLock>& before, TimePoint now) {
    if (before && is_held_by(*before, claim.owner, now)) {
        NamedLock longer = *before;
        longer.until = now + claim.time;
        return longer;
    }
    const std::int64_t since = microseconds_of(now);
    return {
        .name = std::string(claim.name),
        .owner = std::string(claim.owner),
        .since = now,
        .until = now + claim.time,
        .token = before ? std::max(before->token + 1, since) : since};
}

}  // namespace

NamedLock NamedLockStore::acquire(const NamedLockClaim& claim, TimePoint now) {
    refuse_mistakes(claim);
    NamedLock lock;
    bool is_new = false;
    const TimeSince time(context_.clock, now);
    const auto acquire_row = [&](Transaction& transaction) {
        const std::optional<NamedLock> before = lock_for_update(transaction, claim.name);
        is_new = !before;
        const bool is_others = before && !before->owner.empty() && before->owner != claim.owner;
        if (is_others && before->until > time()) {
            lock = *before;
            return;
        }
        lock = taken(claim, before, time());
        is_new ? insert_lock(transaction, lock) : update_lock(transaction, lock);
    };
    context_.runner.run(acquire_row, run_again);  // Its owner keeps it.
    if (is_new) {
        // Defended catch: the lock is held; what is old goes with the next new one.
        try {
            forget_old(now);
        } catch (const DbError&) {
        }
    }
    return lock;
}

std::optional<NamedLock> NamedLockStore::renew(const NamedLockClaim& claim, TimePoint now) {
    refuse_mistakes(claim);
    std::optional<NamedLock> lock;
    const TimeSince time(context_.clock, now);
    context_.runner.run(
        [&](Transaction& transaction) {
            lock = lock_for_update(transaction, claim.name);
            if (!lock || !is_held_by(*lock, claim.owner, time())) {
                lock.reset();
                return;
            }
            lock->until = time() + claim.time;
            update_lock(transaction, *lock);
        },
        run_again
    );
    return lock;
}

bool NamedLockStore::release(std::string_view name, std::string_view owner, TimePoint now) {
    bool was_held = false;
    context_.runner.run(
        [&](Transaction& transaction) {
            std::optional<NamedLock> lock = lock_for_update(transaction, name);
            if (!lock || !is_held_by(*lock, owner, now)) {
                return;  // After a commit in doubt, `was_held` is what it was.
            }
            was_held = true;
            // The row stays for a while: whoever takes the lock next must have a larger token, also
            // with a time that was read before this one.
            lock->owner.clear();
            lock->until = now;
            update_lock(transaction, *lock);
        },
        run_again
    );
    return was_held;
}

std::vector<NamedLock>
NamedLockStore::list(std::string_view behind, std::size_t limit, TimePoint now) {
    const std::array<Value, 3> parameters{behind, now, static_cast<std::int64_t>(limit)};
    return context_.runner.read([&](Connection& connection) {
        const Query query{.sql = kLocksHeld, .columns = kLockColumnCount};
        return all_rows(connection, query, parameters, lock_in);
    });
}

// Of holders that died, and of names that are used once.
void NamedLockStore::forget_old(TimePoint now) {
    context_.runner.run(
        [&](Transaction& transaction) { transaction.execute(kDeleteOld, {now - kForgotten}); },
        run_again
    );
}

}  // namespace jobstrand::persistence
