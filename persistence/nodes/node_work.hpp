#pragma once

#include "persistence/node_work.hpp"
#include "persistence/rows/store_context.hpp"
#include "persistence/sql/transaction.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

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

[[nodiscard]] std::vector<AskedTopic>
asked_topics(const StoreContext& context, schema::TimePoint now);

/// Which run of which job.
struct RunName {
    std::string_view node;
    std::string_view job;
    std::int64_t revision;
};

[[nodiscard]] std::optional<schema::TimePoint>
running_since(const StoreContext& context, const RunName& run);

[[nodiscard]] std::vector<TypeRuns>
runs_of_last_minute(const StoreContext& context, schema::TimePoint now);

}  // namespace jobstrand::persistence
