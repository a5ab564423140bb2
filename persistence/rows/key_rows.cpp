#include "persistence/rows/key_rows.hpp"

#include "persistence/sql/dialect.hpp"
#include "persistence/sql/id_lists.hpp"
#include "persistence/sql/new_rows.hpp"
#include "persistence/sql/sql_time.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>

namespace jobstrand::persistence {

namespace {

using schema::Job;

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
    for (const auto& [text, parameters] : cut_id_list(sql, {.ids = keys})) {
        transaction.query({.sql = text, .columns = 3}, parameters, [&](const Row& row) {
            taken.push_back(
                {.key = std::string(row.text(0)),
                 .job = std::string(row.text(1)),
                 .until = until_of(row, 2)}
            );
        });
    }
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
    const std::string sql = fmt::format(
        kDeleteKeys, fmt::arg("delete_where", delete_where(transaction.dialect(), "JS_UNIQUE"))
    );
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

}  // namespace jobstrand::persistence
