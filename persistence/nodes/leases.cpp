#include "persistence/node_store.hpp"
#include "persistence/nodes/sql_node_store.hpp"
#include "persistence/rows/page_claims.hpp"
#include "persistence/sql/connection.hpp"
#include "persistence/sql/db_error.hpp"
#include "persistence/sql/dialect.hpp"
#include "persistence/sql/many_rows.hpp"
#include "persistence/sql/sql_transaction.hpp"
#include "schema/time.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <utility>

namespace jobstrand::persistence {

namespace {

constexpr std::string_view kOther = R"sql(
    SELECT NODE_
    FROM JS_NODE
    WHERE LOCKS_ <> ? AND NODE_ <> ? AND LEASE_EXP_TIME_ >= ?
    ORDER BY NODE_
    LIMIT 1)sql";

constexpr std::string_view kClaim = R"sql(
    SELECT OWNER_
    FROM JS_CLAIM
    WHERE ID_ > 0 AND OWNER_ <> ? AND LOCK_EXP_TIME_ >= ?
    ORDER BY OWNER_
    LIMIT 1)sql";

DbError disagreement(std::string_view node, std::string_view ours) {
    return {
        DbErrorKind::other,
        fmt::format(
            "node {} locks jobs otherwise than this one, whose lockGranularity is {}: give all "
            "nodes of the database the same one, and stop that node or wait until its locks are "
            "over",
            node,
            ours
        )};
}

/// Throws DbError `other`, which says what to do, when a living node locks otherwise than this one
/// does, or when jobs are still held so. To a node that locks rows, jobs that a claim holds look
/// free. The gate keeps two nodes from registering at the same time without seeing each other.
void require_same_locks(
    Transaction& transaction,
    const NodeIdentity& identity,
    schema::TimePoint now
) {
    close_gate(transaction);
    const std::string_view ours = name_of(identity.locks);
    const std::string_view node = identity.node;
    std::string other = one_text(transaction, kOther, {ours, node, now});
    if (other.empty() && identity.locks == schema::LockGranularity::row) {
        other = one_text(transaction, kClaim, {node, now});
    }
    if (!other.empty()) {
        throw disagreement(other, ours);
    }
}

constexpr std::string_view kInsert = R"sql(
    INSERT INTO JS_NODE (NODE_, INCARNATION_, HOST_, PROCESS_, VERSION_, STARTED_, LEASE_EXP_TIME_,
        LOCKS_)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?))sql";

constexpr std::string_view kForgetLost = R"sql(
    DELETE FROM JS_NODE
    WHERE STATE_ = 'lost' AND (NODE_ = ? OR LEASE_EXP_TIME_ < ?))sql";

constexpr std::string_view kForget = R"sql(
    DELETE FROM JS_NODE
    WHERE NODE_ = ?)sql";

constexpr std::string_view kLeave = R"sql(
    DELETE FROM JS_NODE
    WHERE NODE_ = ? AND INCARNATION_ = ?)sql";

constexpr std::string_view kRenew = R"sql(
    UPDATE JS_NODE
    SET LEASE_EXP_TIME_ = ?, WORKERS_ = ?, RUNNING_ = ?, HELD_ = ?
    WHERE NODE_ = ? AND INCARNATION_ = ? AND STATE_ <> 'lost')sql";

// Nearly always the lease is held, and nobody drains the node.
constexpr std::string_view kRenewRunning = R"sql(
    UPDATE JS_NODE
    SET LEASE_EXP_TIME_ = ?, WORKERS_ = ?, RUNNING_ = ?, HELD_ = ?
    WHERE NODE_ = ? AND INCARNATION_ = ? AND STATE_ = ?)sql";

constexpr std::string_view kState = R"sql(
    SELECT STATE_
    FROM JS_NODE
    WHERE NODE_ = ? AND STATE_ <> 'lost')sql";

constexpr std::string_view kSetState = R"sql(
    UPDATE JS_NODE
    SET STATE_ = ?
    WHERE NODE_ = ? AND STATE_ <> 'lost')sql";

