#pragma once

#include "persistence/rows/store_context.hpp"
#include "persistence/sql/transaction.hpp"
#include "schema/time.hpp"

#include <cstdint>
#include <span>
#include <string_view>

namespace jobstrand::persistence {

/// Deletes those of the given turns, executable jobs with an expired lock, whose series says that a
/// turn is not run again when its node died; the series goes on. Returns how many. Each is logged.
[[nodiscard]] std::int64_t let_go_unrecoverable(
    Transaction& transaction,
    const StoreContext& context,
    std::span<const std::string_view> ids,
    schema::TimePoint now
);

}  // namespace jobstrand::persistence
