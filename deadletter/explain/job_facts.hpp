#pragma once

#include "persistence/limit_store.hpp"
#include "persistence/node_store.hpp"
#include "persistence/operator_store.hpp"
#include "persistence/suspension.hpp"
#include "schema/job.hpp"
#include "schema/limit/job_limit.hpp"

#include <optional>
#include <string>
#include <vector>

/// What is known of a job, its nodes and what is in its way. Pure.
namespace jobstrand::deadletter {

/// A group of jobs that a limit meets, and what runs of it.
struct LimitUse {
    schema::LimitedGroup group = {};
    persistence::GroupRuns runs = {};
};

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

}  // namespace jobstrand::deadletter