constexpr std::string_view kExpired = R"sql(
    SELECT NODE_
    FROM JS_NODE
    WHERE STATE_ <> 'lost' AND LEASE_EXP_TIME_ < ? AND (
        LEASE_EXP_TIME_ < ? OR
        NOT EXISTS (SELECT 1 FROM JS_NODE F WHERE F.NODE_ < ? AND F.LEASE_EXP_TIME_ >= ?)
    )
    ORDER BY NODE_)sql";

constexpr std::string_view kLivingBefore = R"sql(
    SELECT COUNT(*)
    FROM JS_NODE
    WHERE NODE_ < ? AND STATE_ <> 'lost' AND LEASE_EXP_TIME_ >= ?)sql";

// The node may have renewed it since it was read. Its row is kept for a day, for people who ask
// what has become of it.
constexpr std::string_view kEndLease = R"sql(
    UPDATE JS_NODE
    SET STATE_ = 'lost'
    WHERE NODE_ = ? AND LEASE_EXP_TIME_ < ? AND STATE_ <> 'lost')sql";

// The tables are read from end to end, since an index on the owner would cost each claim; nodes do
// not die often.
constexpr std::string_view kLocked = R"sql(
    SELECT ID_, LOCK_OWNER_
    FROM {table}
    WHERE ID_ >= ? AND LOCK_OWNER_ IN (...)
    ORDER BY ID_
    LIMIT ?)sql";

// REV_ stays: until a reset frees the job, a node that comes back may renew its lock, and go on.
constexpr std::string_view kEndLocks = R"sql(
    UPDATE {table} {by_id}
    SET LOCK_EXP_TIME_ = ?
    WHERE ID_ IN (...) AND LOCK_OWNER_ = ? AND LOCK_EXP_TIME_ > ?)sql";

/// What a node has locked, by table.
using Locked = std::map<std::string_view, std::vector<std::string>>;
using LockedByNode = std::map<std::string, Locked, std::less<>>;

/// Read apart from the write, which would keep others waiting for as long as it takes. What a claim
/// that is under way adds meanwhile is freed when its locks expire.
LockedByNode locked_by(const StoreContext& context, std::span<const std::string_view> nodes) {
    LockedByNode locked;
    for (const std::string_view table : {"ACT_RU_JOB", "ACT_RU_TIMER_JOB", "JS_EXCLUSIVE"}) {
        const std::string sql = fmt::format(kLocked, fmt::arg("table", table));
        context.runner.read([&](Connection& connection) {
            for (auto& [node, tables] : locked) {
                tables[table].clear();
            }
            for (const auto& [part, owners] : cut_id_list(sql, {.ids = nodes})) {
                const auto read = [&](const Row& row) {
                    locked[std::string(row.text(1))][table].emplace_back(row.text(0));
                };
                query_in_pieces(connection, {.sql = part, .columns = 2}, "", owners, read);
            }
        });
    }
    return locked;
}

void end_locks(
    Transaction& transaction,
    std::string_view node,
    const Locked& locked,
    schema::TimePoint now
) {
    // Expired is what ends before the look of a reset.
    const schema::TimePoint over = now - schema::Duration(1);
    end_claims_of(transaction, node, over);
    for (const auto& [table, names] : locked) {
        const std::string sql = fmt::format(
            kEndLocks, fmt::arg("table", table), fmt::arg("by_id", transaction.dialect().by_id)
        );
        const std::vector<std::string_view> ids(names.begin(), names.end());
        const IdListParameters parameters{.before = {over}, .ids = ids, .after = {node, over}};
        execute_for_ids(transaction, sql, parameters);
    }
}

bool is_known(const StoreContext& context, std::string_view node) {
    return context.runner.read([&](Connection& connection) {
        return has_row(connection, kState, {node});
    });
}

/// The count of jobs as SQL takes it.
Value number(std::size_t count) {
    return static_cast<std::int64_t>(count);
}

/// With one statement, and no transaction around it. `values` are those of kRenew.
bool renew_running(const StoreContext& context, std::vector<Value> values) {
    values.emplace_back(name_of(NodeState::running));
    std::int64_t renewed = 0;
    context.runner.change([&](Connection& connection) {
        renewed = connection.execute(kRenewRunning, values);
    });
    return renewed > 0;
}

}  // namespace

