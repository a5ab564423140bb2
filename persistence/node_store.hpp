#pragma once

#include "persistence/claim_request.hpp"
#include "schema/acquisition.hpp"
#include "schema/job.hpp"
#include "schema/time.hpp"

#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::persistence {

/// A job that a node runs. The revision tells this run from an earlier one of the same job.
struct LongRun {
    std::string id;
    std::int64_t revision = 0;
    schema::TimePoint since;

    bool operator==(const LongRun&) const = default;
};

/// How many runs of a handler type have ended, whatever they came to.
struct TypeRuns {
    std::string handler_type;
    std::int64_t runs = 0;
    std::int64_t failed = 0;  ///< Of them.
    /// In which time: a minute, or less where nobody has counted for so long. Of several nodes
    /// together it is the one that gives the sum of their rates.
    schema::Duration span = std::chrono::minutes(1);

    bool operator==(const TypeRuns&) const = default;
};

/// What a node does, beside its load.
struct NodeWork {
    /// At most so many of each list: the longest runs, the most frequent types.
    static constexpr std::size_t kMost = 100;

    std::vector<LongRun> runs = {};          ///< Those that are longer than a moment, by id.
    std::vector<TypeRuns> last_minute = {};  ///< By handler type.
    std::string standstill = {};             ///< Why it does not get on; empty: it does.

    bool operator==(const NodeWork&) const = default;
};

/// An external worker that asks for jobs of a type.
struct AskedTopic {
    static constexpr std::size_t kMost = 500;                            ///< That a node tells of.
    static constexpr schema::Duration kLasts = std::chrono::minutes(5);  ///< Then it is forgotten.

    std::string topic;
    std::string worker;
    schema::TimePoint last;

    bool operator==(const AskedTopic&) const = default;
};

/// Who a node is. Its name stands in LOCK_OWNER_ of the jobs that it holds.
struct NodeIdentity {
    std::string node;
    /// Drawn anew by each executor, so that two with one name tell themselves apart.
    std::string incarnation;
    std::string host = {};
    std::int64_t process = 0;
    std::string version = {};
    /// All living nodes lock alike.
    schema::LockGranularity locks = schema::LockGranularity::row;
};

struct NodeLoad {
    std::size_t workers = 0;
    std::size_t running = 0;  ///< Handlers.
    std::size_t held = 0;     ///< Jobs with its lock: queued, running, or about to be written.
};

enum class NodeState {
    running,
    draining,  ///< It ends what it holds and takes nothing more, until an operator says so.
    lost,      ///< Its lease was ended because it did not renew it.
};

[[nodiscard]] std::string_view name_of(NodeState state);

/// What became of a node's wish to live on.
struct LeaseAnswer {
    bool is_held = false;
    /// Another executor has registered under its name.
    bool is_taken_over = false;
    NodeState state = NodeState::running;
};

/// A node as others see it.
struct Node {
    NodeIdentity identity;
    NodeLoad load;
    NodeState state = NodeState::running;
    schema::TimePoint started;
    schema::TimePoint lease_until;
    std::string standstill = {};  ///< Why it does not get on, as it says; empty: it does.
    std::vector<std::string> handler_types = {};  ///< In alphabetical order.
    std::vector<std::string> needs = {};          ///< See ServedJobs; likewise.
    schema::ServedScope scope = {};
    Fetching fetching = {};
};

/// A search for leases that were not renewed.
struct LeaseLook {
    LeaseLook(schema::TimePoint as_of) : now(as_of) {}
    LeaseLook(schema::TimePoint as_of, std::string_view node, schema::Duration left_to_first)
        : now(as_of), by(node), patience(left_to_first) {}

    schema::TimePoint now;
    std::string_view by = {};
    /// How long it leaves a dead node to the living one that is first by name, so that not all
    /// nodes read the job tables for it.
    schema::Duration patience{0};
};

/// The nodes that live: each has a row with a lease, which it renews, and others end the leases of
/// those that do not. With its lease a node loses all its locks. See Transactions for what holds
/// for all roles.
class NodeStore {
public:
    virtual ~NodeStore() = default;

    /// The node lives until `until`, and serves this. What an earlier executor of its name has left
    /// loses its locks at once. Throws DbError `other` while a node lives that locks otherwise.
    virtual void register_node(
        const NodeIdentity& identity,
        const ServedJobs& served,
        schema::TimePoint now,
        schema::TimePoint until
    ) = 0;

