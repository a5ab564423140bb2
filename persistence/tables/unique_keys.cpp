#include "persistence/unique_keys.hpp"

#include "persistence/enqueuer_store.hpp"
#include "persistence/history/history_book.hpp"
#include "persistence/rows/byte_arrays.hpp"
#include "persistence/rows/job_rows.hpp"
#include "persistence/rows/key_rows.hpp"
#include "persistence/rows/sql_executor_store.hpp"
#include "persistence/rows/sql_operator_store.hpp"
#include "persistence/rows/store_context.hpp"
#include "persistence/sql/dialect.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace jobstrand::persistence {

namespace {

using schema::Enqueued;
using schema::Job;
using schema::JobPlace;
using schema::KeyDecision;
using schema::KeyHolder;
using schema::OnDuplicate;
using schema::PlacedJob;

/// Of all jobs of a list that want one key, the one that may get it, by key.
using Candidates = std::map<std::string_view, KeyWish>;

// As if they came one after the other: a first one that may meet nobody still may not.
void meet_again(KeyWish& first, const KeyWish& next) {
    switch (next.rule.on_duplicate) {
        case OnDuplicate::reject:
            throw KeyHeld(
                std::string(next.key), "the unique key " + std::string(next.key) + " is there twice"
            );
        case OnDuplicate::keep:
            return;
        case OnDuplicate::replace:
            const bool may_meet_nobody = first.rule.on_duplicate == OnDuplicate::reject;
            first = next;
            if (may_meet_nobody) {
                first.rule.on_duplicate = OnDuplicate::reject;
            }
    }
}

Candidates candidates_of(std::span<const KeyWish> wishes) {
    Candidates candidates;
    for (const KeyWish& wish : wishes) {
        const auto [found, is_first] = candidates.emplace(wish.key, wish);
        if (!is_first) {
            meet_again(found->second, wish);
        }
    }
    return candidates;
}

KeyClaim claim_of(const KeyWish& wish, schema::TimePoint now, const Dialect& dialect) {
    KeyClaim claim{.key = wish.key, .job = wish.job};
    if (wish.rule.period) {
        claim.until = std::min(now + *wish.rule.period, dialect.latest_time);
    }
    return claim;
}

std::vector<KeyClaim>
claims_of(const Candidates& candidates, schema::TimePoint now, const Dialect& dialect) {
    std::vector<KeyClaim> claims;
    claims.reserve(candidates.size());
    for (const auto& [key, wish] : candidates) {
        claims.push_back(claim_of(wish, now, dialect));
    }
    return claims;
}

/// Rows of those that are asked to make room and can.
std::vector<PlacedJob> find_replaceable(
    Transaction& transaction,
    const Candidates& candidates,
    KeyHolders& holders,
    schema::TimePoint now
) {
    std::vector<KeyHolder*> asked;
    for (auto& [key, holder] : holders) {
        const auto wish = candidates.find(key);
        if (wish->second.rule.on_duplicate == OnDuplicate::replace && holds_key(holder, now)) {
            asked.push_back(&holder);
        }
    }
    return waiting_for_update(transaction, asked, now);
}

/// What becomes of the candidates, by key.
struct Decided {
    std::map<std::string_view, Enqueued> answers;
    std::vector<KeyClaim> passed;  ///< Keys that others had.
};

Decided decide_all(
    std::span<const KeyClaim> claims,
    const Candidates& candidates,
    const KeyHolders& holders,
    schema::TimePoint now
) {
    Decided decided;
    for (const KeyClaim& claim : claims) {
        Enqueued& answer = decided.answers[claim.key];
        answer.id = claim.job;
        const auto holder = holders.find(claim.key);
        if (holder == holders.end()) {
            continue;
        }
        const OnDuplicate on_duplicate = candidates.find(claim.key)->second.rule.on_duplicate;
        switch (schema::decide(holder->second, on_duplicate, now)) {
            case KeyDecision::refuse:
                throw KeyHeld(
                    std::string(claim.key),
                    schema::why_refused(claim.key, holder->second, on_duplicate)
                );
            case KeyDecision::keep:
                answer = {.id = holder->second.job, .is_added = false};
                break;
            case KeyDecision::replace:
                answer.replaced = holder->second.job;
                decided.passed.push_back(claim);
                break;
            case KeyDecision::take:
                decided.passed.push_back(claim);
                break;
        }
    }
    return decided;
}

void remove(Transaction& transaction, std::span<const PlacedJob> jobs) {
    std::map<JobPlace, std::vector<const Job*>> by_place;
    for (const PlacedJob& placed : jobs) {
        by_place[placed.place].push_back(&placed.job);
    }
    for (const auto& [place, rows] : by_place) {
        delete_rows(transaction, place, ids_of(rows));
        delete_byte_arrays_of(transaction, rows);
    }
}

void log_replaced(
    Transaction& transaction,
    const StoreContext& context,
    std::span<const PlacedJob> jobs,
    schema::TimePoint now
) {
    JobLogPage log(context.history);
    for (const PlacedJob& placed : jobs) {
        log.add(placed.job, schema::JobEvent::deleted, "replaced", {.time = now});
    }
    log.write(transaction);
}

/// The keys that this transaction alone has: an app that goes on after the refusal must not commit
/// them.
std::vector<KeyClaim> new_ones(std::span<const KeyClaim> claims, const KeyHolders& holders) {
    std::vector<KeyClaim> fresh;
    std::ranges::copy_if(claims, std::back_inserter(fresh), [&](const KeyClaim& claim) {
        return !holders.contains(claim.key);
    });
    return fresh;
}

}  // namespace

