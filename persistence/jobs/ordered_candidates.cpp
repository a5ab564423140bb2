#include "persistence/claim_request.hpp"
#include "persistence/jobs/candidates.hpp"
#include "persistence/jobs/served_condition.hpp"
#include "persistence/rows/job_rows.hpp"
#include "persistence/sql/db_error.hpp"
#include "persistence/sql/dialect.hpp"
#include "persistence/sql/many_rows.hpp"
#include "persistence/sql/sql_transaction.hpp"
#include "schema/limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace jobstrand::persistence {

using schema::AcquisitionOrder;
using schema::Job;
using schema::JobPlace;
using schema::OrderKey;

namespace {

/// Reads free jobs of ranges for update, in their order; those that another node is claiming right
/// now are passed over.
class RangeRows final {
public:
    RangeRows(
        Transaction& transaction,
        const ServedJobs& served,
        const schema::AcquisitionOrder& order
    );

    /// Appends up to `limit` rows of the range behind the position; nullptr: from its start.
    void
    append(JobRows& rows, const IndexRange& range, const RangePosition* behind, std::size_t limit);

    /// The first `most` tenants that have any jobs.
    [[nodiscard]] std::vector<std::string> tenants(std::int64_t most);

    /// The highest priority up to `highest` that any job has; nullopt: there is none.
    [[nodiscard]] std::optional<std::int64_t> next_priority(std::int64_t highest);

private:
    struct Condition;

    [[nodiscard]] Condition condition_of(const IndexRange& range, const RangePosition* behind)
        const;

    Transaction& transaction_;
    const bool is_by_priority_;
    const std::string by_order_;  ///< Makes the database take the index.
    const BoundStatement served_;
};

/// One range, read ahead.
class RangeReader final {
public:
    /// It goes on behind its position, if it has one.
    RangeReader(IndexRange range, const RangePositions& positions);

    /// Whether there is a job, which may ask the database for up to `ahead` of them. What cannot be
    /// read goes to `page`.
    [[nodiscard]] bool has_next(RangeRows& source, std::size_t ahead, JobRows& page);

    /// Precondition for both: has_next() has said so.
    [[nodiscard]] const schema::Job& next() const { return waiting_.front(); }
    [[nodiscard]] schema::Job take_next();

private:
    void read(RangeRows& source, std::size_t ahead, JobRows& page);

    IndexRange range_;
    std::optional<RangePosition> position_;
    std::deque<schema::Job> waiting_;
    bool is_end_ = false;
};

// Where an index must be taken for its order, that names columns which the condition fixes:
// PostgreSQL would else take the order of the key as good enough, and read other ranges on the way.
constexpr std::string_view kNextOfRange = R"sql(
    SELECT {columns}
    FROM ACT_RU_JOB {by_order}
    WHERE {in_range} AND LOCK_EXP_TIME_ IS NULL AND {served}
    ORDER BY {order}
    LIMIT ?
    {skip_locked})sql";

constexpr std::string_view kNextPriority = R"sql(
    SELECT PRIORITY_
    FROM ACT_RU_JOB {by_order}
    WHERE PRIORITY_ <= ? AND HANDLER_TYPE_ IS NOT NULL
    ORDER BY PRIORITY_ DESC
    LIMIT 1)sql";

// From one tenant to the next along the index, so that their jobs are not read.
constexpr std::string_view kTenants = R"sql(
    WITH RECURSIVE T (TENANT_, NUMBER_) AS (
        SELECT (
            SELECT TENANT_ID_
            FROM ACT_RU_JOB {by_order}
            WHERE TENANT_ID_ >= '' AND HANDLER_TYPE_ IS NOT NULL
            ORDER BY TENANT_ID_
            LIMIT 1
        ), 1
        UNION ALL
        SELECT (
            SELECT TENANT_ID_
            FROM ACT_RU_JOB {by_order}
            WHERE TENANT_ID_ > T.TENANT_ AND HANDLER_TYPE_ IS NOT NULL
            ORDER BY TENANT_ID_
            LIMIT 1
        ), NUMBER_ + 1
        FROM T
        WHERE T.TENANT_ IS NOT NULL AND NUMBER_ < ?
    )
    SELECT TENANT_
    FROM T
    WHERE TENANT_ IS NOT NULL)sql";

