#include "persistence/rows/key_rows.hpp"

#include "persistence/rows/job_rows.hpp"
#include "persistence/sql/dialect.hpp"
#include "persistence/sql/many_rows.hpp"
#include "persistence/sql/sql_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>

namespace jobstrand::persistence {

using schema::HolderState;
using schema::Job;
using schema::JobPlace;
using schema::KeyHolder;
using schema::PlacedJob;

namespace {

// A change of the rows that are there reads them for update, and other than an INSERT that fails it
// shares them with nobody: who shares a row and then wants to change it waits for the others, and
// they for him. The revision tells which rows are new.
constexpr std::string_view kIfTaken = "{on_existing} REV_ = 2";
constexpr std::array<std::string_view, 3> kClaimColumns{"KEY_", "JOB_ID_", "UNTIL_"};

constexpr std::string_view kTaken = R"sql(
    SELECT KEY_, JOB_ID_, UNTIL_
    FROM JS_UNIQUE {by_id}
    WHERE KEY_ IN (...) AND REV_ > 1
    ORDER BY KEY_)sql";

constexpr std::string_view kForget = R"sql(
    DELETE FROM JS_UNIQUE
    WHERE KEY_ = ? AND UNTIL_ <= ?)sql";

constexpr std::string_view kInsertOne = R"sql(
    INSERT INTO JS_UNIQUE (KEY_, JOB_ID_, UNTIL_) VALUES (?, ?, ?))sql";

constexpr std::string_view kDeleteKeys = R"sql({delete_where} KEY_ IN (...))sql";

// Each job has one key, so the two lists find no pair that is none.
constexpr std::string_view kWithdraw = R"sql(
    {delete_where} KEY_ IN (...) AND JOB_ID_ IN (...){still_open})sql";

constexpr std::string_view kHeldWhileOpen = " AND UNTIL_ IS NULL";

constexpr std::array<std::size_t, 4> kKeysPerStatement{256, 64, 8, 1};

void insert(Transaction& transaction, std::span<const KeyClaim> claims) {
    const std::string if_taken =
        fmt::format(kIfTaken, fmt::arg("on_existing", on_existing(transaction.dialect(), "KEY_")));
    NewRows rows{.table = "JS_UNIQUE", .columns = kClaimColumns, .behind = if_taken};
    for (const KeyClaim& claim : claims) {
        rows.values.insert(rows.values.end(), {claim.key, claim.job, time_or_null(claim.until)});
    }
    insert_all(transaction, rows);
}

std::vector<std::string_view> texts_of(std::span<const KeyClaim> claims) {
    std::vector<std::string_view> keys;
    keys.reserve(claims.size());
    std::ranges::transform(claims, std::back_inserter(keys), &KeyClaim::key);
    return keys;
}

void delete_part(
    Transaction& transaction,
    std::span<const KeyClaim> part,
    std::string_view still_open
) {
    std::vector<Value> values;
    values.reserve(2 * part.size());
    std::ranges::transform(part, std::back_inserter(values), &KeyClaim::key);
    std::ranges::transform(part, std::back_inserter(values), &KeyClaim::job);
    const std::string sql = fmt::format(
        kWithdraw,
        fmt::arg("delete_where", delete_where(transaction.dialect(), "JS_UNIQUE")),
        fmt::arg("still_open", still_open)
    );
    transaction.execute(with_list_size(sql, part.size()), values);
}

}  // namespace

std::optional<schema::TimePoint> until_of(const Row& row, std::size_t column) {
    return row.is_null(column) ? std::nullopt : parse_sql_time(row.text(column));
}

std::vector<TakenKey> claim_keys(Transaction& transaction, std::span<const KeyClaim> claims) {
    insert(transaction, claims);
    const std::string sql = fmt::format(kTaken, fmt::arg("by_id", transaction.dialect().by_id));
    const std::vector<std::string_view> keys = texts_of(claims);
    std::vector<TakenKey> taken;
    query_for_ids(transaction, {.sql = sql, .columns = 3}, {.ids = keys}, [&](const Row& row) {
        taken.push_back(
            {.key = std::string(row.text(0)),
             .job = std::string(row.text(1)),
             .until = until_of(row, 2)}
        );
    });
    return taken;
}

void insert_keys_plainly(
    Transaction& transaction,
    std::span<const KeyClaim> claims,
    schema::TimePoint now
) {
    for (const KeyClaim& claim : claims) {
        transaction.execute(kForget, {claim.key, now});
        transaction.execute(kInsertOne, {claim.key, claim.job, time_or_null(claim.until)});
    }
}

// As many rows in one statement as when they are new.
void pass_keys(Transaction& transaction, std::span<const KeyClaim> claims) {
    const std::string sql = delete_from(transaction.dialect(), "JS_UNIQUE", kDeleteKeys);
    const std::vector<std::string_view> keys = texts_of(claims);
    execute_for_ids(transaction, sql, {.ids = keys});
    insert(transaction, claims);
}

void withdraw_keys(Transaction& transaction, std::span<const KeyClaim> claims) {
    in_parts(claims, kKeysPerStatement, [&](std::span<const KeyClaim> part) {
        delete_part(transaction, part, "");
    });
}

