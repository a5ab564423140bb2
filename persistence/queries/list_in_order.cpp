#include "persistence/queries/job_filter_sql.hpp"
#include "persistence/rows/engine_columns.hpp"
#include "persistence/rows/job_rows.hpp"
#include "persistence/rows/sql_operator_store.hpp"
#include "persistence/sql/sql_values.hpp"
#include "schema/ensure.hpp"
#include "schema/job_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>

namespace jobstrand::persistence {

namespace {

using schema::Job;
using schema::JobPlace;

// Databases differ in where they sort what has no value, so those without one are a list of their
// own behind the others, in either direction. So an index of the column serves the first.
constexpr std::string_view kWithValue = R"sql(
    SELECT {columns}
    FROM {table}
    WHERE {by} IS NOT NULL AND {behind} AND {condition}
    ORDER BY {by} {direction}, ID_ {direction}
    LIMIT ? OFFSET ?)sql";

constexpr std::string_view kWithoutValue = R"sql(
    SELECT {columns}
    FROM {table}
    WHERE {by} IS NULL AND {behind} AND {condition}
    ORDER BY ID_ {direction}
    LIMIT ? OFFSET ?)sql";

constexpr std::string_view kCountWithValue = R"sql(
    SELECT COUNT(*)
    FROM {table}
    WHERE {by} IS NOT NULL AND {condition})sql";

constexpr std::string_view kAhead = R"sql(
    SELECT ID_, {by}
    FROM {table}
    WHERE {by} IS NOT NULL AND {behind}
    ORDER BY {by} {direction}, ID_ {direction}
    LIMIT ? OFFSET ?)sql";

constexpr std::string_view kId = "ID_";

/// An empty text is none.
std::string sorted_by(const schema::JobMember& by, const Dialect& dialect) {
    const std::string_view column = expression_for(schema::field_of(by).column.name, dialect);
    const bool may_be_empty =
        std::holds_alternative<std::string schema::Job::*>(by) && column != kId;
    return may_be_empty ? fmt::format("NULLIF({}, '')", column) : std::string(column);
}

/// Nothing: it has none. Texts are borrowed from the job.
std::optional<Value> value_in(const Job& job, const schema::JobMember& by) {
    return std::visit(
        [&](auto member) -> std::optional<Value> {
            const auto& value = job.*member;
            using Type = std::decay_t<decltype(value)>;
            if constexpr (std::is_same_v<Type, std::optional<schema::TimePoint>>) {
                return value ? std::optional<Value>(*value) : std::nullopt;
            } else if constexpr (std::is_same_v<Type, std::string>) {
                return value.empty() ? std::nullopt : std::optional<Value>(std::string_view(value));
            } else if constexpr (std::is_same_v<Type, bool>) {
                return Value(value);
            } else {
                return Value(static_cast<std::int64_t>(value));
            }
        },
        by
    );
}

/// Then no job without a value matches, and none has to be looked for: a database would read all
/// jobs to say so.
bool is_bound_by_time(const JobFilter& filter, const schema::JobMember& by) {
    return std::holds_alternative<TimeMember>(by) &&
           std::ranges::any_of(filter.fields, [&](const FieldCondition& asked) {
               return asked.member == by && asked.match != FieldCondition::Match::absent;
           });
}

/// One sorted list: its rows with a value, and those without behind them.
class SortedList final {
public:
    SortedList(
        Connection& connection,
        JobPlace place,
        const JobFilter& filter,
        const SortedPart& part
    )
        : connection_(connection),
          place_(place),
          part_(part),
          condition_(condition_of(filter, place, connection.dialect())),
          // Where the place has no such column nobody has a value.
          has_column_(schema::field_of(part.by).is_in(place)),
          by_(has_column_ ? sorted_by(part.by, connection.dialect()) : kId),
          asks_value_(is_bound_by_time(filter, part.by)) {}

    [[nodiscard]] std::vector<Job> read() {
        const std::optional<Value> from = mark();
        if (!part_.behind || from) {
            append(kWithValue, behind_value(from), part_.skipped);
        }
        if (jobs_.size() < part_.limit && by_ != kId && !asks_value_) {
            append(kWithoutValue, behind_id(!part_.behind || from), left_to_skip());
        }
        return std::move(jobs_);
    }

