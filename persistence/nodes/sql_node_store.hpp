#pragma once

#include "persistence/node_store.hpp"
#include "persistence/rows/store_context.hpp"

#include <chrono>

namespace jobstrand::persistence {

/// For how long a node that has died is remembered.
inline constexpr schema::Duration kLostFor = std::chrono::hours(24);

/// Whatever is neither `draining` nor `lost` is running.
[[nodiscard]] NodeState node_state_in(std::string_view text);

/// The context must outlive it.
class SqlNodeStore final : public NodeStore {
public:
    explicit SqlNodeStore(const StoreContext& context) : context_(context) {}

    void register_node(
        const NodeIdentity& identity,
        const ServedJobs& served,
        schema::TimePoint now,
        schema::TimePoint until
    ) override;
    LeaseAnswer renew_lease(
        const NodeIdentity& identity,
        const NodeLoad& load,
        schema::TimePoint until
    ) override;
    void tell_served(std::string_view node, const ServedJobs& served) override;
    void tell_work(std::string_view node, const NodeWork& work) override;
    void tell_asked(std::string_view node, std::span<const AskedTopic> asked) override;
    [[nodiscard]] std::vector<AskedTopic> asked_topics(schema::TimePoint now) override;
    [[nodiscard]] std::optional<schema::TimePoint>
    running_since(std::string_view node, std::string_view job, std::int64_t revision) override;
    [[nodiscard]] std::vector<TypeRuns> runs_of_last_minute(schema::TimePoint now) override;
    void leave(const NodeIdentity& identity) override;
    [[nodiscard]] std::vector<std::string> end_expired_leases(const LeaseLook& look) override;
    [[nodiscard]] std::vector<Node> nodes() override;
    [[nodiscard]] std::vector<Node> lost_nodes(schema::TimePoint now) override;
    [[nodiscard]] bool set_node_state(std::string_view node, NodeState state) override;

private:
    const StoreContext& context_;
};

}  // namespace jobstrand::persistence
