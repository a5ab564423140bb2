#include "persistence/nodes/sql_node_store.hpp"
#include "persistence/rows/engine_columns.hpp"
#include "persistence/sql/db_error.hpp"
#include "persistence/sql/dialect.hpp"
#include "schema/job_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <set>
#include <utility>

namespace jobstrand::persistence {

namespace {

// A node has one row for each handler type, and one, without a type, for each thing that jobs may
// need.
constexpr std::string_view kForgetServed = R"sql(
    DELETE FROM JS_SERVED
    WHERE NODE_ = ?)sql";

constexpr std::string_view kInsertServed = R"sql(
    INSERT INTO JS_SERVED (NODE_, HANDLER_TYPE_, NEEDS_)
    VALUES (?, ?, ?))sql";

constexpr std::string_view kLiving = R"sql(
    SELECT JS_SERVED.NODE_, HANDLER_TYPE_, NEEDS_
    FROM JS_NODE
    JOIN JS_SERVED ON JS_SERVED.NODE_ = JS_NODE.NODE_
    WHERE LEASE_EXP_TIME_ >= ?)sql";

constexpr std::string_view kForgetScope = R"sql(
    DELETE FROM JS_SCOPE
    WHERE NODE_ = ?)sql";

constexpr std::string_view kInsertScope = R"sql(
    INSERT INTO JS_SCOPE (NODE_, FIELD_, VALUE_)
    VALUES (?, ?, ?))sql";

constexpr std::string_view kScopes = R"sql(
    SELECT NODE_, FIELD_, VALUE_
    FROM JS_SCOPE
    ORDER BY NODE_, FIELD_, VALUE_)sql";

constexpr std::string_view kWaiting = R"sql(
    SELECT COUNT(*), {columns}
    FROM (
        SELECT {expressions}
        FROM ACT_RU_JOB {by_id}
        WHERE LOCK_EXP_TIME_ IS NULL {and_ours}
        ORDER BY ID_
        LIMIT ?
    ) part
    GROUP BY {columns})sql";

/// JS_SCOPE.FIELD_ of the two ends of a range; the others are names of fields.
constexpr std::string_view kLeastPriority = "least priority";
constexpr std::string_view kMostPriority = "most priority";

/// And of what the node does not fetch.
constexpr std::string_view kLeaves = "leaves";
constexpr std::string_view kJobs = "jobs";
constexpr std::string_view kTimers = "timers";

using LimitsByNode = std::map<std::string, NodeLimits, std::less<>>;
using LivingNodes = std::map<std::string, ServedJobs, std::less<>>;

std::string_view name_of(const schema::ScopeList& list) {
    return schema::field_of(list.field).name;
}

/// A number that we have written; anything else leaves it as it is.
void read_number(std::string_view text, std::int64_t& number) {
    (void)std::from_chars(text.data(), text.data() + text.size(), number);
}

void add_value(NodeLimits& limits, std::string_view field, std::string_view value) {
    schema::ServedScope& scope = limits.scope;
    if (field == kLeaves) {
        limits.fetching.jobs = limits.fetching.jobs && value != kJobs;
        limits.fetching.timers = limits.fetching.timers && value != kTimers;
    } else if (field == kLeastPriority) {
        read_number(value, scope.priority_min);
    } else if (field == kMostPriority) {
        read_number(value, scope.priority_max);
    }
    for (const schema::ScopeList& list : schema::kScopeLists) {
        if (name_of(list) == field) {
            (scope.*list.values).emplace_back(value);
        }
    }
}

void replace_limits(Transaction& transaction, std::string_view node, const ServedJobs& served) {
    const schema::ServedScope& scope = served.scope;
    transaction.execute(kForgetScope, {node});
    const auto insert = [&](std::string_view field, std::string_view value) {
        transaction.execute(kInsertScope, {node, field, value});
    };
    if (!schema::has_all_priorities(scope)) {
        insert(kLeastPriority, std::to_string(scope.priority_min));
        insert(kMostPriority, std::to_string(scope.priority_max));
    }
    for (const schema::ScopeList& list : schema::kScopeLists) {
        const std::vector<std::string>& values = scope.*list.values;
        for (const std::string& value : std::set(values.begin(), values.end())) {
            insert(name_of(list), value);
        }
    }
    if (!served.fetching.jobs) {
        insert(kLeaves, kJobs);
    }
    if (!served.fetching.timers) {
        insert(kLeaves, kTimers);
    }
}

LivingNodes living_nodes(Connection& connection, schema::TimePoint now) {
    LivingNodes nodes;
    const Value since{now};
    connection.query({.sql = kLiving, .columns = 3}, {&since, 1}, [&](const Row& row) {
        ServedJobs& node = nodes[std::string(row.text(0))];
        const bool is_type = !row.text(1).empty();
        (is_type ? node.types : node.needs).emplace_back(row.text(is_type ? 1 : 2));
    });
    LimitsByNode limits = limits_of_nodes(connection);
    for (auto& [name, node] : nodes) {
        std::ranges::sort(node.types);
        std::ranges::sort(node.needs);
        if (const auto found = limits.find(name); found != limits.end()) {
            node.scope = std::move(found->second.scope);
            node.fetching = found->second.fetching;
        }
    }
    return nodes;
}

/// A text of a kind, and the list of values that nodes take of it.
struct KindText {
    std::string JobKind::*member;
    schema::ScopeList list;
};
constexpr std::array kKindTexts{
    KindText{&JobKind::category, schema::kScopeLists[0]},
    KindText{&JobKind::tenant_id, schema::kScopeLists[1]},
    KindText{&JobKind::process_definition_id, schema::kScopeLists[2]},
};