/// A priority that is no integer, which only SQLite stores, counts as the next lower one.
std::int64_t priority_in(const Row& row) {
    // Defended catch: one such row must not stop the acquisition of all others.
    try {
        return row.integer(0);
    } catch (const DbError& error) {
        if (error.kind() != DbErrorKind::unreadable) {
            throw;
        }
        // The greatest number with a fraction that an integer can follow is 2^63.
        constexpr double kEnd = 9'223'372'036'854'775'808.0;
        const double number = std::floor(row.real(0));
        return number < -kEnd || number >= kEnd ? std::numeric_limits<std::int64_t>::min()
                                                : static_cast<std::int64_t>(number);
    }
}

}  // namespace

/// Which rows stand in a range behind a position, and how they are ordered.
struct RangeRows::Condition {
    std::string sql;
    std::vector<Value> parameters;
    std::string_view order;
};

RangeRows::RangeRows(
    Transaction& transaction,
    const ServedJobs& served,
    const schema::AcquisitionOrder& order
)
    : transaction_(transaction),
      is_by_priority_(order.by_priority),
      by_order_(by_index(transaction.dialect(), schema::index_of(order).index.name)),
      served_(persistence::condition_of(served, transaction.dialect())) {}

RangeRows::Condition RangeRows::condition_of(const IndexRange& range, const RangePosition* behind)
    const {
    const Dialect& dialect = transaction_.dialect();
    const std::string_view id = behind != nullptr ? std::string_view(behind->id) : "";
    if (range.kind == IndexRange::Kind::by_id) {
        // One priority: not less by the first condition, nor more by the second.
        return {
            .sql = fmt::format("{} AND PRIORITY_ <= ?", dialect.behind_in_priority),
            .parameters = {range.priority, id, range.priority},
            .order = "PRIORITY_, ID_",
        };
    }
    if (range.kind == IndexRange::Kind::of_tenant) {
        return {
            .sql = fmt::format("TENANT_ID_ = ? AND {}", ids_behind(id)),
            .parameters = {std::string_view(range.tenant), id},
            .order = "TENANT_ID_, ID_",
        };
    }
    if (range.kind == IndexRange::Kind::no_tenant) {
        return {
            .sql = fmt::format("TENANT_ID_ IS NULL AND {}", ids_behind(id)),
            .parameters = {id},
            .order = dialect.orders_by_null ? "TENANT_ID_, ID_" : "ID_",
        };
    }
    Condition condition{.sql = {}, .parameters = {}, .order = "DUEDATE_, ID_"};
    if (is_by_priority_) {
        condition.sql = "PRIORITY_ = ? AND ";
        condition.parameters.emplace_back(range.priority);
    }
    if (range.kind == IndexRange::Kind::immediate) {
        condition.sql += fmt::format("DUEDATE_ IS NULL AND {}", ids_behind(id));
        condition.parameters.emplace_back(id);
        condition.order = dialect.orders_by_null ? "DUEDATE_, ID_" : "ID_";
    } else if (behind == nullptr || !behind->due_date) {
        condition.sql += dialect.has_due;
    } else {
        condition.sql += dialect.behind_due;
        const std::vector<Value> position{*behind->due_date, *behind->due_date, id};
        condition.parameters.insert(condition.parameters.end(), position.begin(), position.end());
    }
    return condition;
}

