#pragma once

#include "persistence/limit_store.hpp"
#include "persistence/node_store.hpp"
#include "persistence/operator_store.hpp"
#include "persistence/series_store.hpp"
#include "persistence/suspension.hpp"
#include "schema/clock.hpp"
#include "schema/concurrency.hpp"
#include "schema/job.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Why a job does not run now.
namespace jobstrand::deadletter {

/// A group of jobs that a limit meets, and what runs of it.
struct LimitUse {
    schema::LimitedGroup group = {};
    persistence::GroupRuns runs = {};
};

/// What is known of a job, its nodes and what is in its way.
struct JobFacts {
    std::string id = {};
    schema::TimePoint now = {};                    ///< The database's.
    std::optional<schema::PlacedJob> placed = {};  ///< nullopt: there is no such job.

    /// The job is not there, and was the first turn of a series that is.
    bool is_a_series = false;

    /// What it needs beside a handler of its type (see schema::Job::needs); empty: nothing.
    std::string needs = {};

    /// What keeps it in the suspended place, or will send it there.
    std::vector<persistence::Suspension> suspended_by = {};

    std::vector<persistence::Node> nodes = {};  ///< All that have a row, by name.
    std::optional<persistence::GroupHold> group = {};
    std::vector<LimitUse> limits = {};  ///< Those that it meets.
    std::optional<schema::TimePoint> running_since = {};

    /// The open job that has the unique key of a dead letter; empty: nobody.
    std::string key_holder = {};
};

/// The nodes from the job's point of view; borrowed from the facts.
struct NodeView {
    using List = std::vector<const persistence::Node*>;

    List living;   ///< Their leases last.
    List drained;  ///< Of those: they take nothing until they are resumed, and tell no types.

    List passive;  ///< Neither drained: they are set to leave such jobs to others.

    // Of the other living ones, each a part of the one before it.
    List with_type;
    List with_needs;
    List in_scope;  ///< They take the job.
    List idle;      ///< And have a worker that does nothing.

    /// The one whose name is the job's lock owner, dead or alive.
    const persistence::Node* owner = nullptr;
    bool is_owner_alive = false;

    [[nodiscard]] bool is_any_taking() const {
        return living.size() > drained.size() + passive.size();
    }
};

[[nodiscard]] NodeView nodes_seen_from(const JobFacts& facts);

/// Returns the limits that let no further job start on any node that takes the job, or on any node
/// at all if none takes it.
[[nodiscard]] std::vector<const LimitUse*>
full_limits(const JobFacts& facts, const NodeView& nodes);

/// How many jobs run of the group, on all nodes.
[[nodiscard]] std::int64_t running_of(const LimitUse& use);

/// Why a job does not run now.
enum class ReasonCode {
    not_found,
    dead_letter,
    running,
    behind_sibling,  ///< Its node holds it until another exclusive job of its group has ended.
    held,            ///< Its node has it in its queue, or has just started it.
    held_by_worker,
    suspended,
    not_due,
    dead_node,  ///< No living node has the name of its lock owner.
    lock_over,  ///< Its holder has not renewed its lock.
    no_node,
    paused,  ///< All living nodes are drained, or set to fetch no such jobs.
    no_handler,
    lacks_need,
    out_of_scope,
    exclusive,
    limit,
    external_worker,
    workers_busy,
    overdue_timer,  ///< It is due, and no node has fetched it yet.
    free,
};

/// `out_of_scope`: what scripts rely on.
[[nodiscard]] std::string_view name_of(ReasonCode code);

/// Returns all reasons why the job does not run now, the most decisive first; never empty. Leaves
/// out what can only be known once those are gone. This is the one place that decides it. Pure.
[[nodiscard]] std::vector<ReasonCode> explain(const JobFacts& facts);

/// Gathers what decides whether a job runs; nothing is changed. It reads by keys, and at most
/// 10,000 rows of jobs besides.
///
/// Throws DbError. Thread safety: safe. The stores and the clock must outlive it. The clock shows
/// the database's time.
class Explainer final {
public:
    struct Stores {
        persistence::OperatorStore& jobs;
        persistence::SeriesStore& series;
        persistence::NodeStore& nodes;
        persistence::LimitStore& limits;
    };

    /// What a job needs beside a handler of its type, as far as its own row does not say; empty:
    /// nothing.
    using NeedOf = std::function<std::string(const schema::Job&)>;

    Explainer(const Stores& stores, const schema::Clock& clock) : stores_(stores), clock_(clock) {}

    [[nodiscard]] JobFacts facts_of(const std::string& id, const NeedOf& need_of) const;

private:
    void add_way(JobFacts& facts) const;

    Stores stores_;
    const schema::Clock& clock_;
};

}  // namespace jobstrand::deadletter
