#include "persistence/journal_store.hpp"
#include "persistence/rows/store_context.hpp"
#include "persistence/sql/dialect.hpp"
#include "persistence/sql/many_rows.hpp"
#include "schema/limits.hpp"
#include "schema/text/utf8.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <utility>

namespace jobstrand::persistence {

namespace {

constexpr std::string_view kBegin = R"sql(
    INSERT INTO JS_AUDIT (ID_, TIME_, WHO_, VIA_, ACTION_, ARGUMENTS_, REASON_)
    VALUES (?, ?, ?, ?, ?, ?, ?))sql";

constexpr std::string_view kEnd = R"sql(
    UPDATE JS_AUDIT
    SET RESULT_ = ?, CHANGED_ = ?, REV_ = REV_ + 1
    WHERE ID_ = ?)sql";

// Ids are UUIDv7: their order is that of the times.
constexpr std::string_view kList = R"sql(
    SELECT ID_, TIME_, WHO_, VIA_, ACTION_, ARGUMENTS_, REASON_, RESULT_, CHANGED_
    FROM JS_AUDIT
    WHERE {conditions}
    ORDER BY ID_ DESC
    LIMIT ?)sql";

constexpr std::string_view kOldest = R"sql(
    SELECT ID_
    FROM JS_AUDIT
    WHERE TIME_ < ?
    ORDER BY ID_
    LIMIT ?)sql";

constexpr std::string_view kForgetEntries = R"sql({delete_where} ID_ IN (...))sql";

/// Entries that are removed in one transaction.
constexpr std::size_t kAuditPart = 1'000;

struct Conditions {
    std::vector<std::string_view> sql{"1 = 1"};
    std::vector<Value> parameters;

    void add(std::string_view condition, Value parameter) {
        sql.push_back(condition);
        parameters.push_back(parameter);
    }
};

Conditions conditions_of(const AuditFilter& filter, std::string_view behind) {
    Conditions conditions;
    if (!behind.empty()) {
        conditions.add("ID_ < ?", behind);
    }
    if (!filter.who.empty()) {
        conditions.add("WHO_ = ?", std::string_view(filter.who));
    }
    if (!filter.action.empty()) {
        conditions.add("ACTION_ = ?", std::string_view(filter.action));
    }
    if (filter.after) {
        conditions.add("TIME_ >= ?", *filter.after);
    }
    if (filter.before) {
        conditions.add("TIME_ < ?", *filter.before);
    }
    return conditions;
}

AuditEntry entry_of(const Row& row) {
    AuditEntry entry{.id = std::string(row.text(0))};
    entry.time = row.time(1).value_or(schema::TimePoint{});
    entry.action = {
        .who = std::string(row.text(2)),
        .via = std::string(row.text(3)),
        .action = std::string(row.text(4)),
        .arguments = std::string(row.text(5)),
        .reason = std::string(row.text(6)),
    };
    entry.result = row.text(7);
    if (!row.is_null(8)) {
        entry.changed = row.integer(8);
    }
    return entry;
}

std::vector<std::string> oldest_before(const StoreContext& context, schema::TimePoint before) {
    const std::array<Value, 2> parameters{before, static_cast<std::int64_t>(kAuditPart)};
    return context.runner.read([&](Connection& connection) {
        return all_texts(connection, kOldest, parameters);
    });
}

void remove_entries(Transaction& transaction, const std::vector<std::string>& ids) {
    const std::vector<std::string_view> borrowed(ids.begin(), ids.end());
    const std::string sql = delete_from(transaction.dialect(), "JS_AUDIT", kForgetEntries);
    execute_for_ids(transaction, sql, {.ids = borrowed});
}

}  // namespace

std::string AuditStore::begin_action(const AuditedAction& action, schema::TimePoint now) {
    using schema::first_characters;
    const std::string id = context_.ids.next();
    const std::string who = first_characters(action.who, schema::limits::kNameLength);
    const std::string what = first_characters(action.action, schema::limits::kNameLength);
    const std::string arguments =
        first_characters(action.arguments, schema::limits::kExceptionMessageLength);
    const std::string reason =
        first_characters(action.reason, schema::limits::kExceptionMessageLength);
    context_.runner.run(
        [&](Transaction& transaction) {
            transaction.execute(
                kBegin,
                {std::string_view(id),
                 now,
                 std::string_view(who),
                 std::string_view(action.via),
                 std::string_view(what),
                 text_or_null(arguments),
                 text_or_null(reason)}
            );
        },
        [&](Transaction& transaction) {
            return has_row(
                transaction, "SELECT 1 FROM JS_AUDIT WHERE ID_ = ?", {std::string_view(id)}
            );
        }
    );
    return id;
}

void AuditStore::end_action(
    std::string_view id,
    std::string_view result,
    std::optional<std::int64_t> changed
) {
    context_.runner.run(
        [&](Transaction& transaction) {
            transaction.execute(kEnd, {result, changed ? Value{*changed} : Value{}, id});
        },
        run_again
    );
}

