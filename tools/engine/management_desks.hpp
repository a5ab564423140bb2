#pragma once

#include "deadletter/batch/batch_desk.hpp"
#include "deadletter/desk/history_desk.hpp"
#include "deadletter/desk/job_desk.hpp"
#include "deadletter/desk/limit_desk.hpp"
#include "tools/engine/engine_parts.hpp"
#include "tools/engine/faces.hpp"
#include "tools/engine/one_item.hpp"

#include <jobstrand/management.hpp>

namespace jobstrand {

/// What an operator works at, all on one store.
class Management::Desks final {
public:
    explicit Desks(Engine::Parts& parts) : parts_(parts) {}

    [[nodiscard]] persistence::OperatorStore& store() { return wiring().store(); }
    [[nodiscard]] deadletter::JobDesk jobs() {
        return {wiring().store(), wiring().series_store(), wiring().clock()};
    }
    [[nodiscard]] deadletter::BatchDesk batches() {
        return {wiring().batch_store(), wiring().clock()};
    }
    [[nodiscard]] deadletter::HistoryDesk history() {
        return {wiring().history_store(), wiring().clock()};
    }
    [[nodiscard]] deadletter::LimitDesk limits() {
        return deadletter::LimitDesk(wiring().limit_store());
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

[[nodiscard]] Batch face_of(const schema::Batch& batch);
[[nodiscard]] std::optional<Batch> face_of(const std::optional<schema::Batch>& batch);

}  // namespace jobstrand
