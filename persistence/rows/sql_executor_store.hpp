#pragma once

#include "persistence/executor_store.hpp"
#include "persistence/rows/store_context.hpp"

namespace jobstrand::persistence {

/// Its members stand where their SQL is, most of them in jobs/. The context must outlive it.
class SqlExecutorStore final : public ExecutorStore {
public:
    explicit SqlExecutorStore(const StoreContext& context) : context_(context) {}

    void in_transaction(
        const std::function<void(Transaction&)>& work,
        const std::function<bool(Transaction&)>& was_committed
    ) override {
        context_.runner.run(work, was_committed, Commit::alone);
    }
    [[nodiscard]] bool has_acquirable(
        const ServedJobs& served,
        std::string_view after = {},
        std::string_view before = {}
    ) override;
    [[nodiscard]] IdleView look_around(const ServedJobs& served, schema::TimePoint now) override;
    [[nodiscard]] std::vector<schema::Job> acquire(
        const LockClaim& claim,
        const ServedJobs& served,
        PageLimit limit,
        std::string_view after = {}
    ) override;
    [[nodiscard]] std::vector<schema::Job> acquire_in_order(
        const LockClaim& claim,
        const ServedJobs& served,
        const schema::AcquisitionOrder& order,
        PageLimit limit,
        const RangePositions& behind = {}
    ) override;
    [[nodiscard]] GroupsPassedOn pass_on(
        const LockClaim& claim,
        const ServedJobs& served,
        std::size_t most_bytes,
        std::span<const GroupEnd> groups
    ) override;
    [[nodiscard]] std::int64_t
    reset_expired_groups(schema::TimePoint now, std::span<const std::string> owners = {}) override;
    bool refresh_limits() override;
    [[nodiscard]] bool meets_limit(const schema::Job& job) override {
        return context_.limits.meet(job);
    }
    [[nodiscard]] LimitedJobs acquire_limited(
        const LockClaim& claim,
        const ServedJobs& served,
        PageLimit limit,
        std::string_view behind = {}
    ) override;
    [[nodiscard]] std::string forget_idle_groups(std::string_view behind, schema::TimePoint now)
        override;
    [[nodiscard]] AcquiredJob
    acquire_one(std::string_view id, const LockClaim& claim, schema::TimePoint now) override;
    [[nodiscard]] std::vector<OutcomeAnswer>
    apply(std::string_view owner, std::span<const Outcome> outcomes) override;
    [[nodiscard]] OutcomeAnswer
    apply(Transaction& transaction, std::string_view owner, const Outcome& outcome) override;
    [[nodiscard]] bool is_held(Transaction& transaction, std::string_view owner, const Fence& fence)
        override;
    [[nodiscard]] std::vector<std::string>
    not_held(std::string_view owner, std::span<const Fence> fences) override;
    [[nodiscard]] std::vector<std::string>
    extend_locks(const LockClaim& claim, std::span<const Fence> fences) override;
    void release(std::string_view owner, std::span<const Fence> fences) override;
    [[nodiscard]] bool
    count_start(std::string_view owner, const Fence& fence, schema::TimePoint next) override;
    [[nodiscard]] std::vector<schema::Job> take_up(const LockClaim& claim) override;
    void uncount_starts(std::span<const std::string> ids) override;
    void wait_for_database(const std::stop_token& stop, schema::SteadyPoint until) override {
        context_.runner.outage().wait_until_over(stop, until);
    }
    [[nodiscard]] std::optional<schema::SteadyPoint> back_since() override {
        return context_.runner.outage().last_end();
    }
    [[nodiscard]] LockReset reset_expired_locks(schema::JobPlace place, const LockSearch& search)
        override;
    [[nodiscard]] ExpiredKeys remove_expired_keys(const KeySearch& search) override;

private:
    const StoreContext& context_;
};

}  // namespace jobstrand::persistence