std::vector<AuditEntry>
AuditStore::audit(const AuditFilter& filter, std::string_view behind, std::size_t limit) {
    Conditions conditions = conditions_of(filter, behind);
    conditions.parameters.emplace_back(static_cast<std::int64_t>(limit));
    const std::string sql =
        fmt::format(kList, fmt::arg("conditions", fmt::join(conditions.sql, " AND ")));
    return context_.runner.read([&](Connection& connection) {
        return all_rows(connection, {.sql = sql, .columns = 9}, conditions.parameters, entry_of);
    });
}

std::int64_t AuditStore::forget_audit(schema::TimePoint before) {
    std::int64_t forgotten = 0;
    while (true) {
        const std::vector<std::string> ids = oldest_before(context_, before);
        if (ids.empty()) {
            return forgotten;
        }
        context_.runner.run(
            [&](Transaction& transaction) { remove_entries(transaction, ids); }, run_again
        );
        forgotten += static_cast<std::int64_t>(ids.size());
    }
}

namespace {

constexpr std::string_view kTake = R"sql(
    {insert_if_absent} INTO JS_REQUEST (KEY_, DIGEST_, UNTIL_)
    VALUES (?, ?, ?)
    {if_absent})sql";

constexpr std::string_view kFind = R"sql(
    SELECT DIGEST_, STATUS_, {bytes_as_text}, UNTIL_
    FROM JS_REQUEST
    WHERE KEY_ = ? {for_update})sql";

constexpr std::string_view kTakeAnew = R"sql(
    UPDATE JS_REQUEST
    SET DIGEST_ = ?, UNTIL_ = ?, STATUS_ = 0, BYTES_ = NULL, REV_ = REV_ + 1
    WHERE KEY_ = ?)sql";

constexpr std::string_view kAnswer = R"sql(
    UPDATE JS_REQUEST
    SET STATUS_ = ?, BYTES_ = {bytes}
    WHERE KEY_ = ?)sql";

constexpr std::string_view kOver = R"sql(
    SELECT KEY_
    FROM JS_REQUEST
    WHERE UNTIL_ < ?
    ORDER BY UNTIL_
    LIMIT ?)sql";

constexpr std::string_view kForgetRequest = R"sql({delete_where} KEY_ = ? AND UNTIL_ < ?)sql";

/// More than one, so that a table that has grown becomes small again.
constexpr std::int64_t kForgottenAtOnce = 4;

struct Found {
    RememberedRequest request;
    schema::TimePoint until;
};

std::optional<Found> find_for_update(Transaction& transaction, std::string_view key) {
    const Dialect& dialect = transaction.dialect();
    const std::string sql = fmt::format(
        kFind,
        fmt::arg("bytes_as_text", dialect.bytes_as_text),
        fmt::arg("for_update", dialect.for_update)
    );
    return one_row(transaction, {.sql = sql, .columns = 4}, {key}, [&](const Row& row) {
        return Found{
            .request =
                {.digest = std::string(row.text(0)),
                 .status = static_cast<int>(row.integer(1)),
                 .answer = dialect.text_of_bytes(row.text(2))},
            .until = row.time(3).value_or(schema::TimePoint{}),
        };
    });
}

}  // namespace

std::optional<RememberedRequest>
RequestStore::take_request(Transaction& transaction, const RepeatableRequest& request) {
    const Dialect& dialect = transaction.dialect();
    const std::string sql = fmt::format(
        kTake,
        fmt::arg("insert_if_absent", dialect.insert_if_absent),
        fmt::arg("if_absent", dialect.if_absent)
    );
    if (transaction.execute(sql, {request.key, request.digest, request.until}) > 0) {
        return std::nullopt;
    }
    std::optional<Found> found = find_for_update(transaction, request.key);
    if (!found) {
        throw DbError(DbErrorKind::conflict, "a remembered request was forgotten meanwhile");
    }
    if (found->until >= request.now) {
        return std::move(found->request);
    }
    transaction.execute(kTakeAnew, {request.digest, request.until, request.key});
    return std::nullopt;
}

std::optional<RememberedRequest>
RequestStore::find_request(Transaction& transaction, std::string_view key) {
    auto found = find_for_update(transaction, key);
    return found ? std::optional(std::move(found->request)) : std::nullopt;
}

void RequestStore::answer_request(
    Transaction& transaction,
    std::string_view key,
    int status,
    std::string_view answer
) {
    const std::string sql =
        fmt::format(kAnswer, fmt::arg("bytes", transaction.dialect().bytes_parameter));
    transaction.execute(sql, {static_cast<std::int64_t>(status), answer, key});
}

void RequestStore::forget_requests(schema::TimePoint now) {
    const std::vector<std::string> keys = context_.runner.read([&](Connection& connection) {
        return all_texts(connection, kOver, {now, kForgottenAtOnce});
    });
    if (keys.empty()) {
        return;
    }
    context_.runner.run(
        [&](Transaction& transaction) {
            const std::string sql =
                delete_from(transaction.dialect(), "JS_REQUEST", kForgetRequest);
            for (const std::string& key : keys) {
                transaction.execute(sql, {std::string_view(key), now});
            }
        },
        run_again
    );
}

}  // namespace jobstrand::persistence