schema::Job job_of(const JobKind& kind) {
    schema::Job job;
    job.handler_type = kind.handler_type;
    job.needs = kind.needs;
    job.priority = kind.priority.value_or(job.priority);
    for (const KindText& text : kKindTexts) {
        job.*text.list.field = kind.*text.member;
    }
    return job;
}

bool is_any_serving(const LivingNodes& nodes, const JobKind& kind) {
    const schema::Job job = job_of(kind);
    return std::ranges::any_of(nodes, [&](const auto& node) { return node.second.contains(job); });
}

/// What kinds are told apart by: what no living node is limited to would only cut them up.
class KindColumns final {
public:
    explicit KindColumns(const LivingNodes& nodes) {
        for (const auto& [name, node] : nodes) {
            has_priority_ = has_priority_ || !schema::has_all_priorities(node.scope);
        }
        for (const KindText& text : kKindTexts) {
            if (std::ranges::any_of(nodes, [&](const auto& node) {
                    return !(node.second.scope.*text.list.values).empty();
                })) {
                texts_.push_back(text);
            }
        }
    }

    [[nodiscard]] std::string names() const {
        return list([](std::string_view column) { return std::string(column); });
    }

    /// The same as a SELECT of the rows says it.
    [[nodiscard]] std::string expressions(const Dialect& dialect) const {
        return list([&dialect](std::string_view column) {
            const std::string_view expression = expression_for(column, dialect);
            return expression == column ? std::string(column)
                                        : fmt::format("{} AS {}", expression, column);
        });
    }

    [[nodiscard]] std::size_t count() const { return 2 + texts_.size() + (has_priority_ ? 1 : 0); }

    /// From the columns behind the first one.
    [[nodiscard]] JobKind kind_in(const Row& row) const {
        JobKind kind{.handler_type = std::string(row.text(1)), .needs = std::string(row.text(2))};
        std::size_t column = 2;
        for (const KindText& text : texts_) {
            kind.*text.member = row.text(++column);
        }
        if (has_priority_) {
            kind.priority = priority_in(row, ++column);
        }
        return kind;
    }

private:
    template <typename Say>
    [[nodiscard]] std::string list(const Say& say) const {
        std::string names = "HANDLER_TYPE_, NEEDS_";
        for (const KindText& text : texts_) {
            names += ", " + say(schema::field_of(text.list.field).column.name);
        }
        return has_priority_ ? names + ", PRIORITY_" : names;
    }

    /// Defended catch: what SQLite stores that is no number makes a kind too, until a claim sets it
    /// aside.
    static std::optional<std::int64_t> priority_in(const Row& row, std::size_t column) {
        try {
            return row.integer(column);
        } catch (const DbError&) {
            return std::nullopt;
        }
    }

    bool has_priority_ = false;
    std::vector<KindText> texts_;
};

}  // namespace

JobKind kind_of(const schema::Job& job) {
    JobKind kind{.handler_type = job.handler_type, .needs = job.needs, .priority = job.priority};
    for (const KindText& text : kKindTexts) {
        kind.*text.member = job.*text.list.field;
    }
    return kind;
}

void replace_served(Transaction& transaction, std::string_view node, const ServedJobs& served) {
    transaction.execute(kForgetServed, {node});
    for (const std::string& type : served.types) {
        transaction.execute(kInsertServed, {node, std::string_view(type), std::string_view()});
    }
    for (const std::string& need : served.needs) {
        transaction.execute(kInsertServed, {node, std::string_view(), std::string_view(need)});
    }
    replace_limits(transaction, node, served);
}

LimitsByNode limits_of_nodes(Connection& connection) {
    LimitsByNode limits;
    connection.query({.sql = kScopes, .columns = 3}, {}, [&](const Row& row) {
        add_value(limits[std::string(row.text(0))], row.text(1), row.text(2));
    });
    return limits;
}

void SqlNodeStore::record_served(std::string_view node, const ServedJobs& served) {
    context_.runner.run(
        [&](Transaction& transaction) { replace_served(transaction, node, served); },
        run_again,
        Commit::alone
    );
}

Lack SqlServedStore::lacking(const JobKind& kind, schema::TimePoint now) {
    LivingNodes nodes =
        context_.runner.read([&](Connection& connection) { return living_nodes(connection, now); });
    if (is_any_serving(nodes, kind)) {
        return Lack::nothing;
    }
    for (auto& [name, node] : nodes) {
        node.scope = {};
    }
    if (is_any_serving(nodes, kind)) {
        return Lack::scope;
    }
    const bool has_type = is_any_serving(nodes, {.handler_type = kind.handler_type});
    return has_type ? Lack::needs : Lack::handler_type;
}

std::vector<UnservedJobs> SqlServedStore::unserved(schema::TimePoint now, std::size_t rows) {
    std::vector<UnservedJobs> unserved;
    context_.runner.read([&](Connection& connection) {
        unserved.clear();
        const LivingNodes nodes = living_nodes(connection, now);
        const KindColumns columns(nodes);
        const std::string sql = fmt::format(
            kWaiting,
            fmt::arg("columns", columns.names()),
            fmt::arg("expressions", columns.expressions(connection.dialect())),
            fmt::arg("by_id", connection.dialect().by_id),
            fmt::arg("and_ours", and_ours(connection.dialect()))
        );
        const Value limit{static_cast<std::int64_t>(rows)};
        const Query waiting{.sql = sql, .columns = 1 + columns.count()};
        connection.query(waiting, {&limit, 1}, [&](const Row& row) {
            JobKind kind = columns.kind_in(row);
            if (!is_any_serving(nodes, kind)) {
                unserved.push_back({.kind = std::move(kind), .jobs = row.integer(0)});
            }
        });
    });
    std::ranges::sort(unserved, {}, &UnservedJobs::kind);
    return unserved;
}

}  // namespace jobstrand::persistence
