#include "persistence/enqueuer_store.hpp"
#include "persistence/operator_store.hpp"
#include "persistence/queries/job_filter_sql.hpp"
#include "persistence/rows/byte_arrays.hpp"
#include "persistence/rows/job_rows.hpp"
#include "persistence/rows/new_dead_letters.hpp"
#include "persistence/rows/page_claims.hpp"
#include "persistence/rows/sql_operator_store.hpp"
#include "persistence/sql/connection.hpp"
#include "persistence/sql/db_error.hpp"
#include "persistence/sql/dialect.hpp"
#include "persistence/sql/many_rows.hpp"
#include "persistence/sql/sql_values.hpp"
#include "schema/ensure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace jobstrand::persistence {

using schema::Job;
using schema::JobPlace;
using schema::PlacedJob;

namespace {

constexpr std::string_view kFailureColumns = "ID_, HANDLER_TYPE_, EXCEPTION_MSG_, FAILED_TIME_";

/// Of a row with these columns. An odd time of somebody else's SQL is none: the message counts.
DeadLetterFailure failure_in(const Row& row) {
    return {
        .id = std::string(row.text(0)),
        .handler_type = std::string(row.text(1)),
        .message = std::string(row.text(2)),
        .failed_time = time_if_readable(row, 3),
    };
}

// The payload comes with the row, so that both are of one moment.
constexpr std::string_view kFind = R"sql(
    SELECT {columns},
        (SELECT {bytes_as_text} FROM ACT_GE_BYTEARRAY WHERE ACT_GE_BYTEARRAY.ID_ = CUSTOM_VALUES_ID_)
    FROM {table}
    WHERE {table}.ID_ = ?)sql";

constexpr std::string_view kList = R"sql(
    SELECT {columns}
    FROM {table}
    WHERE {ids} AND {behind} AND {condition}
    ORDER BY ID_
    LIMIT ?)sql";

constexpr std::string_view kCount = R"sql(
    SELECT COUNT(*)
    FROM {table}
    WHERE {ids} AND {condition})sql";

constexpr std::string_view kDetails = R"sql(
    SELECT {bytes_as_text}
    FROM ACT_GE_BYTEARRAY
    WHERE ID_ = ?)sql";

/// The job in the place where it was just seen. Throws DbError conflict when it has moved on.
PlacedJob read_at(Connection& connection, const JobAddress& address) {
    const std::string sql = fmt::format(
        kFind,
        fmt::arg("columns", selected_of(address.place, connection.dialect())),
        fmt::arg("bytes_as_text", connection.dialect().bytes_as_text),
        fmt::arg("table", schema::table_of(address.place))
    );
    const std::size_t columns = fields_of(address.place).size();
    const std::array<Value, 1> parameters{std::string_view(address.id)};
    std::optional<Job> job;
    connection.query({.sql = sql, .columns = columns + 1}, parameters, [&](const Row& row) {
        job = read_job(row, address.place);
        if (job->payload.empty()) {
            job->payload = connection.dialect().text_of_bytes(row.text(columns));
        }
    });
    if (!job) {
        throw DbError(DbErrorKind::conflict, "the job moved while it was being looked for");
    }
    if (address.place == JobPlace::executable) {
        mark_claimed(connection, std::span(&*job, 1));
    }
    return {.place = address.place, .job = std::move(*job)};
}

std::string_view ids_condition(const JobFilter& filter) {
    return filter.ids.empty() ? "1 = 1" : "ID_ IN (...)";
}

/// One statement, or several when the filter names many ids: these are in id order too.
std::vector<BoundStatement>
bind_filtered(std::string sql, const JobFilter& filter, std::vector<Value> parameters) {
    if (filter.ids.empty()) {
        return {{.sql = std::move(sql), .parameters = std::move(parameters)}};
    }
    const std::set<std::string_view> unique(filter.ids.begin(), filter.ids.end());
    const std::vector<std::string_view> ids(unique.begin(), unique.end());
    return cut_id_list(sql, {.ids = ids, .after = std::move(parameters)});
}

/// What is read of each row of a place.
struct Selection {
    JobPlace place;
    std::string_view columns;  ///< Empty: all.
    std::size_t count;
};

struct Part {
    std::string_view after;
    std::size_t limit;
};

