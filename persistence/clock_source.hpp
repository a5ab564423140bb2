#pragma once

#include "schema/time.hpp"

#include <optional>

namespace jobstrand::persistence {

/// What keeps a node on the database's time needs of the store. See Transactions for what holds
/// for all roles.
class ClockSource {
public:
    virtual ~ClockSource() = default;

    /// What the database's clock shows now, to the millisecond; nullopt: it has none of its own
    /// (SQLite), and the machine's counts.
    [[nodiscard]] virtual std::optional<schema::TimePoint> database_now() = 0;
};

}  // namespace jobstrand::persistence
