#pragma once

#include "persistence/executor_store.hpp"
#include "persistence/node_store.hpp"

#include <functional>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace jobstrand::test {

/// What no simulated node asks of its store. News of a node go nowhere; every other call would make
/// the simulation say something else than it does, and is an error.
class UnusedOperations : public persistence::ExecutorStore, public persistence::NodeStore {
public:
    using Claim = persistence::LockClaim;
    using Served = persistence::ServedJobs;

    using ExecutorStore::apply;

    persistence::IdleView look_around(const Served& /*served*/, schema::TimePoint /*now*/)
        override {
        is_not_simulated();
    }
    std::vector<schema::Job> acquire_in_order(
        const Claim& /*claim*/,
        const Served& /*served*/,
        const schema::AcquisitionOrder& /*order*/,
        persistence::PageLimit /*limit*/,
        const persistence::RangePositions& /*behind*/
    ) override {
        is_not_simulated();
    }
    bool refresh_limits() override { return false; }
    bool meets_limit(const schema::Job& /*job*/) override { return false; }
    persistence::LimitedJobs acquire_limited(
        const Claim& /*claim*/,
        const Served& /*served*/,
        persistence::PageLimit /*limit*/,
        std::string_view /*behind*/
    ) override {
        return {};
    }
    std::string forget_idle_groups(std::string_view /*behind*/, schema::TimePoint /*now*/)
        override {
        return {};
    }
    persistence::AcquiredJob
    acquire_one(std::string_view /*id*/, const Claim& /*claim*/, schema::TimePoint /*now*/)
        override {
        is_not_simulated();
    }
    persistence::OutcomeAnswer apply(
        persistence::Transaction& /*transaction*/,
        std::string_view /*owner*/,
        const persistence::Outcome& /*outcome*/
    ) override {
        is_not_simulated();
    }
    bool is_held(
        persistence::Transaction& /*transaction*/,
        std::string_view /*owner*/,
        const persistence::Fence& /*fence*/
    ) override {
        is_not_simulated();
    }
    void in_transaction(
        const std::function<void(persistence::Transaction&)>& /*work*/,
        const std::function<bool(persistence::Transaction&)>& /*was_committed*/
    ) override {
        is_not_simulated();
    }
    std::optional<schema::TimePoint> running_since(
        std::string_view /*node*/,
        std::string_view /*job*/,
        std::int64_t /*revision*/
    ) override {
        is_not_simulated();
    }
    std::vector<persistence::TypeRuns> runs_of_last_minute(schema::TimePoint /*now*/) override {
        is_not_simulated();
    }
    std::vector<persistence::AskedTopic> asked_topics(schema::TimePoint /*now*/) override {
        is_not_simulated();
    }
    std::vector<persistence::Node> nodes() override { is_not_simulated(); }
    std::vector<persistence::Node> lost_nodes(schema::TimePoint) override { is_not_simulated(); }
    bool set_node_state(std::string_view /*node*/, persistence::NodeState /*state*/) override {
        is_not_simulated();
    }

    void wait_for_database(const std::stop_token& /*stop*/, schema::SteadyPoint /*until*/)
        override {}
    std::optional<schema::SteadyPoint> back_since() override { return std::nullopt; }
    void record_served(std::string_view /*node*/, const Served& /*served*/) override {}
    void record_work(std::string_view /*node*/, const persistence::NodeWork& /*work*/) override {}
    void record_asked(
        std::string_view /*node*/,
        std::span<const persistence::AskedTopic> /*asked*/
    ) override {}
    void leave(const persistence::NodeIdentity& /*identity*/) override {}

private:
    [[noreturn]] static void is_not_simulated() {
        throw std::logic_error("the simulation does not know this operation");
    }
};

/// The rules that a broken variant leaves out, to show that the simulation notices.
enum class Broken {
    nothing,
    fence,          ///< Outcomes are taken whoever holds the job now.
    renewal,        ///< Locks are said to be renewed, and are not.
    instance_lock,  ///< Nobody asks for the lock of a group.
};

/// What the store promises to an executor and to its node, in memory. That the real one keeps these
/// promises is what the conformance suite shows.
///
/// Thread safety: none.
class MemoryStore final : public UnusedOperations {
public:
    struct Hooks {
        /// Before and after each operation: throws DbError for one that does not happen, or whose
        /// answer is lost.
        std::function<void()> before;
        std::function<void()> after;
        /// The database takes the end of a run; the job is as it was.
        std::function<void(const schema::Job&)> on_end;
    };

