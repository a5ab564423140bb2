#include "persistence/batches/batch_operations.hpp"
#include "persistence/store/sql_store.hpp"

namespace jobstrand::persistence {

bool SqlStore::can_keep(const JobFilter& filter) const {
    return can_keep_filter(filter);
}

schema::Batch SqlStore::create_batch(const NewBatch& new_batch, schema::TimePoint now) {
    return persistence::create_batch(context_, new_batch, now);
}

std::optional<schema::Batch> SqlStore::find_batch(std::string_view id) {
    return persistence::find_batch(context_, id);
}

std::vector<schema::Batch> SqlStore::batches(std::string_view behind, std::size_t limit) {
    return list_batches(context_, behind, limit);
}

std::optional<schema::Batch>
SqlStore::step_batch(std::string_view id, const BatchStep& step, schema::TimePoint now) {
    return persistence::step_batch(context_, id, step, now);
}

std::optional<schema::Batch>
SqlStore::set_batch_state(std::string_view id, schema::BatchState state, schema::TimePoint now) {
    return persistence::set_batch_state(context_, id, state, now);
}

bool SqlStore::remove_batch(std::string_view id) {
    return persistence::remove_batch(context_, id);
}

}  // namespace jobstrand::persistence