void SqlNodeStore::register_node(
    const NodeIdentity& identity,
    const ServedJobs& served,
    schema::TimePoint now,
    schema::TimePoint until
) {
    const std::string_view node = identity.node;
    LockedByNode locked =
        is_known(context_, node) ? locked_by(context_, {&node, 1}) : LockedByNode();
    context_.runner.run(
        [&](Transaction& transaction) {
            require_same_locks(transaction, identity, now);
            transaction.execute(kForgetLost, {node, now - kLostFor});
            if (transaction.execute(kForget, {node}) > 0) {
                end_locks(transaction, node, locked[identity.node], now);
            }
            transaction.execute(
                kInsert,
                {node,
                 std::string_view(identity.incarnation),
                 std::string_view(identity.host),
                 identity.process,
                 std::string_view(identity.version),
                 now,
                 until,
                 name_of(identity.locks)}
            );
            replace_served(transaction, node, served);
            replace_work(transaction, node, {});
            replace_asked(transaction, node, {});
        },
        run_again
    );
}

LeaseAnswer SqlNodeStore::renew_lease(
    const NodeIdentity& identity,
    const NodeLoad& load,
    schema::TimePoint until
) {
    const std::string_view node = identity.node;
    std::vector<Value> values{
        until,
        number(load.workers),
        number(load.running),
        number(load.held),
        node,
        std::string_view(identity.incarnation)};
    if (renew_running(context_, values)) {
        return {.is_held = true, .state = NodeState::running};
    }
    LeaseAnswer answer;
    context_.runner.run(
        [&](Transaction& transaction) {
            const std::int64_t renewed = transaction.execute(kRenew, values);
            answer = {.is_held = renewed > 0};
            transaction.query({.sql = kState, .columns = 1}, {node}, [&](const Row& row) {
                answer.is_taken_over = !answer.is_held;
                answer.state = node_state_in(row.text(0));
            });
        },
        run_again
    );
    return answer;
}

void SqlNodeStore::leave(const NodeIdentity& identity) {
    const std::string_view node = identity.node;
    context_.runner.run(
        [&](Transaction& transaction) {
            if (transaction.execute(kLeave, {node, std::string_view(identity.incarnation)}) > 0) {
                replace_served(transaction, node, {});
                replace_work(transaction, node, {});
                replace_asked(transaction, node, {});
            }
        },
        run_again
    );
}

std::vector<std::string> SqlNodeStore::end_expired_leases(const LeaseLook& look) {
    const schema::TimePoint now = look.now;
    // Read apart from the write: on SQLite nearly every pass then leaves the writer alone.
    std::vector<std::string> expired = context_.runner.read([&](Connection& connection) {
        return all_texts(connection, kExpired, {now, now - look.patience, look.by, now});
    });
    std::vector<std::string> ended;
    if (expired.empty()) {
        return ended;
    }
    // Nodes that die together are looked for together: the tables may be long.
    LockedByNode locked =
        locked_by(context_, std::vector<std::string_view>(expired.begin(), expired.end()));
    for (std::string& node : expired) {
        bool is_ended = false;
        context_.runner.run(
            [&](Transaction& transaction) {
                is_ended = transaction.execute(kEndLease, {std::string_view(node), now}) > 0;
                if (is_ended) {
                    transaction.execute(kForgetLost, {std::string_view(), now - kLostFor});
                    replace_served(transaction, node, {});
                    replace_work(transaction, node, {});
                    replace_asked(transaction, node, {});
                    end_locks(transaction, node, locked[node], now);
                }
            },
            run_again
        );
        if (is_ended) {
            ended.push_back(std::move(node));
        }
    }
    return ended;
}

std::int64_t SqlNodeStore::living_before(std::string_view node, schema::TimePoint now) {
    return context_.runner.read([&](Connection& connection) {
        return one_number(connection, kLivingBefore, {node, now});
    });
}

bool SqlNodeStore::set_node_state(std::string_view node, NodeState state) {
    bool is_there = false;
    context_.runner.run(
        [&](Transaction& transaction) {
            is_there = transaction.execute(kSetState, {name_of(state), node}) > 0;
        },
        run_again
    );
    return is_there;
}