std::vector<Enqueued> EnqueuerStore::take_keys(
    Transaction& transaction,
    std::span<const KeyWish> wishes,
    schema::TimePoint now
) {
    const Candidates candidates = candidates_of(wishes);
    const std::vector<KeyClaim> claims = claims_of(candidates, now, transaction.dialect());
    KeyHolders holders = holders_of(transaction, claim_keys(transaction, claims));
    const auto replaceable = find_replaceable(transaction, candidates, holders, now);
    Decided decided;
    // Defended catch: the refusal is the caller's, and he may go on with his transaction.
    try {
        decided = decide_all(claims, candidates, holders, now);
    } catch (const KeyHeld&) {
        withdraw_keys(transaction, new_ones(claims, holders));
        throw;
    }
    remove(transaction, replaceable);
    log_replaced(transaction, context_, replaceable, now);
    pass_keys(transaction, decided.passed);
    std::vector<Enqueued> answers;
    answers.reserve(wishes.size());
    for (const KeyWish& wish : wishes) {
        const Enqueued& answer = decided.answers.find(wish.key)->second;
        const bool is_winner = answer.is_added && answer.id == wish.job;
        answers.push_back(is_winner ? answer : Enqueued{.id = answer.id, .is_added = false});
    }
    return answers;
}

namespace {

// One row about a part of the table. There is no index on the times: each new key would have to
// write it.
constexpr std::string_view kPartOfKeys = R"sql(
    SELECT MAX(KEY_), COUNT(*), COUNT(CASE WHEN UNTIL_ < ? THEN 1 END)
    FROM (
        SELECT KEY_, UNTIL_
        FROM JS_UNIQUE {by_id}
        WHERE KEY_ > ?
        ORDER BY KEY_
        LIMIT ?
    ) part)sql";

constexpr std::string_view kRemove = R"sql(
    {delete_where} KEY_ > ? AND KEY_ <= ? AND UNTIL_ < ?)sql";

constexpr std::string_view kOwner = R"sql(
    SELECT JOB_ID_, UNTIL_
    FROM JS_UNIQUE
    WHERE KEY_ = ?)sql";

struct KeyPart {
    std::string last;
    std::size_t rows = 0;
    std::int64_t expired = 0;
};

KeyPart read_part(Connection& connection, const KeySearch& search) {
    const std::string sql = fmt::format(kPartOfKeys, fmt::arg("by_id", connection.dialect().by_id));
    const std::array<Value, 3> parameters{
        search.now, search.after, static_cast<std::int64_t>(search.rows)};
    const auto part_in = [](const Row& row) {
        return KeyPart{
            .last = std::string(row.text(0)),
            .rows = static_cast<std::size_t>(row.integer(1)),
            .expired = row.integer(2)};
    };
    return one_row(connection, {.sql = sql, .columns = 3}, parameters, part_in).value_or(KeyPart());
}

}  // namespace

ExpiredKeys SqlExecutorStore::remove_expired_keys(const KeySearch& search) {
    // Read apart from the write: on SQLite nearly every pass then leaves the writer alone.
    KeyPart part =
        context_.runner.read([&](Connection& connection) { return read_part(connection, search); });
    ExpiredKeys done;
    if (part.expired > 0) {
        context_.runner.run(
            [&](Transaction& transaction) {
                const std::string sql = delete_from(transaction.dialect(), "JS_UNIQUE", kRemove);
                done.removed = transaction.execute(
                    sql, {search.after, std::string_view(part.last), search.now}
                );
            },
            run_again
        );
    }
    if (part.rows == search.rows) {
        done.end = std::move(part.last);
    }
    return done;
}

std::optional<KeyOwner> EnqueuerStore::key_owner(std::string_view key) {
    return context_.runner.read([&](Connection& connection) {
        return one_row(connection, {.sql = kOwner, .columns = 2}, {key}, [](const Row& row) {
            return KeyOwner{.job = std::string(row.text(0)), .until = until_of(row, 1)};
        });
    });
}

std::optional<KeyOwner> SqlOperatorStore::key_owner(std::string_view key) {
    return EnqueuerStore(context_).key_owner(key);
}

}  // namespace jobstrand::persistence