    virtual LeaseAnswer
    renew_lease(const NodeIdentity& identity, const NodeLoad& load, schema::TimePoint until) = 0;

    /// What the node serves from now on.
    virtual void record_served(std::string_view node, const ServedJobs& served) = 0;

    /// What the node does now, in place of what it told before.
    virtual void record_work(std::string_view node, const NodeWork& work) = 0;

    /// What external workers have asked this node for lately, in place of what it told before.
    virtual void record_asked(std::string_view node, std::span<const AskedTopic> asked) = 0;

    /// Returns when each worker last asked for each topic, over all living nodes, by topic and
    /// worker.
    [[nodiscard]] virtual std::vector<AskedTopic> asked_topics(schema::TimePoint now) = 0;

    /// Since when a node has been running a job; nullopt: it does not, or not for long.
    [[nodiscard]] virtual std::optional<schema::TimePoint>
    running_since(std::string_view node, std::string_view job, std::int64_t revision) = 0;

    /// Returns the runs of all living nodes together, by handler type.
    [[nodiscard]] virtual std::vector<TypeRuns> runs_of_last_minute(schema::TimePoint now) = 0;

    /// The node has stopped. Its locks, if it left any, are not touched.
    virtual void leave(const NodeIdentity& identity) = 0;

    /// Ends the leases that were not renewed, and with them their nodes' locks: these are expired
    /// then, and await the reset. Returns the nodes.
    [[nodiscard]] virtual std::vector<std::string> end_expired_leases(const LeaseLook& look) = 0;

    /// How many living nodes come before this one by name.
    [[nodiscard]] virtual std::int64_t
    living_before(std::string_view node, schema::TimePoint now) = 0;

    /// Returns the nodes that are not lost, by name.
    [[nodiscard]] virtual std::vector<Node> nodes() = 0;

    /// Returns the nodes that were lost within the last day, the latest first: `lease_until` is
    /// when their lease ended.
    [[nodiscard]] virtual std::vector<Node> lost_nodes(schema::TimePoint now) = 0;

    /// The node obeys when it renews its lease. false: there is no such node.
    [[nodiscard]] virtual bool set_node_state(std::string_view node, NodeState state) = 0;
};

/// What keeps a node on the database's time needs of the store. See Transactions for what holds
/// for all roles.
class ClockSource {
public:
    virtual ~ClockSource() = default;

    /// What the database's clock shows now, to the millisecond; nullopt: it has none of its own
    /// (SQLite), and the machine's counts.
    [[nodiscard]] virtual std::optional<schema::TimePoint> database_now() = 0;
};

/// What decides which nodes can run a job: its handler type, what it needs beside that (see
/// schema::Job::needs), and what else a node may be limited to (see schema::ServedScope).
struct JobKind {
    std::string handler_type = {};
    std::string needs = {};  ///< Empty: nothing, or nobody has read it yet.

    // Of unserved jobs, only what some living node is limited to; else as if there were none.
    std::optional<std::int64_t> priority = {};
    std::string category = {};
    std::string tenant_id = {};
    std::string process_definition_id = {};

    auto operator<=>(const JobKind&) const = default;
};

/// What no living node has for a job that it could run otherwise.
enum class Lack {
    nothing,       ///< Some node takes it.
    handler_type,  ///< A handler.
    needs,         ///< What it needs beside that.
    scope,         ///< Nodes that have both are limited to other jobs.
};

[[nodiscard]] JobKind kind_of(const schema::Job& job);

/// Free executable jobs that no living node takes.
struct UnservedJobs {
    JobKind kind;
    std::int64_t jobs = 0;

    bool operator==(const UnservedJobs&) const = default;
};

/// More than any table has.
inline constexpr std::size_t kAllRows = 1'000'000'000'000;

/// Which kinds of jobs living nodes serve, and which nobody does (see NodeStore). See Transactions
/// for what holds for all roles.
class ServedStore {
public:
    virtual ~ServedStore() = default;

    /// What keeps the living nodes from these jobs.
    [[nodiscard]] virtual Lack lacking(const JobKind& kind, schema::TimePoint now) = 0;

    /// Returns the unserved jobs by kind, in the order of kinds. Looks only at the first `rows`
    /// free jobs, on which its cost depends.
    [[nodiscard]] virtual std::vector<UnservedJobs>
    unserved(schema::TimePoint now, std::size_t rows = kAllRows) = 0;
};

}  // namespace jobstrand::persistence
