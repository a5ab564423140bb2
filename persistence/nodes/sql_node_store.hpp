#pragma once

#include "persistence/node_store.hpp"
#include "persistence/rows/store_context.hpp"
#include "persistence/run_store.hpp"
#include "persistence/sql/sql_transaction.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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
    void record_served(std::string_view node, const ServedJobs& served) override;
    void record_work(std::string_view node, const NodeWork& work) override;
    void record_asked(std::string_view node, std::span<const AskedTopic> asked) override;
    [[nodiscard]] std::vector<AskedTopic> asked_topics(schema::TimePoint now) override;
    [[nodiscard]] std::optional<schema::TimePoint>
    running_since(std::string_view node, std::string_view job, std::int64_t revision) override;
    [[nodiscard]] std::vector<TypeRuns> runs_of_last_minute(schema::TimePoint now) override;
    void leave(const NodeIdentity& identity) override;
    [[nodiscard]] std::vector<std::string> end_expired_leases(const LeaseLook& look) override;
    [[nodiscard]] std::int64_t living_before(std::string_view node, schema::TimePoint now) override;
    [[nodiscard]] std::vector<Node> nodes() override;
    [[nodiscard]] std::vector<Node> lost_nodes(schema::TimePoint now) override;
    [[nodiscard]] bool set_node_state(std::string_view node, NodeState state) override;

private:
    const StoreContext& context_;
};

/// The context must outlive it.
class SqlServedStore final : public ServedStore {
public:
    explicit SqlServedStore(const StoreContext& context) : context_(context) {}

    [[nodiscard]] Lack lacking(const JobKind& kind, schema::TimePoint now) override;
    [[nodiscard]] std::vector<UnservedJobs> unserved(schema::TimePoint now, std::size_t rows)
        override;

private:
    const StoreContext& context_;
};

/// The context must outlive it.
class SqlRunNewsStore final : public RunNewsStore {
public:
    explicit SqlRunNewsStore(const StoreContext& context) : context_(context) {}

    void write_news(std::span<const ToldRun> told, std::span<const ToldRun> ended) override;
    [[nodiscard]] std::vector<ToldRun>
    run_news(std::span<const std::string> jobs, std::size_t limit) override;
    void forget_news(schema::TimePoint before) override;

private:
    const StoreContext& context_;
};

/// The context must outlive it.
class SqlThroughputStore final : public ThroughputStore {
public:
    explicit SqlThroughputStore(const StoreContext& context) : context_(context) {}

    void add_throughput(std::string_view node, std::span<const schema::ThroughputSpan> spans)
        override;
    [[nodiscard]] std::vector<SpanSums> throughput(const SpanSearch& search) override;
    [[nodiscard]] schema::Throughput throughput_by_type(const SpanSearch& search) override;
    bool forget_throughput(schema::Duration length, schema::TimePoint before) override;

private:
    const StoreContext& context_;
};

/// What the node does now (see NodeStore::record_work); nothing: it is forgotten.
void replace_work(Transaction& transaction, std::string_view node, const NodeWork& work);

/// Likewise what it was asked for (see NodeStore::record_asked).
void replace_asked(
    Transaction& transaction,
    std::string_view node,
    std::span<const AskedTopic> asked
);

/// What the node serves from now on (see NodeStore::record_served); nothing: it is forgotten.
void replace_served(Transaction& transaction, std::string_view node, const ServedJobs& served);

/// What a node leaves to others of what its handlers could do.
struct NodeLimits {
    schema::ServedScope scope = {};
    Fetching fetching = {};
};

/// By node; those without an entry take all.
[[nodiscard]] std::map<std::string, NodeLimits, std::less<>> limits_of_nodes(Connection& connection
);

}  // namespace jobstrand::persistence
