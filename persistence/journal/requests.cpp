#include "persistence/request_store.hpp"
#include "persistence/rows/store_context.hpp"
#include "persistence/sql/dialect.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace jobstrand::persistence {

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
    std::optional<Found> found;
    transaction.query({.sql = sql, .columns = 4}, {key}, [&](const Row& row) {
        found = {
            .request =
                {.digest = std::string(row.text(0)),
                 .status = static_cast<int>(row.integer(1)),
                 .answer = dialect.text_of_bytes(row.text(2))},
            .until = row.time(3).value_or(schema::TimePoint{}),
        };
    });
    return found;
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
    std::vector<std::string> keys;
    const std::array<Value, 2> parameters{now, kForgottenAtOnce};
    context_.runner.read([&](Connection& connection) {
        keys.clear();
        connection.query({.sql = kOver, .columns = 1}, parameters, [&](const Row& row) {
            keys.emplace_back(row.text(0));
        });
    });
    if (keys.empty()) {
        return;
    }
    context_.runner.run(
        [&](Transaction& transaction) {
            const std::string sql = fmt::format(
                kForgetRequest,
                fmt::arg("delete_where", delete_where(transaction.dialect(), "JS_REQUEST"))
            );
            for (const std::string& key : keys) {
                transaction.execute(sql, {std::string_view(key), now});
            }
        },
        run_again
    );
}

}  // namespace jobstrand::persistence
