#pragma once

#include "deadletter/batch/batch_desk.hpp"
#include "deadletter/desk/history_desk.hpp"
#include "deadletter/desk/job_desk.hpp"
#include "tools/engine/engine_parts.hpp"
#include "tools/engine/faces.hpp"

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
    [[nodiscard]] const schema::Clock& clock() { return wiring().clock(); }
    [[nodiscard]] TimePoint now() { return clock().now(); }

    /// Calls what changes jobs, and lets the nodes look for what can run now.
    template <typename Call>
    auto change(const Call& call) {
        parts_.require_no_transaction("do this before or after it");
        return engine::with_public_errors([&] {
            auto answer = call();
            wiring().wake();
            return answer;
        });
    }

private:
    [[nodiscard]] engine::Wiring& wiring() { return parts_.wiring(); }

    Engine::Parts& parts_;
};

[[nodiscard]] ChangeAnswer face_of(deadletter::ItemAnswer answer);
[[nodiscard]] Batch face_of(const schema::Batch& batch);
[[nodiscard]] std::optional<Batch> face_of(const std::optional<schema::Batch>& batch);

/// What became of the one item that `operation` is about.
template <typename Operation>
ChangeAnswer answer_of(const Operation& operation) {
    ChangeAnswer answer = ChangeAnswer::not_found;
    operation(deadletter::BulkWatch{.on_item = [&answer](const deadletter::ItemResult& item) {
        answer = face_of(item.answer);
    }});
    return answer;
}

}  // namespace jobstrand