/// Returns whether there were rows that no id finds; they are left out.
bool read_list(
    Connection& connection,
    const Selection& selection,
    const JobFilter& filter,
    const Part& part,
    const RowReader& read
) {
    const Condition condition = condition_of(filter, selection.place, connection.dialect());
    std::string sql = fmt::format(
        kList,
        fmt::arg(
            "columns",
            selection.columns.empty() ? selected_of(selection.place, connection.dialect())
                                      : selection.columns
        ),
        fmt::arg("table", schema::table_of(selection.place)),
        fmt::arg("ids", ids_condition(filter)),
        fmt::arg("behind", ids_behind(part.after)),
        fmt::arg("condition", condition.sql)
    );
    std::vector<Value> parameters{part.after};
    parameters.insert(parameters.end(), condition.parameters.begin(), condition.parameters.end());
    parameters.emplace_back(static_cast<std::int64_t>(part.limit));
    std::size_t rows = 0;
    bool is_any_nameless = false;
    const RowReader read_first = [&](const Row& row) {
        if (rows++ >= part.limit) {
            return;
        }
        if (is_nameless(row)) {
            is_any_nameless = true;
        } else {
            read(row);
        }
    };
    for (const auto& [text, values] : bind_filtered(std::move(sql), filter, parameters)) {
        if (rows < part.limit) {
            connection.query({.sql = text, .columns = selection.count}, values, read_first);
        }
    }
    return is_any_nameless;
}

/// Reads a list on a reading connection; `clear` begins anew. Where rows have no id by which the
/// next page could begin behind them, or an operator could mean them, they get one first.
void read_whole_list(
    const StoreContext& context,
    const Selection& selection,
    const JobFilter& filter,
    const Part& part,
    const std::function<void()>& clear,
    const RowReader& read
) {
    bool is_any_nameless = false;
    const auto read_once = [&](Connection& connection) {
        clear();
        is_any_nameless = read_list(connection, selection, filter, part, read);
    };
    context.runner.read(read_once);
    if (is_any_nameless) {
        context.runner.run(
            [&](Transaction& transaction) { name_nameless(transaction, context, selection.place); },
            run_again
        );
        context.runner.read(read_once);
    }
}

std::int64_t count_filtered(Connection& connection, JobPlace place, const JobFilter& filter) {
    const Condition condition = condition_of(filter, place, connection.dialect());
    std::string sql = fmt::format(
        kCount,
        fmt::arg("table", schema::table_of(place)),
        fmt::arg("ids", ids_condition(filter)),
        fmt::arg("condition", condition.sql)
    );
    std::int64_t total = 0;
    for (const auto& [text, values] : bind_filtered(std::move(sql), filter, condition.parameters)) {
        total += one_number(connection, text, values);
    }
    return total;
}

}  // namespace

std::optional<PlacedJob> SqlOperatorStore::find(std::string_view id) {
    return context_.runner.read([&](Connection& connection) {
        const auto address = find_any(connection, std::span(&id, 1));
        return address ? std::optional<PlacedJob>(read_at(connection, *address)) : std::nullopt;
    });
}

bool EnqueuerStore::is_stored(std::string_view id) {
    return SqlOperatorStore(context_).find(id).has_value();
}

std::vector<Job> SqlOperatorStore::list(
    JobPlace place,
    const JobFilter& filter,
    std::string_view after,
    std::size_t limit
) {
    const Selection row{place, {}, fields_of(place).size()};
    std::vector<Job> jobs;
    read_whole_list(
        context_, row, filter, {after, limit}, [&] { jobs.clear(); }, append_to(jobs, place)
    );
    if (place == JobPlace::executable) {
        context_.runner.read([&](Connection& connection) { mark_claimed(connection, jobs); });
    }
    return jobs;
}

std::vector<std::string> SqlOperatorStore::list_ids(
    JobPlace place,
    const JobFilter& filter,
    std::string_view after,
    std::size_t limit
) {
    std::vector<std::string> ids;
    const RowReader read_id = [&](const Row& row) { ids.emplace_back(row.text(0)); };
    read_whole_list(
        context_, {place, "ID_", 1}, filter, {after, limit}, [&] { ids.clear(); }, read_id
    );
    return ids;
}

std::vector<DeadLetterFailure> SqlOperatorStore::list_failures(
    const JobFilter& filter,
    std::string_view after,
    std::size_t limit
) {
    std::vector<DeadLetterFailure> failures;
    const RowReader read_failure = [&](const Row& row) { failures.push_back(failure_in(row)); };
    read_whole_list(
        context_,
        {JobPlace::dead_letter, kFailureColumns, 4},
        filter,
        {after, limit},
        [&] { failures.clear(); },
        read_failure
    );
    return failures;
}

std::int64_t SqlOperatorStore::count(JobPlace place, const JobFilter& filter) {
    return context_.runner.read([&](Connection& connection) {
        return count_filtered(connection, place, filter);
    });
}

std::string SqlOperatorStore::exception_details(const Job& job) {
    const std::array<Value, 1> parameters{std::string_view(job.exception_stack_id)};
    return context_.runner.read([&](Connection& connection) {
        const Dialect& dialect = connection.dialect();
        const std::string sql =
            fmt::format(kDetails, fmt::arg("bytes_as_text", dialect.bytes_as_text));
        const auto details_in = [&](const Row& row) { return dialect.text_of_bytes(row.text(0)); };
        return one_row(connection, {.sql = sql, .columns = 1}, parameters, details_in)
            .value_or(std::string());
    });
}