    MemoryStore(Broken broken, Hooks hooks) : broken_(broken), hooks_(std::move(hooks)) {}

    void add(schema::Job job);
    /// Due timers become executable. Returns when the next one is due.
    std::optional<schema::TimePoint> move_due_timers(schema::TimePoint now);
    [[nodiscard]] std::size_t size() const { return rows_.size(); }

    // ExecutorStore
    using UnusedOperations::apply;
    using Fences = std::span<const persistence::Fence>;
    using Strings = std::vector<std::string>;
    bool has_acquirable(const Served& served, std::string_view after, std::string_view before)
        override;
    std::vector<schema::Job> acquire(
        const Claim& claim,
        const Served& served,
        persistence::PageLimit limit,
        std::string_view after
    ) override;
    std::vector<persistence::OutcomeAnswer>
    apply(std::string_view owner, std::span<const persistence::Outcome> outcomes) override;
    Strings not_held(std::string_view owner, Fences fences) override;
    Strings extend_locks(const Claim& claim, Fences fences) override;
    std::vector<schema::Job> take_up(const Claim& claim) override;
    void release(std::string_view owner, Fences fences) override;
    bool count_start(
        std::string_view owner,
        const persistence::Fence& fence,
        schema::TimePoint next
    ) override;
    void uncount_starts(std::span<const std::string> ids) override;
    persistence::LockReset
    reset_expired_locks(schema::JobPlace place, const persistence::LockSearch& search) override;
    persistence::ExpiredKeys remove_expired_keys(const persistence::KeySearch&) override {
        return {};  // No job has a key here.
    }
    persistence::GroupsPassedOn pass_on(
        const Claim& claim,
        const Served& served,
        std::size_t most_bytes,
        std::span<const persistence::GroupEnd> groups
    ) override;
    std::int64_t
    reset_expired_groups(schema::TimePoint now, std::span<const std::string> owners = {}) override;

    // NodeStore
    void register_node(
        const persistence::NodeIdentity& identity,
        const Served& served,
        schema::TimePoint now,
        schema::TimePoint until
    ) override;
    persistence::LeaseAnswer renew_lease(
        const persistence::NodeIdentity& identity,
        const persistence::NodeLoad& load,
        schema::TimePoint until
    ) override;
    std::int64_t living_before(std::string_view node, schema::TimePoint now) override;
    Strings end_expired_leases(const persistence::LeaseLook& look) override;

private:
    struct Row {
        schema::JobPlace place = schema::JobPlace::executable;
        schema::Job job;
        bool waits = false;  ///< For the group that it excludes.
    };
    struct GroupLock {
        std::string owner;
        schema::TimePoint until = {};
        schema::TimePoint began = {};
        std::int64_t claimed = 0;
    };
    struct Lease {
        std::string incarnation;
        schema::TimePoint until = {};
    };

    template <typename Work>
    auto operation(const Work& work);
    [[nodiscard]] std::string_view group_of(const schema::Job& job) const;
    [[nodiscard]] static bool is_free(const Row& row);
    [[nodiscard]] bool join_group(const Claim& claim, const schema::Job& job);
    /// Further free jobs of these groups. Returns how many.
    std::size_t take_along(
        const Claim& claim,
        std::size_t room,
        const std::set<std::string>& groups,
        std::vector<schema::Job>& jobs
    );
    [[nodiscard]] Row* held(std::string_view owner, std::string_view id, int revision);
    [[nodiscard]] bool is_group_held(std::string_view owner, const schema::Job& job) const;
    static void lock(schema::Job& job, const Claim& claim);
    static void free(schema::Job& job);
    [[nodiscard]] persistence::OutcomeAnswer
    apply_one(std::string_view owner, const persistence::Outcome& outcome);
    [[nodiscard]] std::vector<schema::Job>
    claim_waiting(const Claim& claim, std::string_view group);
    void end_locks(std::string_view owner, schema::TimePoint now);

    const Broken broken_;
    const Hooks hooks_;
    std::map<std::string, Row, std::less<>> rows_;
    std::map<std::string, GroupLock, std::less<>> groups_;
    std::map<std::string, Lease, std::less<>> leases_;
};

}  // namespace jobstrand::test
