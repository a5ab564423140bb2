#include "persistence/batch_store.hpp"

#include "persistence/batches/batch_rows.hpp"
#include "persistence/batches/filter_text.hpp"
#include "persistence/batches/plain_moves.hpp"
#include "persistence/enqueuer_store.hpp"
#include "persistence/jobs/named_jobs.hpp"
#include "persistence/queries/job_filter_sql.hpp"
#include "persistence/rows/job_rows.hpp"
#include "persistence/rows/sql_operator_store.hpp"
#include "persistence/rows/store_context.hpp"
#include "persistence/sql/dialect.hpp"
#include "persistence/sql/sql_transaction.hpp"
#include "persistence/sql/sql_values.hpp"
#include "schema/batch.hpp"
#include "schema/ensure.hpp"
#include "schema/limits.hpp"
#include "schema/text/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace jobstrand::persistence {

using schema::Batch;
using schema::BatchOperation;
using schema::BatchOrder;
using schema::BatchState;
using schema::Job;
using schema::JobPlace;

namespace {

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
    auto row =
        context_.runner.read([&](Connection& connection) { return read_batch(connection, id); });
    return row ? std::optional(std::move(row->batch)) : std::nullopt;
}

std::vector<Batch> BatchStore::batches(std::string_view behind, std::size_t limit) {
    return context_.runner.read([&](Connection& connection) {
        return read_batches(connection, behind, limit);
    });
}

bool BatchStore::remove_batch(std::string_view id) {
    bool was_there = false;
    context_.runner.run(
        [&](Transaction& transaction) { was_there = delete_batch(transaction, id); },
        [&](Transaction& transaction) { return !revision_of_batch(transaction, id); }
    );
    return was_there;
}

namespace {

/// The next jobs of a batch, behind its cursor, which nobody else changes until the transaction
/// ends.
struct BatchPage {
    std::size_t rows = 0;                    ///< That were looked at.
    std::string last = {};                   ///< The id of the last one; empty: there are none.
    std::vector<std::string> plain = {};     ///< Of these, those that need no look at them.
    std::int64_t others = 0;                 ///< That are not of the cause.
    std::vector<std::string> ids = {};       ///< The rest, in ascending order ...
    std::vector<std::string> carriers = {};  ///< ... but for those that carry a series on.
};

constexpr std::string_view kPage = R"sql(
    SELECT ID_, CASE WHEN {plain} THEN 1 ELSE 0 END, REPEAT_{more}
    FROM {table} {by_id}
    WHERE ID_ > ? AND {meant}
    ORDER BY ID_
    LIMIT ?
    {for_update})sql";

/// What a cause is found by.
constexpr std::string_view kFailureColumns = ", HANDLER_TYPE_, EXCEPTION_MSG_, FAILED_TIME_";
constexpr std::size_t kOwnColumns = 3;
constexpr std::size_t kAllColumns = 6;

constexpr std::array<RowField, 1> kTimeOfDeath{
    {{.column = "FAILED_TIME_", .member = &schema::Job::failed_time}}};

[[nodiscard]] DeadLetterFailure failure_in(const Row& row) {
    DeadLetterFailure failure{
        .id = std::string(row.text(0)),
        .handler_type = std::string(row.text(3)),
        .message = std::string(row.text(4)),
    };
    // An odd time of somebody else's SQL reads as none: the message counts.
    (void)read_columns(kTimeOfDeath, [&](std::size_t) { failure.failed_time = row.time(5); });
    return failure;
}

/// Dead letters have left their series to itself.
[[nodiscard]] bool carries_series_on(const Batch& batch, const Row& row) {
    return batch.order.place != JobPlace::dead_letter && !row.text(2).empty();
}

/// The condition for what a batch means, without its cause and whatever the cursor: the filter, the
/// last id, and for dead letters when they died. The texts are borrowed.
Condition condition_of(const JobFilter& filter, const Batch& batch, const Dialect& dialect) {
    Condition meant = condition_of(filter, batch.order.place, dialect);
    meant.sql += " AND ID_ <= ?";
    meant.parameters.emplace_back(std::string_view(batch.until));
    if (batch.until_time) {
        meant.sql += " AND (FAILED_TIME_ IS NULL OR FAILED_TIME_ <= ?)";
        meant.parameters.emplace_back(*batch.until_time);
    }
    return meant;
}

