#pragma once

#include "executor/workers/worker_broker.hpp"
#include "tools/access/scope.hpp"
#include "tools/service/api/api_parts.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::service {

/// The order as the scope leaves it. Throws OutOfScope, which names what it is not for, when a
/// topic or the tenant is left out.
[[nodiscard]] executor::AcquireOrder within(const Scope& scope, executor::AcquireOrder order);

/// What external workers do, as the scope of their token leaves it: see executor::WorkerBroker. A
/// job that is left out is not found.
///
/// Thread safety: safe. Both must outlive it.
class NarrowedWorkers final {
public:
    NarrowedWorkers(const ApiParts& api, const Scope& scope) : api_(api), scope_(scope) {}

    [[nodiscard]] std::vector<schema::Job> acquire(executor::AcquireOrder order) const {
        return broker().acquire(within(scope_, std::move(order)));
    }

    [[nodiscard]] std::vector<persistence::WorkerAnswer>
    finish(std::string_view worker, std::span<const executor::WorkResult> results) const;

    /// See executor::WorkerBroker.
    [[nodiscard]] bool take_back(std::string_view worker, const std::string& job) const;

    [[nodiscard]] std::vector<persistence::WorkerAnswer> extend(
        std::string_view worker,
        std::span<const persistence::HeldJob> jobs,
        schema::Duration lock
    ) const;

    /// Which of them the worker holds (`done`) and which not. Writes nothing.
    [[nodiscard]] std::vector<persistence::WorkerAnswer>
    held(const std::string& worker, std::span<const persistence::HeldJob> jobs) const;

    /// The same, and what the runs of those tell is kept to be shown: see executor::RunNewsBook.
    [[nodiscard]] std::vector<persistence::WorkerAnswer> tell(
        const std::string& worker,
        std::span<const persistence::HeldJob> jobs,
        std::span<const std::optional<schema::RunNews>> news
    ) const;

    [[nodiscard]] std::vector<persistence::WorkerAnswer>
    give_back(std::string_view worker, std::span<const persistence::HeldJob> jobs) const;

    std::int64_t give_back_all(const std::string& worker, const std::optional<std::string>& tenant)
        const;

private:
    [[nodiscard]] executor::WorkerBroker& broker() const { return api_.engine.workers(); }

    const ApiParts& api_;
    const Scope& scope_;
};

}  // namespace jobstrand::service