void RangeRows::append(
    JobRows& rows,
    const IndexRange& range,
    const RangePosition* behind,
    std::size_t limit
) {
    Condition condition = condition_of(range, behind);
    const std::string sql = fmt::format(
        kNextOfRange,
        fmt::arg("columns", selected_of(JobPlace::executable, transaction_.dialect())),
        fmt::arg("by_order", by_order_),
        fmt::arg("in_range", condition.sql),
        fmt::arg("served", served_.sql),
        fmt::arg("order", condition.order),
        fmt::arg("skip_locked", transaction_.dialect().skip_locked)
    );
    std::vector<Value>& parameters = condition.parameters;
    parameters.insert(parameters.end(), served_.parameters.begin(), served_.parameters.end());
    parameters.emplace_back(static_cast<std::int64_t>(limit));
    transaction_.query(
        {.sql = sql, .columns = fields_of(JobPlace::executable).size()},
        parameters,
        append_to(rows, JobPlace::executable)
    );
}

std::optional<std::int64_t> RangeRows::next_priority(std::int64_t highest) {
    const std::string sql = fmt::format(kNextPriority, fmt::arg("by_order", by_order_));
    return one_row(transaction_, {.sql = sql, .columns = 1}, {highest}, priority_in);
}

std::vector<std::string> RangeRows::tenants(std::int64_t most) {
    const std::string sql = fmt::format(kTenants, fmt::arg("by_order", by_order_));
    return all_texts(transaction_, sql, {most});
}

RangeReader::RangeReader(IndexRange range, const RangePositions& positions)
    : range_(std::move(range)) {
    if (const auto found = positions.find(range_); found != positions.end()) {
        position_ = found->second;
    }
}

bool RangeReader::has_next(RangeRows& source, std::size_t ahead, JobRows& page) {
    if (waiting_.empty() && !is_end_) {
        read(source, ahead, page);
    }
    return !waiting_.empty();
}

void RangeReader::read(RangeRows& source, std::size_t ahead, JobRows& page) {
    JobRows rows;
    source.append(rows, range_, position_ ? &*position_ : nullptr, ahead);
    // What could not be read tells no position: it is dealt with first, and then asked again.
    is_end_ = rows.jobs.size() < ahead;
    if (!rows.jobs.empty()) {
        position_ = position_of(rows.jobs.back());
    }
    for (Job& job : rows.jobs) {
        waiting_.push_back(std::move(job));
    }
    for (Job& job : rows.unreadable) {
        page.unreadable.push_back(std::move(job));
    }
    page.is_any_nameless = page.is_any_nameless || rows.is_any_nameless;
}

Job RangeReader::take_next() {
    Job job = std::move(waiting_.front());
    waiting_.pop_front();
    return job;
}

namespace {

/// How many priorities one transaction looks at, a few short statements each.
constexpr int kPrioritiesPerPage = 1000;

/// How many tenants take turns in one transaction, one statement or two each. Those behind them
/// wait until there are fewer.
constexpr int kTenantsPerPage = 1000;

/// The fewest jobs that are worth a statement, where many ranges share a page.
constexpr std::size_t kLeastAhead = 10;

/// Fills a page from ranges.
class OrderedReading final {
public:
    OrderedReading(Transaction& transaction, const OrderedSearch& search, std::size_t limit)
        : search_(search),
          order_(search.order),
          limit_(limit),
          source_(transaction, search.served, search.order) {
        page_.rest = std::min(search.highest, search.served.scope.priority_max);
        page_.rows.jobs.reserve(std::min(limit, schema::limits::kJobsPerTransaction));
    }

    OrderedPage read() && {
        if (order_.tenants_in_turn) {
            page_.rest.reset();
            take_in_turn();
        } else if (!order_.by_priority) {
            page_.rest.reset();
            take({0});
        } else if (order_.ages()) {
            take(all_priorities());
        } else {
            take_from_the_highest();
        }
        return std::move(page_);
    }

private:
    [[nodiscard]] bool is_full() const { return page_.rows.jobs.size() >= limit_; }

    /// The priority that `rest` comes to, which then is the one below it.
    [[nodiscard]] std::optional<std::int64_t> next_priority() {
        const auto priority = page_.rest ? source_.next_priority(*page_.rest) : std::nullopt;
        const bool is_any = priority && *priority >= search_.served.scope.priority_min;
        const bool is_last = !is_any || *priority == search_.served.scope.priority_min;
        page_.rest = is_last ? std::nullopt : std::optional(*priority - 1);
        return is_any ? priority : std::nullopt;
    }