namespace {

// Databases differ in where they sort what has no time, so those without one are a list of their
// own behind the others. An index serves each.
constexpr std::string_view kDated = R"sql(
    SELECT {columns}
    FROM ACT_RU_DEADLETTER_JOB
    WHERE {behind} AND {condition}
    ORDER BY FAILED_TIME_ DESC, ID_ DESC
    LIMIT ?)sql";

constexpr std::string_view kUndated = R"sql(
    SELECT {columns}
    FROM ACT_RU_DEADLETTER_JOB
    WHERE FAILED_TIME_ IS NULL AND {behind} AND {condition}
    ORDER BY ID_ DESC
    LIMIT ?)sql";

/// Which part of the list: its statement, and what stands behind the mark.
struct ListPart {
    std::string_view sql;
    std::string_view behind;
    std::vector<Value> parameters;
};

ListPart dated_behind(const std::optional<DeadLetterMark>& mark) {
    if (!mark) {
        return {.sql = kDated, .behind = "FAILED_TIME_ IS NOT NULL", .parameters = {}};
    }
    const schema::TimePoint time = mark->failed_time.value();
    return {
        .sql = kDated,
        .behind = "FAILED_TIME_ <= ? AND (FAILED_TIME_ < ? OR ID_ < ?)",
        .parameters = {time, time, std::string_view(mark->id)},
    };
}

ListPart undated_behind(const std::optional<DeadLetterMark>& mark) {
    if (!mark || mark->failed_time) {
        return {.sql = kUndated, .behind = "1 = 1", .parameters = {}};
    }
    return {.sql = kUndated, .behind = "ID_ < ?", .parameters = {std::string_view(mark->id)}};
}

constexpr auto kDead = schema::JobPlace::dead_letter;

/// What is read of each row, and where it goes.
struct Reading {
    std::string_view columns;
    std::size_t count;
    RowReader read;
};

/// Rows that no id finds are left out; the list in the order of the ids names them. Returns how
/// many rows there were.
std::size_t read_part(
    Connection& connection,
    ListPart part,
    const JobFilter& filter,
    std::size_t limit,
    const Reading& reading
) {
    const Condition condition = condition_of(filter, kDead, connection.dialect());
    const std::string sql = fmt::format(
        fmt::runtime(part.sql),
        fmt::arg("columns", reading.columns),
        fmt::arg("behind", part.behind),
        fmt::arg("condition", condition.sql)
    );
    std::vector<Value>& parameters = part.parameters;
    parameters.insert(parameters.end(), condition.parameters.begin(), condition.parameters.end());
    parameters.emplace_back(static_cast<std::int64_t>(limit));
    std::size_t rows = 0;
    connection.query({.sql = sql, .columns = reading.count}, parameters, [&](const Row& row) {
        if (!is_nameless(row)) {
            reading.read(row);
            ++rows;
        }
    });
    return rows;
}

void read_newest(
    Connection& connection,
    const JobFilter& filter,
    const std::optional<DeadLetterMark>& behind,
    std::size_t limit,
    const Reading& reading
) {
    JOBSTRAND_ENSURE(filter.ids.empty());
    std::size_t rows = 0;
    if (!behind || behind->failed_time) {
        rows = read_part(connection, dated_behind(behind), filter, limit, reading);
    }
    if (rows < limit) {
        (void)read_part(connection, undated_behind(behind), filter, limit - rows, reading);
    }
}

}  // namespace

std::vector<Job> SqlOperatorStore::newest_dead_letters(
    const JobFilter& filter,
    const std::optional<DeadLetterMark>& behind,
    std::size_t limit
) {
    return context_.runner.read([&](Connection& connection) {
        std::vector<Job> jobs;
        const Reading whole{
            selected_of(kDead, connection.dialect()),
            fields_of(kDead).size(),
            append_to(jobs, kDead)};
        read_newest(connection, filter, behind, limit, whole);
        return jobs;
    });
}

std::vector<DeadLetterFailure> SqlOperatorStore::newest_failures(
    const JobFilter& filter,
    const std::optional<DeadLetterMark>& behind,
    std::size_t limit
) {
    return context_.runner.read([&](Connection& connection) {
        std::vector<DeadLetterFailure> failures;
        const auto append = [&](const Row& row) { failures.push_back(failure_in(row)); };
        read_newest(connection, filter, behind, limit, {kFailureColumns, 4, append});
        return failures;
    });
}

}  // namespace jobstrand::persistence
