#include "persistence/store/sql_batch_store.hpp"

#include "persistence/batches/batch_operations.hpp"

namespace jobstrand::persistence {

bool SqlBatchStore::can_keep(const JobFilter& filter) const {
    return can_keep_filter(filter);
}

schema::Batch SqlBatchStore::create_batch(const NewBatch& new_batch, schema::TimePoint now) {
    return persistence::create_batch(context_, new_batch, now);
}

std::optional<schema::Batch> SqlBatchStore::find_batch(std::string_view id) {
    return persistence::find_batch(context_, id);
}

std::vector<schema::Batch> SqlBatchStore::batches(std::string_view behind, std::size_t limit) {
    return list_batches(context_, behind, limit);
}

std::optional<schema::Batch>
SqlBatchStore::step_batch(std::string_view id, const BatchStep& step, schema::TimePoint now) {
    return persistence::step_batch(context_, id, step, now);
}

std::optional<schema::Batch> SqlBatchStore::set_batch_state(
    std::string_view id,
    schema::BatchState state,
    schema::TimePoint now
) {
    return persistence::set_batch_state(context_, id, state, now);
}

bool SqlBatchStore::remove_batch(std::string_view id) {
    return persistence::remove_batch(context_, id);
}

}  // namespace jobstrand::persistence
