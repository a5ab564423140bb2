#include "persistence/engine/engine_questions.hpp"
#include "persistence/store/sql_store.hpp"

namespace jobstrand::persistence {

bool SqlStore::has_engine() {
    return persistence::has_engine(context_);
}

bool SqlStore::is_of_engine(SuspensionScope scope, std::string_view id) {
    return persistence::is_of_engine(context_, scope, id);
}

std::optional<schema::TimePoint> SqlStore::last_engine_job() {
    return persistence::last_engine_job(context_);
}

bool SqlStore::take_instance(const InstanceClaim& claim) {
    return persistence::take_instance(context_, claim);
}

void SqlStore::free_instance(std::string_view instance, std::string_view owner) {
    persistence::free_instance(context_, instance, owner);
}

}  // namespace jobstrand::persistence
