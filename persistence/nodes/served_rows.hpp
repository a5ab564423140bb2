#pragma once

#include "persistence/served_store.hpp"
#include "persistence/sql/sql_transaction.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

/// What nodes serve; see NodeStore.
namespace jobstrand::persistence {

/// What the node serves from now on; nothing: it is forgotten.
void replace_served(Transaction& transaction, std::string_view node, const ServedJobs& served);

/// What a node leaves to others of what its handlers could do.
struct NodeLimits {
    schema::ServedScope scope = {};
    Fetching fetching = {};
};

/// By node; those without an entry take all.
[[nodiscard]] std::map<std::string, NodeLimits, std::less<>> limits_of_nodes(Connection& connection
);

}  // namespace jobstrand::persistence