/// `plain` is the SQL condition for rows that need no look; never NULL.
BatchPage read_page(
    Transaction& transaction,
    const Batch& batch,
    const Condition& meant,
    const BatchStep& step,
    std::string_view plain
) {
    const Dialect& dialect = transaction.dialect();
    const bool asks_cause = !batch.order.cause.empty();
    const std::string sql = fmt::format(
        kPage,
        fmt::arg("plain", plain),
        fmt::arg("more", asks_cause ? kFailureColumns : ""),
        fmt::arg("table", schema::table_of(batch.order.place)),
        fmt::arg("by_id", dialect.by_id),
        fmt::arg("meant", meant.sql),
        fmt::arg("for_update", dialect.for_update)
    );
    std::vector<Value> parameters{std::string_view(batch.cursor)};
    parameters.insert(parameters.end(), meant.parameters.begin(), meant.parameters.end());
    parameters.emplace_back(static_cast<std::int64_t>(step.jobs));
    BatchPage page;
    const RowReader read = [&](const Row& row) {
        ++page.rows;
        page.last = row.text(0);
        if (asks_cause && !step.is_meant(failure_in(row))) {
            ++page.others;
        } else if (row.integer(1) == 1) {
            page.plain.emplace_back(row.text(0));
        } else if (carries_series_on(batch, row)) {
            page.carriers.emplace_back(row.text(0));
        } else {
            page.ids.emplace_back(row.text(0));
        }
    };
    transaction.query(
        {.sql = sql, .columns = asks_cause ? kAllColumns : kOwnColumns}, parameters, read
    );
    return page;
}

/// Jobs of a page that are looked at, one by one: others wait for its locks for so long.
constexpr std::size_t kJobsByHand = 1'000;

/// Changes a batch in one transaction, by `change`, which says whether it did. Whoever sees a later
/// revision than that before knows that the commit was done, or that the same was done since.
std::optional<Batch> change_batch(
    const StoreContext& context,
    std::string_view id,
    const std::function<bool(Transaction&, Batch&)>& change
) {
    std::optional<BatchRow> row;
    context.runner.run(
        [&](Transaction& transaction) {
            row = batch_for_update(transaction, id);
            if (row && change(transaction, row->batch)) {
                update_batch(transaction, row->batch);
            }
        },
        [&](Transaction& transaction) {
            return row && revision_of_batch(transaction, id).value_or(0) > row->revision;
        }
    );
    return row ? std::optional(std::move(row->batch)) : std::nullopt;
}

/// Evenly from the due date on, or from now, by the number of jobs before each.
[[nodiscard]] schema::TimePoint
spread_date(const Batch& batch, std::int64_t index, schema::TimePoint start) {
    const std::int64_t all = std::max<std::int64_t>(batch.total, 1);
    const std::int64_t spread = batch.order.spread.count();
    return start + schema::Duration{spread / all * index + spread % all * index / all};
}

[[nodiscard]] NewLife
new_life_of(const Batch& batch, std::span<const std::string_view> ids, schema::TimePoint now) {
    const BatchOrder& order = batch.order;
    NewLife life{
        .retries = order.retries.value_or(1),
        .due_date = order.due_date,
        .due_dates = {},
        .now = now,
    };
    if (order.spread > schema::Duration{0}) {
        std::int64_t index = handled(batch);
        for (const std::string_view id : ids) {
            const std::int64_t place = std::min(index++, batch.total);
            const schema::TimePoint start = order.due_date.value_or(batch.created);
            life.due_dates.emplace(id, spread_date(batch, place, start));
        }
    }
    return life;
}

[[nodiscard]] ManyChanges changes_of(const BatchOrder& order) {
    ManyChanges changes{.fields = {}, .due_date = order.due_date};
    if (order.retries) {
        changes.fields.push_back(schema::set_to(&Job::retries, *order.retries));
    }
    if (order.priority) {
        changes.fields.push_back(schema::set_to(&Job::priority, *order.priority));
    }
    return changes;
}