    [[nodiscard]] std::vector<std::int64_t> all_priorities() {
        std::vector<std::int64_t> all;
        while (all.size() < kPrioritiesPerPage) {
            const auto priority = next_priority();
            if (!priority) {
                break;
            }
            all.push_back(*priority);
        }
        page_.rest.reset();  // What is lower waits until there are fewer.
        return all;
    }

    void take_from_the_highest() {
        for (int i = 0; i < kPrioritiesPerPage && page_.rest && !is_full(); ++i) {
            if (const auto priority = next_priority()) {
                take({*priority});
            }
        }
    }

    /// Of each tenant one job after the other, round by round.
    void take_in_turn() {
        std::vector<RangeReader> ranges;
        for (std::string& tenant : source_.tenants(kTenantsPerPage)) {
            IndexRange range{.kind = IndexRange::Kind::of_tenant, .tenant = std::move(tenant)};
            ranges.emplace_back(std::move(range), search_.behind);
        }
        ranges.emplace_back(IndexRange{.kind = IndexRange::Kind::no_tenant}, search_.behind);
        while (!is_full() && !ranges.empty()) {
            const std::size_t ahead = ahead_in(ranges);
            std::erase_if(ranges, [&](RangeReader& range) {
                const bool is_next = !is_full() && range.has_next(source_, ahead, page_.rows);
                if (is_next) {
                    page_.rows.jobs.push_back(range.take_next());
                }
                return !is_next;
            });
        }
    }

    /// How many jobs of each range are read with one statement.
    [[nodiscard]] std::size_t ahead_in(const std::vector<RangeReader>& ranges) const {
        const std::size_t left = limit_ - page_.rows.jobs.size();
        const std::size_t share = left / std::max(ranges.size(), std::size_t{1});
        return std::min(left, std::max(share, kLeastAhead));
    }

    /// Of these priorities what comes first.
    void take(const std::vector<std::int64_t>& priorities) {
        using enum IndexRange::Kind;
        if (!order_.asks_for_due_dates()) {
            merge(priorities, {by_id});
        } else if (order_.timers_first) {
            merge(priorities, {due});
            merge(priorities, {immediate});
        } else {
            merge(priorities, {due, immediate});
        }
    }

    /// Of these ranges again and again the job that comes first.
    void
    merge(const std::vector<std::int64_t>& priorities, const std::vector<IndexRange::Kind>& kinds) {
        std::vector<RangeReader> ranges;
        for (const std::int64_t priority : priorities) {
            for (const IndexRange::Kind kind : kinds) {
                ranges.emplace_back(IndexRange{priority, kind}, search_.behind);
            }
        }
        while (!is_full()) {
            RangeReader* const first = first_of(ranges);
            if (first == nullptr) {
                return;
            }
            page_.rows.jobs.push_back(first->take_next());
        }
    }

    [[nodiscard]] RangeReader* first_of(std::vector<RangeReader>& ranges) {
        const std::size_t ahead = ahead_in(ranges);
        RangeReader* first = nullptr;
        OrderKey least;
        for (RangeReader& range : ranges) {
            if (!range.has_next(source_, ahead, page_.rows)) {
                continue;
            }
            const OrderKey key = schema::order_key(order_, range.next());
            if (first == nullptr || key < least) {
                first = &range;
                least = key;
            }
        }
        return first;
    }

    const OrderedSearch& search_;
    const AcquisitionOrder& order_;
    const std::size_t limit_;
    RangeRows source_;
    OrderedPage page_;
};

}  // namespace

OrderedPage
ordered_candidates(Transaction& transaction, const OrderedSearch& search, std::size_t limit) {
    return OrderedReading(transaction, search, limit).read();
}

}  // namespace jobstrand::persistence
