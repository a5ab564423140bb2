#pragma once

#include "persistence/batch_store.hpp"
#include "persistence/rows/store_context.hpp"

namespace jobstrand::persistence {

/// The role of the store that knows batches: it only forwards to batches/. The context must outlive
/// it.
class SqlBatchStore final : public BatchStore {
public:
    explicit SqlBatchStore(const StoreContext& context) : context_(context) {}

    [[nodiscard]] bool can_keep(const JobFilter& filter) const override;
    [[nodiscard]] schema::Batch create_batch(const NewBatch& new_batch, schema::TimePoint now)
        override;
    [[nodiscard]] std::optional<schema::Batch> find_batch(std::string_view id) override;
    [[nodiscard]] std::vector<schema::Batch> batches(std::string_view behind, std::size_t limit)
        override;
    [[nodiscard]] std::optional<schema::Batch>
    step_batch(std::string_view id, const BatchStep& step, schema::TimePoint now) override;
    [[nodiscard]] std::optional<schema::Batch>
    set_batch_state(std::string_view id, schema::BatchState state, schema::TimePoint now) override;
    [[nodiscard]] bool remove_batch(std::string_view id) override;

private:
    const StoreContext& context_;
};

}  // namespace jobstrand::persistence
