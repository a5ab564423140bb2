#include "persistence/batches/batch_rows.hpp"

#include "persistence/sql/db_error.hpp"
#include "persistence/sql/dialect.hpp"

#include <fmt/format.h>

#include <array>
#include <string>

namespace jobstrand::persistence {

namespace {

using schema::Batch;
using schema::BatchOrder;

constexpr std::string_view kColumns =
    "ID_, OPERATION_, PLACE_, STATE_, CREATE_TIME_, END_TIME_, SELECTION_, CAUSE_, RETRIES_, "
    "PRIORITY_, DUEDATE_, SPREAD_, RATE_, WHO_, REASON_, UNTIL_ID_, UNTIL_TIME_, CURSOR_, TOTAL_, "
    "DONE_, SKIPPED_, REFUSED_, REV_";
constexpr std::size_t kColumnCount = 23;

constexpr std::string_view kInsert = R"sql(
    INSERT INTO JS_BATCH ({columns})
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1))sql";

constexpr std::string_view kFind = R"sql(
    SELECT {columns}
    FROM JS_BATCH {by_id}
    WHERE ID_ = ?
    {for_update})sql";

// Ids are UUIDv7: their order is that of the times.
constexpr std::string_view kList = R"sql(
    SELECT {columns}
    FROM JS_BATCH
    WHERE {condition}
    ORDER BY ID_ DESC
    LIMIT ?)sql";

constexpr std::string_view kUpdate = R"sql(
    UPDATE JS_BATCH
    SET STATE_ = ?, END_TIME_ = ?, CURSOR_ = ?, DONE_ = ?, SKIPPED_ = ?, REFUSED_ = ?,
        REV_ = REV_ + 1
    WHERE ID_ = ?)sql";

constexpr std::string_view kDelete = R"sql({delete_where} ID_ = ? AND STATE_ <> 'running')sql";

/// The meaning of a word in a column.
template <typename Meaning>
[[nodiscard]] Meaning required(std::optional<Meaning> meaning, std::string_view word) {
    if (!meaning) {
        throw DbError(
            DbErrorKind::unreadable, fmt::format("a batch has the word \"{}\", which is none", word)
        );
    }
    return *meaning;
}

template <typename Number>
[[nodiscard]] std::optional<Number> number_in(const Row& row, std::size_t column) {
    return row.is_null(column) ? std::nullopt
                               : std::optional(static_cast<Number>(row.integer(column)));
}

template <typename Number>
[[nodiscard]] Value number_or_null(const std::optional<Number>& number) {
    return number ? Value{std::int64_t{*number}} : Value{};
}

[[nodiscard]] BatchOrder order_in(const Row& row) {
    return {
        .operation = required(schema::batch_operation_named(row.text(1)), row.text(1)),
        .place = required(schema::place_named(row.text(2)), row.text(2)),
        .retries = number_in<int>(row, 8),
        .priority = number_in<std::int64_t>(row, 9),
        .due_date = row.time(10),
        .spread = schema::Duration{row.integer(11)},
        .per_second = row.integer(12),
        .cause = std::string(row.text(7)),
        .who = std::string(row.text(13)),
        .reason = std::string(row.text(14)),
    };
}

[[nodiscard]] BatchRow batch_in(const Row& row) {
    Batch batch{
        .id = std::string(row.text(0)),
        .order = order_in(row),
        .selection = std::string(row.text(6)),
        .state = required(schema::batch_state_named(row.text(3)), row.text(3)),
        .created = row.time(4).value_or(schema::TimePoint{}),
        .ended = row.time(5),
        .until = std::string(row.text(15)),
        .until_time = row.time(16),
        .cursor = std::string(row.text(17)),
        .total = row.integer(18),
        .done = row.integer(19),
        .skipped = row.integer(20),
        .refused = row.integer(21),
    };
    return {.batch = std::move(batch), .revision = row.integer(22)};
}

[[nodiscard]] std::string find_statement(const Dialect& dialect, bool is_for_update) {
    return fmt::format(
        kFind,
        fmt::arg("columns", kColumns),
        fmt::arg("by_id", is_for_update ? dialect.by_id : ""),
        fmt::arg("for_update", is_for_update ? dialect.for_update : "")
    );
}

}  // namespace

void insert_batch(Transaction& transaction, const Batch& batch) {
    const BatchOrder& order = batch.order;
    transaction.execute(
        fmt::format(kInsert, fmt::arg("columns", kColumns)),
        {std::string_view(batch.id),
         name_of(order.operation),
         schema::name_of(order.place),
         name_of(batch.state),
         batch.created,
         time_or_null(batch.ended),
         text_or_null(batch.selection),
         text_or_null(order.cause),
         number_or_null(order.retries),
         number_or_null(order.priority),
         time_or_null(order.due_date),
         std::int64_t{order.spread.count()},
         order.per_second,
         text_or_null(order.who),
         text_or_null(order.reason),
         text_or_null(batch.until),
         time_or_null(batch.until_time),
         text_or_null(batch.cursor),
         batch.total,
         batch.done,
         batch.skipped,
         batch.refused}
    );
}

std::optional<BatchRow> read_batch(Connection& connection, std::string_view id) {
    const std::string sql = find_statement(connection.dialect(), false);
    return one_row(connection, {.sql = sql, .columns = kColumnCount}, {id}, batch_in);
}

std::optional<BatchRow> batch_for_update(Transaction& transaction, std::string_view id) {
    const std::string sql = find_statement(transaction.dialect(), true);
    return one_row(transaction, {.sql = sql, .columns = kColumnCount}, {id}, batch_in);
}

std::vector<Batch>
read_batches(Connection& connection, std::string_view behind, std::size_t limit) {
    const std::string sql = fmt::format(
        kList,
        fmt::arg("columns", kColumns),
        fmt::arg("condition", behind.empty() ? "ID_ >= ?" : "ID_ < ?")
    );
    const std::array<Value, 2> parameters{behind, static_cast<std::int64_t>(limit)};
    return all_rows(
        connection,
        {.sql = sql, .columns = kColumnCount},
        parameters,
        [](const Row& row) { return batch_in(row).batch; }
    );
}

void update_batch(Transaction& transaction, const Batch& batch) {
    transaction.execute(
        kUpdate,
        {name_of(batch.state),
         time_or_null(batch.ended),
         text_or_null(batch.cursor),
         batch.done,
         batch.skipped,
         batch.refused,
         std::string_view(batch.id)}
    );
}

bool delete_batch(Transaction& transaction, std::string_view id) {
    const std::string sql = delete_from(transaction.dialect(), "JS_BATCH", kDelete);
    return transaction.execute(sql, {id}) > 0;
}

std::optional<std::int64_t> revision_of_batch(Transaction& transaction, std::string_view id) {
    const Query query{.sql = "SELECT REV_ FROM JS_BATCH WHERE ID_ = ?", .columns = 1};
    return one_row(transaction, query, {id}, [](const Row& row) { return row.integer(0); });
}

}  // namespace jobstrand::persistence