    /// What stands in the place of the last of the rows that are wanted, if there are more.
    [[nodiscard]] std::optional<Job> ahead() {
        Behind behind = behind_value(mark());
        // One more tells whether there are more.
        behind.parameters.emplace_back(std::int64_t{2});
        behind.parameters.emplace_back(static_cast<std::int64_t>(part_.skipped + part_.limit) - 1);
        std::vector<Job> found;
        connection_.query(
            {.sql = text_of(kAhead, behind.sql), .columns = 2},
            behind.parameters,
            [&](const Row& row) {
                Job& job = found.emplace_back();
                job.id = row.text(0);
                const auto* const time = std::get_if<TimeMember>(&part_.by);
                if (time != nullptr && has_column_) {
                    job.** time = time_if_readable(row, 1);
                }
            }
        );
        return found.size() > 1 ? std::optional(std::move(found.front())) : std::nullopt;
    }

private:
    struct Behind {
        std::string sql = "1 = 1";
        std::vector<Value> parameters = {};
    };

    /// The value of the job behind which the list goes on.
    [[nodiscard]] std::optional<Value> mark() const {
        if (!part_.behind) {
            return std::nullopt;
        }
        return has_column_ ? value_in(*part_.behind, part_.by)
                           : std::optional<Value>(std::string_view(part_.behind->id));
    }

    [[nodiscard]] Behind behind_value(const std::optional<Value>& from) const {
        if (!from) {
            return {};
        }
        return {
            .sql = fmt::format(
                "{0} {1}= ? AND ({0} {1} ? OR ID_ {1} ?)", by_, part_.is_descending ? '<' : '>'
            ),
            .parameters = {*from, *from, std::string_view(part_.behind->id)},
        };
    }

    [[nodiscard]] Behind behind_id(bool is_from_the_start) const {
        if (is_from_the_start) {
            return {};
        }
        return {
            .sql = fmt::format("ID_ {} ?", part_.is_descending ? '<' : '>'),
            .parameters = {std::string_view(part_.behind->id)},
        };
    }

    /// How many of those without a value are passed over.
    [[nodiscard]] std::size_t left_to_skip() {
        if (!jobs_.empty() || part_.skipped == 0) {
            return 0;
        }
        const std::int64_t with_value =
            one_number(connection_, text_of(kCountWithValue, {}), condition_.parameters);
        return part_.skipped - static_cast<std::size_t>(with_value);
    }

    [[nodiscard]] std::string text_of(std::string_view sql, const std::string& behind) const {
        return fmt::format(
            fmt::runtime(sql),
            fmt::arg("columns", selected_of(place_, connection_.dialect())),
            fmt::arg("table", schema::table_of(place_)),
            fmt::arg("behind", behind),
            fmt::arg("condition", condition_.sql),
            fmt::arg("by", by_),
            fmt::arg("direction", part_.is_descending ? "DESC" : "ASC")
        );
    }

    void append(std::string_view sql, Behind behind, std::size_t skipped) {
        std::vector<Value>& parameters = behind.parameters;
        parameters.insert(
            parameters.end(), condition_.parameters.begin(), condition_.parameters.end()
        );
        parameters.emplace_back(static_cast<std::int64_t>(part_.limit - jobs_.size()));
        parameters.emplace_back(static_cast<std::int64_t>(skipped));
        connection_.query(
            {.sql = text_of(sql, behind.sql), .columns = fields_of(place_).size()},
            parameters,
            append_to(jobs_, place_)
        );
    }

    Connection& connection_;
    const JobPlace place_;
    const SortedPart& part_;
    const Condition condition_;
    const bool has_column_;
    const std::string by_;
    const bool asks_value_;
    std::vector<Job> jobs_;
};

}  // namespace

std::vector<Job>
SqlOperatorStore::list_in_order(JobPlace place, const JobFilter& filter, const SortedPart& part) {
    JOBSTRAND_ENSURE(filter.ids.empty());
    return context_.runner.read([&](Connection& connection) {
        return SortedList(connection, place, filter, part).read();
    });
}

std::optional<Job> SqlOperatorStore::mark_ahead(JobPlace place, const SortedPart& part) {
    JOBSTRAND_ENSURE(
        part.by == schema::JobMember(&Job::id) || std::holds_alternative<TimeMember>(part.by)
    );
    return context_.runner.read([&](Connection& connection) {
        return SortedList(connection, place, {}, part).ahead();
    });
}

}  // namespace jobstrand::persistence
