#pragma once

#include "persistence/node_store.hpp"
#include "persistence/sql/sql_transaction.hpp"

#include <span>
#include <string_view>

/// What nodes do; see NodeStore for what is promised.
namespace jobstrand::persistence {

/// Nothing: it is forgotten.
void replace_work(Transaction& transaction, std::string_view node, const NodeWork& work);

/// Likewise.
void replace_asked(
    Transaction& transaction,
    std::string_view node,
    std::span<const AskedTopic> asked
);

}  // namespace jobstrand::persistence
