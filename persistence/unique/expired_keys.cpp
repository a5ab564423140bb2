#include "persistence/enqueuer_store.hpp"
#include "persistence/rows/key_rows.hpp"
#include "persistence/rows/sql_executor_store.hpp"
#include "persistence/rows/sql_operator_store.hpp"
#include "persistence/sql/dialect.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace jobstrand::persistence {

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
    KeyPart part;
    connection.query({.sql = sql, .columns = 3}, parameters, [&](const Row& row) {
        part = {
            .last = std::string(row.text(0)),
            .rows = static_cast<std::size_t>(row.integer(1)),
            .expired = row.integer(2)};
    });
    return part;
}

}  // namespace

ExpiredKeys SqlExecutorStore::remove_expired_keys(const KeySearch& search) {
    KeyPart part;
    // Read apart from the write: on SQLite nearly every pass then leaves the writer alone.
    context_.runner.read([&](Connection& connection) { part = read_part(connection, search); });
    ExpiredKeys done;
    if (part.expired > 0) {
        context_.runner.run(
            [&](Transaction& transaction) {
                const std::string sql = fmt::format(
                    kRemove,
                    fmt::arg("delete_where", delete_where(transaction.dialect(), "JS_UNIQUE"))
                );
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
    std::optional<KeyOwner> owner;
    context_.runner.read([&](Connection& connection) {
        owner.reset();
        const std::array<Value, 1> parameters{key};
        connection.query({.sql = kOwner, .columns = 2}, parameters, [&](const Row& row) {
            owner = {.job = std::string(row.text(0)), .until = until_of(row, 1)};
        });
    });
    return owner;
}

std::optional<KeyOwner> SqlOperatorStore::key_owner(std::string_view key) {
    return EnqueuerStore(context_).key_owner(key);
}

}  // namespace jobstrand::persistence
