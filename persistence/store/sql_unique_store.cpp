#include "persistence/store/sql_store.hpp"
#include "persistence/unique/unique_operations.hpp"

// What SqlStore forwards for unique keys.
namespace jobstrand::persistence {

using schema::TimePoint;

std::vector<schema::Enqueued>
SqlStore::take_keys(Transaction& transaction, std::span<const KeyWish> wishes, TimePoint now) {
    return persistence::take_keys(transaction, context_, wishes, now);
}

std::optional<KeyOwner> SqlStore::key_owner(std::string_view key) {
    return owner_of_key(context_, key);
}

ExpiredKeys SqlStore::remove_expired_keys(const KeySearch& search) {
    return persistence::remove_expired_keys(context_, search);
}

}  // namespace jobstrand::persistence