[[nodiscard]] AnswersById change_by_hand(
    Transaction& transaction,
    const StoreContext& context,
    const Batch& batch,
    std::span<const std::string_view> ids,
    schema::TimePoint now
) {
    const BatchOrder& order = batch.order;
    switch (order.operation) {
        case BatchOperation::requeue:
            return requeue_page(transaction, context, ids, new_life_of(batch, ids, now));
        case BatchOperation::remove:
            return remove_page(transaction, context, order.place, ids, now);
        case BatchOperation::change:
            break;
    }
    return change_page(transaction, context, order.place, ids, changes_of(order), now);
}

void count(Batch& batch, std::size_t ids, const AnswersById& answers) {
    std::int64_t answered = 0;
    for (const auto& [id, answer] : answers) {
        ++answered;
        if (answer == JobAnswer::done) {
            ++batch.done;
        } else if (answer == JobAnswer::key_held) {
            ++batch.refused;
        } else {
            ++batch.skipped;
        }
    }
    batch.skipped += static_cast<std::int64_t>(ids) - answered;
}

void pass_over(Batch& batch, const BatchPage& page) {
    const std::size_t meant = page.plain.size() + page.ids.size() + page.carriers.size();
    batch.refused += static_cast<std::int64_t>(meant);
}

/// One page, with the batch's row in hand.
class Page {
public:
    Page(
        Transaction& transaction,
        const StoreContext& context,
        const BatchStep& step,
        schema::TimePoint now
    )
        : transaction_(transaction), context_(context), step_(step), now_(now) {}

    void carry_out(Batch& batch) {
        const JobFilter filter = filter_in(batch.selection);
        const Condition meant = condition_of(filter, batch, transaction_.dialect());
        const std::string plain = step_.looks_at_all
                                      ? std::string(kNoRow)
                                      : plain_condition(transaction_, context_, batch.order);
        BatchStep step = step_;
        step.jobs = plain == kNoRow ? std::min(step.jobs, kJobsByHand) : step.jobs;
        const BatchPage page = read_page(transaction_, batch, meant, step, plain);
        if (step_.passes_over) {
            pass_over(batch, page);
        } else {
            const std::vector<std::string_view> ids(page.plain.begin(), page.plain.end());
            change_plain(
                transaction_,
                context_,
                batch.order,
                {.condition = plain,
                 .meant = meant,
                 .behind = batch.cursor,
                 .last = page.last,
                 .ids = ids},
                now_
            );
            batch.done += static_cast<std::int64_t>(ids.size());
            change_others(batch, page);
        }
        if (page.rows < step.jobs) {
            batch.state = BatchState::done;
            batch.ended = now_;
        }
        batch.cursor = page.last.empty() ? batch.cursor : page.last;
    }

private:
    void change_others(Batch& batch, const BatchPage& page) {
        std::vector<std::string_view> ids(page.ids.begin(), page.ids.end());
        if (batch.order.operation == BatchOperation::remove) {
            batch.refused += static_cast<std::int64_t>(page.carriers.size());
        } else {
            ids.insert(ids.end(), page.carriers.begin(), page.carriers.end());
            std::ranges::sort(ids);
        }
        if (!ids.empty()) {
            const AnswersById answers = change_by_hand(transaction_, context_, batch, ids, now_);
            count(batch, ids.size(), answers);
        }
    }

    Transaction& transaction_;
    const StoreContext& context_;
    const BatchStep& step_;
    const schema::TimePoint now_;
};

[[nodiscard]] bool has_ended(const Batch& batch) {
    return batch.state == BatchState::done || batch.state == BatchState::cancelled;
}

}  // namespace

std::optional<Batch>
BatchStore::step_batch(std::string_view id, const BatchStep& step, schema::TimePoint now) {
    return change_batch(context_, id, [&](Transaction& transaction, Batch& batch) {
        if (batch.state != BatchState::running) {
            return false;
        }
        Page(transaction, context_, step, now).carry_out(batch);
        return true;
    });
}

std::optional<Batch>
BatchStore::set_batch_state(std::string_view id, BatchState state, schema::TimePoint now) {
    return change_batch(context_, id, [&](Transaction& /*transaction*/, Batch& batch) {
        if (has_ended(batch)) {
            return false;
        }
        batch.state = state;
        if (has_ended(batch)) {
            batch.ended = now;
        }
        return true;
    });
}

}  // namespace jobstrand::persistence
