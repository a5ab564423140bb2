#include "persistence/batch_store.hpp"
#include "persistence/batches/batch_rows.hpp"
#include "persistence/batches/filter_text.hpp"
#include "persistence/enqueuer_store.hpp"
#include "persistence/queries/job_filter_sql.hpp"
#include "persistence/rows/sql_operator_store.hpp"
#include "persistence/rows/store_context.hpp"
#include "schema/ensure.hpp"
#include "schema/limits.hpp"
#include "schema/text/utf8.hpp"

#include <fmt/format.h>

#include <string>

namespace jobstrand::persistence {

namespace {

using schema::Batch;
using schema::BatchState;
using schema::JobPlace;

// One look at all that is meant: how many there are, and where they end.
constexpr std::string_view kMeant = R"sql(
    SELECT COUNT(*), MAX(ID_){latest_death}
    FROM {table}
    WHERE {condition})sql";

/// Characters of SELECTION_, in which a filter is written down.
constexpr std::size_t kSelectionLength = 4'000;

void look_at_meant(Connection& connection, const JobFilter& filter, Batch& batch) {
    const JobPlace place = batch.order.place;
    const bool is_dead = place == JobPlace::dead_letter;
    const Condition condition = condition_of(filter, place, connection.dialect());
    const std::string sql = fmt::format(
        kMeant,
        fmt::arg("latest_death", is_dead ? ", MAX(FAILED_TIME_)" : ""),
        fmt::arg("table", schema::table_of(place)),
        fmt::arg("condition", condition.sql)
    );
    connection.query(
        {.sql = sql, .columns = is_dead ? std::size_t{3} : std::size_t{2}},
        condition.parameters,
        [&](const Row& row) {
            batch.total = row.integer(0);
            batch.until = row.text(1);
            batch.until_time = is_dead ? row.time(2) : std::nullopt;
        }
    );
}

void insert_carrier(
    Transaction& transaction,
    const StoreContext& context,
    schema::Job carrier,
    std::string_view id
) {
    carrier.id = id;
    const JobPlace place = carrier.due_date ? JobPlace::timer : JobPlace::executable;
    EnqueuerStore(context).insert(
        transaction, {{.place = place, .job = std::move(carrier)}}, IdOrigin::made
    );
}

}  // namespace

bool BatchStore::can_keep(const JobFilter& filter) {
    if (!filter.ids.empty()) {
        return false;
    }
    const auto characters = schema::count_characters(text_of(filter));
    return characters && *characters <= kSelectionLength;
}

Batch BatchStore::create_batch(const NewBatch& new_batch, schema::TimePoint now) {
    JOBSTRAND_ENSURE(can_keep(new_batch.filter));
    Batch batch{.id = context_.ids.next(), .order = new_batch.order, .created = now};
    batch.selection = text_of(new_batch.filter);
    batch.order.who = schema::first_characters(batch.order.who, schema::limits::kNameLength);
    batch.order.reason =
        schema::first_characters(batch.order.reason, schema::limits::kExceptionMessageLength);
    // Rows without an id that anything finds get one first, as for every list.
    (void)SqlOperatorStore(context_).list_ids(batch.order.place, new_batch.filter, "", 1);
    context_.runner.read([&](Connection& connection) {
        look_at_meant(connection, new_batch.filter, batch);
    });
    batch.total = new_batch.total.value_or(batch.total);
    if (batch.until.empty()) {
        batch.state = BatchState::done;
        batch.ended = now;
    }
    context_.runner.run(
        [&](Transaction& transaction) {
            insert_batch(transaction, batch);
            if (new_batch.carrier && batch.state == BatchState::running) {
                insert_carrier(transaction, context_, *new_batch.carrier, batch.id);
            }
        },
        [&](Transaction& transaction) {
            return revision_of_batch(transaction, batch.id).has_value();
        }
    );
    return batch;
}

std::optional<Batch> BatchStore::find_batch(std::string_view id) {
    std::optional<BatchRow> row;
    context_.runner.read([&](Connection& connection) { row = read_batch(connection, id); });
    return row ? std::optional(std::move(row->batch)) : std::nullopt;
}

std::vector<Batch> BatchStore::batches(std::string_view behind, std::size_t limit) {
    std::vector<Batch> batches;
    context_.runner.read([&](Connection& connection) {
        batches = read_batches(connection, behind, limit);
    });
    return batches;
}

bool BatchStore::remove_batch(std::string_view id) {
    bool was_there = false;
    context_.runner.run(
        [&](Transaction& transaction) { was_there = delete_batch(transaction, id); },
        [&](Transaction& transaction) { return !revision_of_batch(transaction, id); }
    );
    return was_there;
}

}  // namespace jobstrand::persistence
