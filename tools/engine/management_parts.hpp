#pragma once

#include "deadletter/admin/history_admin.hpp"
#include "deadletter/admin/job_admin.hpp"
#include "deadletter/admin/limit_admin.hpp"
#include "deadletter/batch/batch_admin.hpp"
#include "tools/engine/conversions.hpp"
#include "tools/engine/engine_parts.hpp"
#include "tools/engine/one_item.hpp"

#include <jobstrand/management.hpp>

namespace jobstrand {

/// What an operator works at, all on one store.
class Management::Parts final {
public:
    explicit Parts(Engine::Parts& parts) : parts_(parts) {}

    [[nodiscard]] persistence::OperatorStore& store() { return wiring().store(); }
    [[nodiscard]] deadletter::JobAdmin jobs() {
        return {wiring().store(), wiring().series_store(), wiring().clock()};
    }
    [[nodiscard]] deadletter::BatchAdmin batches() {
        return {wiring().batch_store(), wiring().clock()};
    }
    [[nodiscard]] deadletter::HistoryAdmin history() {
        return {wiring().history_store(), wiring().clock()};
    }
    [[nodiscard]] deadletter::LimitAdmin limits() {
        return deadletter::LimitAdmin(wiring().limit_store());
    }
    [[nodiscard]] const schema::Clock& clock() { return wiring().clock(); }
    [[nodiscard]] TimePoint now() { return clock().now(); }

    // See Engine::Parts.

    template <typename Call>
    auto outside_transaction(const Call& call) {
        return parts_.outside_transaction(call);
    }

    template <typename Call>
    auto change(const Call& call) {
        return parts_.change(call);
    }

private:
    [[nodiscard]] engine::Wiring& wiring() { return parts_.wiring(); }

    Engine::Parts& parts_;
};

[[nodiscard]] Batch to_public(const schema::Batch& batch);
[[nodiscard]] std::optional<Batch> to_public(const std::optional<schema::Batch>& batch);

}  // namespace jobstrand