void free_keys_of(Transaction& transaction, std::span<const Job* const> jobs) {
    std::vector<KeyClaim> claims;
    for (const Job* job : jobs) {
        if (!job->unique_key.empty()) {
            claims.push_back({.key = job->unique_key, .job = job->id});
        }
    }
    std::ranges::sort(claims, {}, &KeyClaim::key);
    in_parts(std::span<const KeyClaim>(claims), kKeysPerStatement, [&](auto part) {
        delete_part(transaction, part, kHeldWhileOpen);
    });
}

namespace {

using Places = std::multimap<std::string, JobPlace, std::less<>>;

// By the id alone: tools that know only Flowable's columns may have moved a job without its key.
Places places_of_open(Transaction& transaction, std::vector<std::string_view> ids) {
    std::ranges::sort(ids);
    Places places;
    for (JobAddress& found : find_all(transaction, ids)) {
        if (found.place != JobPlace::dead_letter) {
            places.emplace(std::move(found.id), found.place);
        }
    }
    return places;
}

/// To MySQL and MariaDB, keys that differ by blanks at their ends are the same; ours have none.
std::string without_blanks(std::string_view key) {
    return std::string(key.substr(0, key.find_last_not_of(' ') + 1));
}

/// Without this job its series would end unasked.
bool is_needed_by_series(const Job& job) {
    return !job.repeat.empty() || !job.series.empty();
}

}  // namespace

KeyHolders holders_of(Transaction& transaction, const std::vector<TakenKey>& taken) {
    std::vector<std::string_view> ids;
    ids.reserve(taken.size());
    std::ranges::transform(taken, std::back_inserter(ids), &TakenKey::job);
    const Places open = places_of_open(transaction, std::move(ids));
    KeyHolders holders;
    for (const TakenKey& one : taken) {
        holders.emplace(
            without_blanks(one.key),
            KeyHolder{
                .job = one.job,
                .until = one.until,
                .state = open.contains(one.job) ? HolderState::busy : HolderState::gone}
        );
    }
    return holders;
}

std::vector<PlacedJob> waiting_for_update(
    Transaction& transaction,
    std::span<KeyHolder* const> holders,
    schema::TimePoint now
) {
    std::map<std::string_view, KeyHolder*> by_id;
    std::vector<std::string_view> ids;
    for (KeyHolder* holder : holders) {
        by_id.emplace(holder->job, holder);
        ids.emplace_back(holder->job);
    }
    std::map<JobPlace, std::vector<std::string_view>> by_place;
    for (const auto& [id, place] : places_of_open(transaction, std::move(ids))) {
        // To MySQL and MariaDB, an id with blanks behind it is the same; here it is another job's.
        if (const auto asked = by_id.find(id); asked != by_id.end()) {
            by_place[place].push_back(asked->first);
        }
    }
    std::vector<PlacedJob> waiting;
    for (const auto& [place, of_place] : by_place) {
        for (Job& row : untouched_for_update(transaction, place, of_place)) {
            const auto holder = by_id.find(row.id);
            if (holder != by_id.end() && !is_locked(row, now) && !is_needed_by_series(row)) {
                holder->second->state = HolderState::waiting;
                waiting.push_back({.place = place, .job = std::move(row)});
            }
        }
    }
    return waiting;
}

namespace {

bool is_held_by_another(const KeyHolders& holders, const KeyClaim& claim, schema::TimePoint now) {
    const auto holder = holders.find(claim.key);
    return holder != holders.end() && holder->second.job != claim.job &&
           schema::holds_key(holder->second, now);
}

/// What is left of its own period goes on to hold.
bool is_to_be_passed(const KeyHolders& holders, const KeyClaim& claim, schema::TimePoint now) {
    const auto holder = holders.find(claim.key);
    const bool is_own_period = holder != holders.end() && holder->second.job == claim.job &&
                               holder->second.until && *holder->second.until > now;
    return holder != holders.end() && !is_own_period;
}

}  // namespace

std::vector<std::string>
take_back_keys(Transaction& transaction, std::span<const Job> dead_letters, schema::TimePoint now) {
    std::vector<std::string> refused;
    std::map<std::string_view, KeyClaim> by_key;
    for (const Job& job : dead_letters) {
        const bool is_first =
            job.unique_key.empty() ||
            by_key.emplace(job.unique_key, KeyClaim{.key = job.unique_key, .job = job.id}).second;
        if (!is_first) {
            refused.push_back(job.id);
        }
    }
    std::vector<KeyClaim> claims;
    for (const auto& [key, claim] : by_key) {
        claims.push_back(claim);
    }
    const KeyHolders holders = holders_of(transaction, claim_keys(transaction, claims));
    std::vector<KeyClaim> passed;
    for (const KeyClaim& claim : claims) {
        if (is_held_by_another(holders, claim, now)) {
            refused.emplace_back(claim.job);
        } else if (is_to_be_passed(holders, claim, now)) {
            passed.push_back(claim);
        }
    }
    pass_keys(transaction, passed);
    return refused;
}

}  // namespace jobstrand::persistence