namespace {

constexpr std::string_view kNodes = R"sql(
    SELECT NODE_, INCARNATION_, HOST_, PROCESS_, VERSION_, STATE_, WORKERS_, RUNNING_, HELD_,
           STARTED_, LEASE_EXP_TIME_, STANDSTILL_
    FROM JS_NODE
    WHERE STATE_ <> 'lost'
    ORDER BY NODE_)sql";

constexpr std::string_view kLost = R"sql(
    SELECT NODE_, INCARNATION_, HOST_, PROCESS_, VERSION_, STATE_, WORKERS_, RUNNING_, HELD_,
           STARTED_, LEASE_EXP_TIME_, STANDSTILL_
    FROM JS_NODE
    WHERE STATE_ = 'lost' AND LEASE_EXP_TIME_ >= ?
    ORDER BY LEASE_EXP_TIME_ DESC, NODE_)sql";

constexpr std::string_view kServed = R"sql(
    SELECT NODE_, HANDLER_TYPE_, NEEDS_
    FROM JS_SERVED
    ORDER BY NODE_, HANDLER_TYPE_, NEEDS_)sql";

constexpr std::string_view kDraining = "draining";
constexpr std::string_view kIsLost = "lost";

std::string text_in(const Row& row, std::size_t column) {
    return std::string(row.text(column));
}

std::size_t count_in(const Row& row, std::size_t column) {
    return static_cast<std::size_t>(row.integer(column));
}

Node node_in(const Row& row) {
    return {
        .identity =
            {.node = text_in(row, 0),
             .incarnation = text_in(row, 1),
             .host = text_in(row, 2),
             .process = row.integer(3),
             .version = text_in(row, 4)},
        .load =
            {.workers = count_in(row, 6), .running = count_in(row, 7), .held = count_in(row, 8)},
        .state = node_state_in(row.text(5)),
        .started = row.time(9).value_or(schema::TimePoint{}),
        .lease_until = row.time(10).value_or(schema::TimePoint{}),
        .standstill = text_in(row, 11),
    };
}

}  // namespace

std::string_view name_of(NodeState state) {
    switch (state) {
        case NodeState::draining:
            return kDraining;
        case NodeState::lost:
            return kIsLost;
        case NodeState::running:
            break;
    }
    return "running";
}

NodeState node_state_in(std::string_view text) {
    if (text == kIsLost) {
        return NodeState::lost;
    }
    return text == kDraining ? NodeState::draining : NodeState::running;
}

std::vector<Node> SqlNodeStore::lost_nodes(schema::TimePoint now) {
    return context_.runner.read([&](Connection& connection) {
        return all_rows(connection, {.sql = kLost, .columns = 12}, {now - kLostFor}, node_in);
    });
}

std::vector<Node> SqlNodeStore::nodes() {
    std::map<std::string, Node, std::less<>> nodes;
    context_.runner.read([&](Connection& connection) {
        nodes.clear();
        connection.query({.sql = kNodes, .columns = 12}, {}, [&](const Row& row) {
            Node node = node_in(row);
            nodes.emplace(node.identity.node, std::move(node));
        });
        connection.query({.sql = kServed, .columns = 3}, {}, [&](const Row& row) {
            if (const auto found = nodes.find(row.text(0)); found != nodes.end()) {
                const bool is_type = !row.text(1).empty();
                Node& node = found->second;
                (is_type ? node.handler_types : node.needs).emplace_back(row.text(is_type ? 1 : 2));
            }
        });
        for (auto& [name, limits] : limits_of_nodes(connection)) {
            if (const auto found = nodes.find(name); found != nodes.end()) {
                found->second.scope = std::move(limits.scope);
                found->second.fetching = limits.fetching;
            }
        }
    });
    std::vector<Node> list;
    for (auto& [name, node] : nodes) {
        std::ranges::sort(node.needs);  // Each database has an alphabet of its own.
        list.push_back(std::move(node));
    }
    return list;
}

}  // namespace jobstrand::persistence
