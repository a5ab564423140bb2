#include "persistence/store/sql_store.hpp"
#include "persistence/unique/unique_operations.hpp"

// What SqlStore forwards for unique keys.
namespace jobstrand::persistence {

std::optional<KeyOwner> SqlStore::key_owner(std::string_view key) {
    return enqueuer_.key_owner(key);
}

ExpiredKeys SqlStore::remove_expired_keys(const KeySearch& search) {
    return persistence::remove_expired_keys(context_, search);
}

}  // namespace jobstrand::persistence
