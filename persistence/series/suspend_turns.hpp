#pragma once

#include "persistence/rows/store_context.hpp"
#include "persistence/suspension.hpp"

#include <cstdint>
#include <string_view>

/// What OperatorStore::suspend and activate do for a series or a group of them: they move the
/// turns that carry series on, found by their ids, so that no job table needs an index for it.
namespace jobstrand::persistence {

/// After the suspension was written. Returns how many turns moved.
std::int64_t suspend_turns(
    const StoreContext& context,
    SuspensionScope scope,
    std::string_view id,
    schema::TimePoint now
);

/// After the suspension was lifted. A turn that another suspension holds as well stays.
std::int64_t activate_turns(
    const StoreContext& context,
    SuspensionScope scope,
    std::string_view id,
    schema::TimePoint now
);

}  // namespace jobstrand::persistence
