#pragma once

#include "persistence/executor_store.hpp"
#include "persistence/node_store.hpp"

#include <stdexcept>

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

}  // namespace jobstrand::test
